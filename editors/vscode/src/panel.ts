/** The workbench as a view: it shows what the page of `contexture panel` shows, and executes its commands. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { commandIds, type CommandId, type Range } from "./contract.gen";
import type { Server } from "./server";
import { complete } from "./walkthrough";

/** What the view asks for. All but a cancellation are answered with their id. */
type FromView =
  | { kind: "execute"; id: number; command: string; args: object }
  | { kind: "cancel"; id: number }
  | { kind: "open"; id: number; uri: string; range?: Range }
  | { kind: "copy"; id: number; text: string };

export class PanelView implements vscode.WebviewViewProvider {
  private view: vscode.WebviewView | undefined;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
  ) {}

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    complete("context");
    const dist = vscode.Uri.joinPath(this.extension, "dist");
    view.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    const running = new Map<number, vscode.CancellationTokenSource>();
    const tell = (event: object): Thenable<boolean> => view.webview.postMessage({ event });
    const heard = [
      view.webview.onDidReceiveMessage((message: FromView) => this.hear(message, view.webview, running)),
      this.server.onEvent(tell),
      this.server.onChanged(({ running: connected }) => tell({ kind: "connection", connected })),
      vscode.window.onDidChangeActiveTextEditor(() => tell({ kind: "place", path: pathInView() })),
    ];
    view.onDidDispose(() => {
      for (const one of heard) one.dispose();
      for (const source of running.values()) source.cancel();
      this.view = undefined;
    });
    view.webview.html = this.html(view.webview, dist);
  }

  /** Redraws the view: folders or the server have changed. */
  refresh(): void {
    if (this.view) this.view.webview.html = this.html(this.view.webview, vscode.Uri.joinPath(this.extension, "dist"));
  }

  private html(webview: vscode.Webview, dist: vscode.Uri): string {
    const nonce = randomBytes(16).toString("base64");
    const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
    const roots = (vscode.workspace.workspaceFolders ?? []).map((f) => f.uri.toString());
    const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'; font-src ${webview.cspSource}`;
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Contexture</title>
<link rel="stylesheet" href="${file("workbench.css")}">
</head>
<body>
<div id="contexture" data-roots="${escape(JSON.stringify(roots))}" data-language="${escape(vscode.env.language)}" data-file="${escape(pathInView() ?? "")}"></div>
<script nonce="${nonce}" type="module" src="${file("workbench.js")}"></script>
</body>
</html>`;
  }

  private async hear(message: FromView, webview: vscode.Webview, running: Map<number, vscode.CancellationTokenSource>): Promise<void> {
    switch (message.kind) {
      case "execute":
        await this.execute(message, webview, running);
        break;
      case "cancel":
        running.get(message.id)?.cancel();
        break;
      case "copy":
        await answer(message.id, webview, () => vscode.env.clipboard.writeText(message.text));
        break;
      case "open":
        await answer(message.id, webview, () => open(message.uri, message.range));
        break;
    }
  }

  private async execute(message: FromView & { kind: "execute" }, webview: vscode.Webview, running: Map<number, vscode.CancellationTokenSource>): Promise<void> {
    const { id, command } = message;
    const source = new vscode.CancellationTokenSource();
    running.set(id, source);
    await answer(id, webview, () => {
      if (!isCommand(command)) throw new Error(vscode.l10n.t("There is no command {0}.", command));
      const args = command === "contexture.bundle" ? { ...place(), ...message.args } : message.args;
      return this.server.execute(command, args, source.token);
    });
    running.delete(id);
    source.dispose();
  }
}

/** Answers a request of the view with what comes of it. */
async function answer(id: number, webview: vscode.Webview, run: () => Thenable<unknown>): Promise<void> {
  try {
    await webview.postMessage({ id, result: await run() });
  } catch (error) {
    const { code, message: text, data } = error as { code?: number; message?: string; data?: unknown };
    await webview.postMessage({ id, error: { code, message: text ?? String(error), data } });
  }
}

function isCommand(command: string): command is CommandId {
  return (commandIds as readonly string[]).includes(command);
}

/** The URIs of the files in view. */
export function visibleDocuments(): string[] {
  return vscode.window.visibleTextEditors.map((e) => e.document.uri).filter((u) => u.scheme === "file").map(String);
}

/** Where the person is: the document, the cursor, and what else is in view. */
export function place(): object {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !["file", "untitled"].includes(editor.document.uri.scheme)) return { visibleDocuments: visibleDocuments() };
  const { active, start, end } = editor.selection;
  return {
    visibleDocuments: visibleDocuments(),
    textDocument: { uri: editor.document.uri.toString() },
    position: at(active),
    ...(editor.selection.isEmpty ? {} : { selection: { start: at(start), end: at(end) } }),
  };
}

function at(p: vscode.Position): { line: number; character: number } {
  return { line: p.line, character: p.character };
}

/** Returns the path of the document in view, relative to its folder. */
function pathInView(): string | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return uri?.scheme === "file" ? vscode.workspace.asRelativePath(uri, false) : undefined;
}

/** Opens a file at its lines. */
async function open(uri: string, range: Range | undefined): Promise<void> {
  const target = vscode.Uri.parse(uri, true);
  if (!vscode.workspace.getWorkspaceFolder(target)) throw new Error(vscode.l10n.t("{0} is outside the open folders", target.fsPath));
  const selection = range && new vscode.Range(range.start.line, 0, range.start.line, 0);
  await vscode.window.showTextDocument(target, selection ? { selection } : {});
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
