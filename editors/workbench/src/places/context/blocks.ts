/** The text of a bundle, byte for byte as the server returned it, cut at its items; and the items in the order of help. */
import type { BundleResult, Item } from "../../../../vscode/src/contract.gen";
import { element, offsets } from "../../parts/spans";

/** A part of the text: an item, or what stands between items. All parts in order are the text. */
export interface Block {
  item?: Item;
  /** The line that opens the item's element, what it holds, and what closes it. */
  open: string;
  body: string;
  close: string;
}

export function blocksOf({ text = "", items }: Pick<BundleResult, "text" | "items">): Block[] {
  const at = offsets(text);
  const out: Block[] = [];
  let end = 0;
  for (const item of items.filter((i) => i.span).sort((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0))) {
    const start = Math.max(end, at(item.span?.start ?? 0));
    const stop = Math.max(start, at(item.span?.end ?? 0));
    if (start > end) out.push({ open: "", body: text.slice(end, start), close: "" });
    out.push({ item, ...element(text.slice(start, stop)) });
    end = stop;
  }
  if (end < text.length) out.push({ open: "", body: text.slice(end), close: "" });
  return out;
}

const folded = /^\s*… \d+(?:-\d+)?$/;

/**
 * Returns the numbers that the lines of an item's body have in their file, from 0; undefined for a line that stands for
 * what is folded. It is empty where the body is not the file's own, line by line.
 */
export function lineNumbers(item: Item, lines: readonly string[]): (number | undefined)[] {
  const { passages, range } = item;
  if (item.format === "lines" && passages?.[0]) {
    const out: (number | undefined)[] = [];
    let p = 0;
    let next = passages[0].range.start.line;
    for (const line of lines) {
      if (next < (passages[p]?.range.end.line ?? 0)) {
        out.push(next++);
        continue;
      }
      const following = passages[++p];
      if (!following || !folded.test(line)) return [];
      next = following.range.start.line;
      out.push(undefined);
    }
    return out;
  }
  if (item.format !== "full" || !range || (item.kind !== "code" && item.kind !== "doc" && item.kind !== "entity")) return [];
  const inFile = range.end.line - range.start.line + (range.end.character > 0 ? 1 : 0);
  return lines.length === inFile ? lines.map((_, i) => range.start.line + i) : [];
}

/** Returns the items in the order of help: those that were found by their chance, then what is in every bundle. */
export function byHelp(items: readonly Item[]): Item[] {
  const found = items.filter((i) => i.score < 1).sort((a, b) => b.score - a.score);
  return [...found, ...items.filter((i) => i.score >= 1)];
}

/** Returns the words of the prompt that are marked. */
export function wordsOf({ intent }: Pick<BundleResult, "intent">): string[] {
  return [...intent.identifiers, ...intent.keywords].map((w) => w.toLowerCase());
}

/** Returns the folders of a path, the outermost first, each with its name and the path to it. */
export function foldersOf(path: string): { name: string; path: string }[] {
  const names = path.split("/").slice(0, -1);
  return names.map((name, i) => ({ name: `${name}/`, path: `${names.slice(0, i + 1).join("/")}/` }));
}
