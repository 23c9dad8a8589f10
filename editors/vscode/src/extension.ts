/** The extension for VS Code: it starts one language client for the window and shows what that knows. */
import * as vscode from "vscode";
import { registerCommands } from "./commands";
import { registerMcp } from "./mcp";
import { PanelView } from "./panel";
import { registerParticipant } from "./participant";
import { Presence } from "./presence";
import { Server } from "./server";
import { statusText } from "./text";
import { registerTools } from "./tools";
import { showTurn, Turns, turnScheme } from "./turns";

/** What tests and other extensions get. */
export interface Api {
  readonly server: Server;
  readonly presence: Presence;
  /** How long activation took, in milliseconds. */
  readonly activated: number;
}

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): Api {
  const begin = performance.now();
  const { version } = context.extension.packageJSON as { version: string };
  const running = (server = new Server(context.extensionUri, showTurn));
  const presence = new Presence(running);
  const panel = new PanelView(context.extensionUri, running);
  const item = vscode.window.createStatusBarItem("contexture.status", vscode.StatusBarAlignment.Left, 10);
  item.name = "Contexture";
  item.command = "contexture.showStatus";
  const show = (): void => {
    const { status, running: runs, problem } = running.condition;
    const { text, tooltip, problem: bad } = statusText(status, runs);
    item.text = text;
    item.tooltip = problem ?? tooltip;
    item.accessibilityInformation = { label: problem ?? tooltip };
    item.backgroundColor = bad ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
  };
  context.subscriptions.push(
    item,
    running.onChanged(show),
    vscode.window.registerWebviewViewProvider("contexture.panel", panel, { webviewOptions: { retainContextWhenHidden: true } }),
    vscode.workspace.registerTextDocumentContentProvider(turnScheme, new Turns(() => running.contract)),
    vscode.workspace.onDidChangeWorkspaceFolders(() => { panel.refresh(); }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("contexture.client")) void running.restart();
    }),
    registerCommands(running),
    registerTools(running),
    registerParticipant(running, presence, context.extensionUri),
    presence,
    registerMcp(running, version),
  );
  show();
  item.show();
  running.start();
  return { server: running, presence, activated: performance.now() - begin };
}

export async function deactivate(): Promise<void> {
  await server?.stop();
  server = undefined;
}
