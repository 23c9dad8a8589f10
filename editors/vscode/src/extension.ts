/** The extension for VS Code: it starts one language client for the window and shows what that knows. */
import * as vscode from "vscode";
import { registerCapture } from "./capture";
import { registerCommands } from "./commands";
import { registerIgnore } from "./ignore";
import { PanelView } from "./panel";
import { registerParticipant } from "./participant";
import { Server } from "./server";
import { registerStatus } from "./status";
import { registerTools } from "./tools";
import { showTurn, Turns, turnScheme } from "./turns";
import { registerConversations, type ConversationsView } from "./views/conversations";
import { registerIndex, type IndexView } from "./views/index";
import { registerRules, type RulesView } from "./views/rules";

/** What tests and other extensions get. */
export interface Api {
  readonly server: Server;
  readonly views: { rules: RulesView; conversations: ConversationsView; index: IndexView };
  /** What activation took of a processor, in milliseconds: on a busy machine a clock counts others' work too. */
  readonly activated: number;
}

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): Api {
  const begin = process.cpuUsage();
  const running = (server = new Server(context.extensionUri, showTurn));
  const panel = new PanelView(context.extensionUri, running);
  const rules = registerRules(running);
  const conversations = registerConversations(running);
  const index = registerIndex(running);
  context.subscriptions.push(
    registerStatus(running),
    rules.subscription,
    conversations.subscription,
    index.subscription,
    registerIgnore(running),
    registerCapture(running),
    vscode.window.registerWebviewViewProvider("contexture.panel", panel, { webviewOptions: { retainContextWhenHidden: true } }),
    vscode.workspace.registerTextDocumentContentProvider(turnScheme, new Turns(() => running.contract)),
    vscode.workspace.onDidChangeWorkspaceFolders(() => { panel.refresh(); }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("contexture.client")) void running.restart();
    }),
    registerCommands(running),
    registerTools(running),
    registerParticipant(running, context.extensionUri),
  );
  running.start();
  const views = { rules: rules.view, conversations: conversations.view, index: index.view };
  const { user, system } = process.cpuUsage(begin);
  return { server: running, views, activated: (user + system) / 1000 };
}

export async function deactivate(): Promise<void> {
  await server?.stop();
  server = undefined;
}
