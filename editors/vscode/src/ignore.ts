/** Which files the index holds: why, and how a person changes that. */
import * as vscode from "vscode";
import type { WhyResult } from "./contract.gen";
import { patternOf } from "./pattern";
import { register } from "./register";
import type { Root, Server } from "./server";

/** The file in which a folder's own patterns stand. */
const ignoreFile = ".contextureignore";

/** A file or folder in a folder of the window. */
export interface Place {
  uri: vscode.Uri;
  root: Root;
  /** Below the root, with slashes. */
  path: string;
}

/** What a command is about: what the explorer or a line names, else the file in the editor. */
export function placeOf(server: Server, given: unknown): Place {
  const named = given instanceof vscode.Uri ? given : (given as { item?: vscode.TreeItem } | undefined)?.item?.resourceUri;
  const uri = named ?? vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== "file") throw new Error(vscode.l10n.t("Open a file first, or choose one in the explorer."));
  const root = server.rootOf(uri);
  if (!root) throw new Error(vscode.l10n.t("{0} lies outside the open folders.", uri.fsPath));
  return { uri, root, path: uri.path.slice(root.uri.path.replace(/\/$/, "").length + 1) };
}

async function isFolder(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.Directory) !== 0;
  } catch {
    return false; // a file that is gone may still be named
  }
}

/** The line of a rule. */
export function openableRule(root: Root, source: string, line: number | undefined): vscode.Location {
  const file = source.startsWith("/") ? vscode.Uri.file(source) : vscode.Uri.joinPath(root.uri, source);
  return new vscode.Location(file, new vscode.Position(Math.max(0, (line ?? 1) - 1), 0));
}

/** Opens the line of a rule, or the setting. */
export async function openRule(root: Root, source: string, line: number | undefined): Promise<void> {
  if (isSetting(source)) {
    await vscode.commands.executeCommand("workbench.action.openSettings", `contexture.${source}`);
    return;
  }
  const { uri, range } = openableRule(root, source, line);
  await vscode.window.showTextDocument(uri, { selection: range, preview: true });
}

/** Reports whether a rule comes from a setting rather than from a file. */
export function isSetting(source: string): boolean {
  return source.startsWith("index.");
}

/** Reports whether a rule stands where `openRule` can show it. */
export function isOpenable(source: string | undefined): source is string {
  return source !== undefined && source !== "builtin";
}

/** Says whether a file is indexed, and by which rule. */
export function whyText(path: string, why: WhyResult): string {
  if (why.source === "builtin" && why.rule === "directory") return vscode.l10n.t("{0} is a folder that no rule excludes", path);
  if (why.source === "builtin" && why.rule === "notFound") return vscode.l10n.t("{0} does not exist", path);
  if (why.indexed) return why.rule ? vscode.l10n.t("{0} is indexed: {1}", path, ruleText(why)) : vscode.l10n.t("{0} is indexed: no rule excludes it", path);
  return vscode.l10n.t("{0} is not indexed: {1}", path, ruleText(why));
}

/** A rule with the file and line that hold it. */
export function ruleText({ rule, source, line }: { rule?: string; source?: string; line?: number }): string {
  const place = isOpenable(source) ? `${source}${line ? `:${line}` : ""}` : "";
  return [rule, place && `(${place})`].filter(Boolean).join(" ");
}

async function showWhy(server: Server, given: unknown): Promise<void> {
  const { uri, root, path } = placeOf(server, given);
  const why = await server.contract.indexWhy({ workspace: root.workspace, textDocument: { uri: uri.toString() } });
  tellWhy(root, uri, whyText(path, why), why);
}

function tellWhy(root: Root, uri: vscode.Uri, text: string, why: WhyResult): void {
  const open = vscode.l10n.t("Open Rule");
  const include = vscode.l10n.t("Include");
  const actions = [...(isOpenable(why.source) ? [open] : []), ...(!why.indexed && isOpenable(why.source) ? [include] : [])];
  // Nobody has to answer: the command ends when the text is shown.
  void vscode.window.showInformationMessage(`Contexture: ${text}`, ...actions).then(async (choice) => {
    if (choice === open && why.source !== undefined) await openRule(root, why.source, why.line);
    if (choice === include) await vscode.commands.executeCommand("contexture.includeInContext", uri);
  });
}

async function exclude(server: Server, given: unknown): Promise<void> {
  const { uri, root, path } = placeOf(server, given);
  if (path === "") throw new Error(vscode.l10n.t("A whole workspace folder cannot be excluded. Close it, or switch the setting contexture.enabled off for it."));
  if (!(await server.offers("contexture.index.exclude"))) throw new Error(tooOld());
  const pattern = patternOf(path, await isFolder(uri));
  await server.contract.indexExclude({ workspace: root.workspace, pattern });
  const undo = vscode.l10n.t("Undo");
  void vscode.window.showInformationMessage(vscode.l10n.t("Contexture: {0} is excluded by {1}.", path, ignoreFile), undo).then(async (choice) => {
    if (choice === undo) await server.contract.indexExclude({ workspace: root.workspace, pattern, remove: true });
  });
}

function tooOld(): string {
  return vscode.l10n.t("The program contexture is older than this extension and cannot do that. Install the current version and restart the server.");
}

/** Takes back what excludes a file: the line of the folder's own ignore file, else with the setting `index.include`. */
async function include(server: Server, given: unknown): Promise<void> {
  const { uri, root, path } = placeOf(server, given);
  const why = await server.contract.indexWhy({ workspace: root.workspace, textDocument: { uri: uri.toString() } });
  if (why.indexed) {
    void vscode.window.showInformationMessage(`Contexture: ${whyText(path, why)}`);
    return;
  }
  if (why.source === ignoreFile && why.rule !== undefined) {
    if (!(await server.offers("contexture.index.exclude"))) throw new Error(tooOld());
    const action = vscode.l10n.t("Remove Line");
    const question = vscode.l10n.t("Remove the line “{0}” from {1}?", why.rule, ignoreFile);
    const isOwn = why.rule === patternOf(path, true) || why.rule === patternOf(path, false);
    const sure = isOwn ? action : await vscode.window.showWarningMessage(question, { modal: true, detail: vscode.l10n.t("All that it matches is indexed from then on.") }, action);
    if (sure) await server.contract.indexExclude({ workspace: root.workspace, pattern: why.rule, remove: true });
    return;
  }
  if (!isOpenable(why.source)) throw new Error(vscode.l10n.t("{0} is not indexed, and no setting changes that: {1}", path, why.rule ?? ""));
  const config = vscode.workspace.getConfiguration("contexture", root.uri);
  const pattern = patternOf(path, await isFolder(uri));
  const several = (vscode.workspace.workspaceFolders ?? []).length > 1;
  const target = several ? vscode.ConfigurationTarget.WorkspaceFolder : vscode.ConfigurationTarget.Workspace;
  const present = config.get<string[]>("index.include", []);
  if (!present.includes(pattern)) await config.update("index.include", [...present, pattern], target);
  void vscode.window.showInformationMessage(vscode.l10n.t("Contexture: {0} is included by the setting contexture.index.include.", path));
}

/** Registers the commands. */
export function registerIgnore(server: Server): vscode.Disposable {
  return vscode.Disposable.from(
    register("showWhy", (given?: unknown) => showWhy(server, given)),
    register("excludeFromContext", (given?: unknown) => exclude(server, given)),
    register("includeInContext", (given?: unknown) => include(server, given)),
    register("openIgnoreRule", (root: Root, source: string, line?: number) => openRule(root, source, line)),
  );
}
