/** What a person attaches to a question in the chat: files, selections, symbols, and texts. */
import * as vscode from "vscode";
import { attachedText, type Attachment } from "./modeltext";
import { place, visibleDocuments } from "./panel";
import type { Server } from "./server";

/** What was attached, as far as it has room. */
export interface Attached {
  /** For the model; empty where nothing was attached. */
  text: string;
  tokens: number;
  /** What the answer used of it. */
  used: (vscode.Uri | vscode.Location)[];
  /** The names of what is cut or left out: it has no room, or is no text. */
  cut: string[];
  /** Patterns of the files that are in it as a whole: a bundle need not repeat them. */
  exclude: string[];
}

/** The files of a folder that a model is told of, at most. */
const mostNames = 200;

/** What VS Code adds by itself to show where the person is: the place counts, the text was not asked for. */
const isPlace = /^vscode\.implicit\.(file|viewport)$/;

interface Read extends Attachment {
  location?: vscode.Uri | vscode.Location;
}

/**
 * Reads what was attached, in its order, as far as there is room.
 *
 * @param count counts the tokens of a text as the model does
 */
export async function readAttached(references: readonly vscode.ChatPromptReference[], room: number, count: (text: string) => Thenable<number>): Promise<Attached> {
  const attached: Attached = { text: "", tokens: 0, used: [], cut: [], exclude: [] };
  const seen = new Set<string>(); // VS Code names a selection again that was attached
  for (const { id, value } of references) {
    const key = JSON.stringify(value);
    if (isPlace.test(id) || seen.has(key)) continue;
    seen.add(key);
    const read = await readOne(id, value);
    const fitting = read && (await attachedText(read, room - attached.tokens, count));
    if (!fitting || fitting.isCut) attached.cut.push(read?.name ?? nameOf(value) ?? id);
    if (!read || !fitting) continue;
    attached.text += fitting.text;
    attached.tokens += fitting.tokens;
    if (read.location) attached.used.push(read.location);
    if (read.location instanceof vscode.Uri && !fitting.isCut) attached.exclude.push(read.name.replace(/[\\*?[\]{}]/g, "\\$&"));
  }
  return attached;
}

/** Where the person is: what they attached first, else what they see. Arguments of a bundle. */
export function placeFor(server: Server, references: readonly vscode.ChatPromptReference[]): object {
  const [first] = references.map(({ value }) => value).filter((value) => value instanceof vscode.Uri || value instanceof vscode.Location);
  if (!first) return place();
  const [uri, range] = first instanceof vscode.Location ? [first.uri, first.range] : [first, undefined];
  const root = server.rootOf(uri);
  return {
    visibleDocuments: visibleDocuments(),
    textDocument: { uri: uri.toString() },
    ...(range && { position: range.start }),
    ...(range && !range.isEmpty && { selection: { start: range.start, end: range.end } }),
    ...(root && server.roots().length > 1 && { workspace: root.workspace }),
  };
}

function nameOf(value: unknown): string | undefined {
  const uri = value instanceof vscode.Location ? value.uri : value;
  return uri instanceof vscode.Uri ? vscode.workspace.asRelativePath(uri, false) : undefined;
}

/** Reads one; undefined for what is no text, such as a picture. */
async function readOne(id: string, value: unknown): Promise<Read | undefined> {
  if (typeof value === "string") return { name: id, text: value };
  const name = nameOf(value);
  if (name === undefined) return undefined;
  try {
    if (value instanceof vscode.Location) {
      const { range } = value;
      const text = (await vscode.workspace.openTextDocument(value.uri)).getText(range);
      return { name, text, first: range.start.line + 1, last: range.end.line + (range.end.character > 0 || range.isEmpty ? 1 : 0), location: value };
    }
    const uri = value as vscode.Uri;
    if (((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.Directory) === 0) return { name, text: (await vscode.workspace.openTextDocument(uri)).getText(), location: uri };
    const files = await vscode.workspace.findFiles(new vscode.RelativePattern(uri, "**"), undefined, mostNames);
    return { name: `${name}/`, text: files.map((file) => vscode.workspace.asRelativePath(file, false)).sort().join("\n") };
  } catch {
    return undefined; // it is binary, too large for the editor, or gone
  }
}
