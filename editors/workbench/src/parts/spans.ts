/** Spans over a text: syntax, counted in bytes by the server, and words that were asked for. */

/** A span of a kind of syntax; bytes of the text in UTF-8. */
export interface Mark {
  start: number;
  end: number;
  kind: string;
}

/** A part of a line that looks alike. */
export interface Part {
  text: string;
  kind?: string;
  marked?: boolean;
}

/** Cuts a text into lines, and those into parts of one kind of syntax, marked or not. There is no line behind the last one. */
export function cut(text: string, syntax: readonly Mark[], words: readonly string[]): Part[][] {
  const lines = cutLines(text, syntax, words);
  if (lines.length > 1 && lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

/** Cuts a text as `cut` does; joined with line feeds, its lines are the text. */
export function cutLines(text: string, syntax: readonly Mark[], words: readonly string[]): Part[][] {
  const at = offsets(text);
  const kinds = syntax.map((m) => ({ start: at(m.start), end: at(m.end), kind: m.kind }));
  const marks = occurrences(text, words);
  const borders = new Set<number>([0, text.length]);
  for (const m of kinds) borders.add(m.start).add(m.end);
  for (const m of marks) borders.add(m.start).add(m.end);
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) borders.add(i).add(i + 1);
  const sorted = [...borders].filter((b) => b >= 0 && b <= text.length).sort((a, b) => a - b);
  const lines: Part[][] = [[]];
  let k = 0;
  let m = 0;
  for (let i = 0; i + 1 < sorted.length; i++) {
    const [start, end] = [sorted[i] ?? 0, sorted[i + 1] ?? 0];
    const part = text.slice(start, end);
    if (part === "\n") {
      lines.push([]);
      continue;
    }
    while (kinds[k] && (kinds[k]?.end ?? 0) <= start) k++;
    while (marks[m] && (marks[m]?.end ?? 0) <= start) m++;
    const kind = kinds[k];
    const mark = marks[m];
    lines.at(-1)?.push({
      text: part,
      ...(kind && kind.start <= start ? { kind: kind.kind } : {}),
      ...(mark && mark.start <= start ? { marked: true } : {}),
    });
  }
  return lines;
}

/** Returns what turns an offset in bytes of UTF-8 into one in the string; it is fastest where offsets are asked for in order. */
export function offsets(text: string): (byte: number) => number {
  if (/^[\x00-\x7f]*$/.test(text)) return (byte) => Math.min(byte, text.length); // eslint-disable-line no-control-regex -- ASCII is one byte each
  let at = 0;
  let bytes = 0;
  return (byte) => {
    if (byte < bytes) at = bytes = 0;
    while (bytes < byte && at < text.length) {
      const code = text.codePointAt(at) ?? 0;
      bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      at += code < 0x10000 ? 1 : 2;
    }
    return at;
  };
}

/**
 * Returns where words occur, in order, not overlapping. Words of a text and of a question differ in their endings, in
 * most languages: a long word is found by its beginning, and all of the word of the text is marked. A word begins after
 * what is no letter, or where camelCase begins a new one.
 */
export function occurrences(text: string, words: readonly string[]): { start: number; end: number }[] {
  const wanted = words.filter((w) => w.length > 2).map(beginning);
  if (!wanted.length) return [];
  const escaped = wanted.map((w) => w.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).sort((a, b) => b.length - a.length);
  const found: { start: number; end: number }[] = [];
  for (const match of text.matchAll(new RegExp(escaped.join("|"), "giu"))) {
    const before = text.slice(0, match.index).slice(-1);
    const begins = !/[\p{L}\p{N}]/u.test(before) || (/^\p{Lu}/u.test(match[0]) && !/\p{Lu}/u.test(before));
    if (!begins) continue;
    const end = match.index + match[0].length;
    const rest = /[\p{L}\p{N}]$/u.test(match[0]) ? (/^[\p{Ll}\p{Lo}\p{M}]*/u.exec(text.slice(end, end + 40))?.[0] ?? "") : "";
    found.push({ start: match.index, end: end + rest.length });
  }
  return found;
}

/** Returns the part of a word that its other forms begin with as well, by its length alone. */
function beginning(word: string): string {
  if (!/^\p{L}+$/u.test(word)) return word;
  return word.slice(0, word.length - (word.length >= 7 ? 3 : word.length >= 5 ? 1 : 0));
}

/** Returns the bytes from start to end of a text. */
export function slice(text: string, span: { start: number; end: number }): string {
  const at = offsets(text);
  const start = at(span.start);
  return text.slice(start, at(span.end));
}

/** Cuts an item's text into the line that opens its element, what it holds, and what closes it. */
export function element(text: string): { open: string; body: string; close: string } {
  const open = /^<(?:ctx|T)-[^\n]*>\n/.exec(text)?.[0] ?? "";
  const close = /\n?<\/(?:ctx|T)-[\w-]+>\s*$/.exec(text.slice(open.length))?.[0] ?? "";
  return { open, body: text.slice(open.length, text.length - close.length), close };
}

/** Returns an item's text without the delimiters that its span counts in. */
export function content(text: string, span: { start: number; end: number }): string {
  return element(slice(text, span)).body;
}
