/** Texts for language models. They stay in English. Nothing here knows of VS Code. */
import type { SearchResult, TaskListResult } from "./contract.gen";

/** Hits as text for a model. */
export function hitsText(result: SearchResult): string {
  if (result.hits.length === 0) return "Nothing was found.";
  return result.hits.map((hit) => {
    const line = hit.range ? `:${hit.range.start.line + 1}` : "";
    return `${hit.uri ?? hit.kind}${line} ${hit.title}\n${hit.snippet}`;
  }).join("\n\n");
}

/** Tasks as text for a model. */
export function tasksText(result: TaskListResult): string {
  const lines = [
    ...result.blockers.map((b) => `blocked ${b.taskId}: ${b.reason}`),
    ...result.completed.map((t) => `done ${t.taskId}${t.intent ? `: ${t.intent}` : ""}`),
  ];
  return lines.length > 0 ? lines.join("\n") : "No tasks or blockers.";
}

/** The budget to ask for where a caller has so many tokens: within the contract's bounds. */
export function budgetFor(tokens: number | undefined, low: number, high: number): number | undefined {
  return tokens === undefined ? undefined : Math.max(low, Math.min(high, Math.floor(tokens)));
}

/** Cuts a text so that it counts at most so many tokens, at line ends where it can. */
export async function within(text: string, tokens: number, count: (text: string) => Thenable<number>): Promise<string> {
  if ((await count(text)) <= tokens) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((await count(text.slice(0, middle))) <= tokens) low = middle;
    else high = middle - 1;
  }
  const cut = text.slice(0, low);
  const line = cut.lastIndexOf("\n");
  return line > low / 2 ? cut.slice(0, line) : cut;
}

/** What a person attached to a question. */
export interface Attachment {
  /** The path below the folder, or what the editor calls it. */
  name: string;
  text: string;
  /** The lines of a part, from 1. */
  first?: number;
  last?: number;
}

/** The attachment in delimiters, cut at a line's end where it has no room; undefined where it has none at all. */
export async function attachedText(of: Attachment, room: number, count: (text: string) => Thenable<number>): Promise<{ text: string; tokens: number; isCut: boolean } | undefined> {
  const lines = of.first === undefined ? "" : ` lines="${of.first}-${of.last ?? of.first}"`;
  const begin = `<ctx-attached name="${of.name.replace(/["&<\n]/g, " ")}"${lines}>\n`;
  // A text cannot end its own element, or begin another one of ours.
  const whole = of.text.replace(/<(?=\/?ctx-)/gi, "&lt;").replace(/\n*$/, "\n");
  const [cut, end] = ["\n[cut here]\n", "</ctx-attached>\n"];
  const text = await within(whole, room - (await count(begin + cut + end)), count);
  if (!text.trim()) return undefined;
  const isCut = text.length < whole.length;
  const made = `${begin}${text}${isCut ? cut : ""}${end}`;
  return { text: made, tokens: await count(made), isCut };
}

/** The day of one item of an answer; empty where its delimiter names none. `span` counts bytes. */
export function spanDate(text: string, span: { start: number; end: number } | undefined): string {
  const [first = ""] = span ? Buffer.from(text).subarray(span.start, span.end).toString().split("\n") : [];
  return /^<[^>]* date="([\d-]+)"/.exec(first)?.[1] ?? "";
}

/** The text of one item of an answer, without its delimiters. `span` counts bytes. */
export function spanText(text: string, span: { start: number; end: number } | undefined): string {
  if (!span) return "";
  const lines = Buffer.from(text).subarray(span.start, span.end).toString().trim().split("\n");
  return lines.slice(1, -1).join("\n").trim();
}
