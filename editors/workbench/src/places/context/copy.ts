/** A bundle as text, in the forms that people paste. */
import type { BundleResult, Item } from "../../../../vscode/src/contract.gen";
import { content } from "../../parts/spans";
import { relative } from "../../session";

export type Form = "text" | "markdown" | "xml";

/** Writes a bundle: as it is sent, as Markdown with fenced code, or as XML with an element an item. */
export function write(bundle: BundleResult, form: Form): string {
  const text = bundle.text ?? "";
  if (form === "text") return text;
  const items = bundle.items.filter((i) => i.span).map((i) => ({ item: i, text: i.span ? content(text, i.span) : "" }));
  if (form === "xml") {
    const parts = items.map(({ item, text: inner }) => `<item kind="${item.kind}"${attribute("source", source(item))} tokens="${item.tokens}">\n${escape(inner)}\n</item>`);
    return `<context tokens="${bundle.tokens}">\n${parts.join("\n")}\n</context>\n`;
  }
  return items.map(({ item, text: inner }) => `## ${source(item) || item.title}\n\n${item.kind === "code" ? fenced(inner, item) : inner.trim()}\n`).join("\n");
}

/** Returns where an item comes from: `path:line`, or a turn. */
export function source(item: Item): string {
  if (item.uri?.startsWith("file:")) return item.range ? `${relative(item.uri)}:${item.range.start.line + 1}` : relative(item.uri);
  return item.turnId ? `${item.conversationId ?? ""} ${item.turnId}`.trim() : "";
}

/** Fences code with more backticks than it has in a row. */
function fenced(code: string, item: Item): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map((m) => m[0].length));
  const fence = "`".repeat(longest + 1);
  const extension = /\.(\w+)$/.exec(item.uri ?? "")?.[1] ?? "";
  return `${fence}${extension}\n${code.replace(/\n$/, "")}\n${fence}`;
}

function attribute(name: string, value: string): string {
  return value ? ` ${name}="${escape(value)}"` : "";
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? c);
}
