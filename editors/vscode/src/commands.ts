/** The commands of the palette. */
import * as vscode from "vscode";
import type { Server } from "./server";
import { statusLines } from "./text";
import { showTurn } from "./turns";

type Action = (server: Server) => Promise<void>;

async function choose(server: Server, title: string): Promise<string | undefined> {
  const { conversations } = await server.contract.conversationList({ limit: 100 });
  if (conversations.length === 0) {
    void vscode.window.showInformationMessage("Contexture: there is no conversation yet.");
    return undefined;
  }
  const items = conversations.map((c) => ({ label: c.title || c.id, description: `${c.turnCount} turns`, detail: c.id, id: c.id }));
  return (await vscode.window.showQuickPick(items, { title, matchOnDetail: true }))?.id;
}

async function pause(server: Server, on: boolean): Promise<void> {
  await vscode.workspace.getConfiguration("contexture").update("index.paused", on || undefined, vscode.ConfigurationTarget.Workspace);
  server.output.info(on ? "indexing is paused" : "indexing goes on");
}

const actions: Record<string, { title: string; run: Action }> = {
  showPanel: {
    title: "$(book) Show the panel",
    run: async () => {
      await vscode.commands.executeCommand("contexture.panel.focus");
    },
  },
  rebuildIndex: {
    title: "$(refresh) Rebuild the index",
    run: async (server) => {
      await server.contract.indexRebuild();
      void vscode.window.showInformationMessage("Contexture: the index is being rebuilt; the old one answers until then.");
    },
  },
  showWhy: {
    title: "$(question) Why is this file (not) indexed?",
    run: async (server) => {
      const uri = vscode.window.activeTextEditor?.document.uri;
      if (uri?.scheme !== "file") {
        void vscode.window.showInformationMessage("Contexture: open the file first.");
        return;
      }
      const why = await server.contract.indexWhy({ textDocument: { uri: uri.toString() } });
      const source = why.source ? ` (${why.source}${why.line ? `:${why.line}` : ""})` : "";
      void vscode.window.showInformationMessage(`Contexture: ${why.indexed ? "indexed" : "not indexed"}${why.rule ? `: ${why.rule}` : ""}${source}`);
    },
  },
  pauseIndex: { title: "$(debug-pause) Pause indexing", run: (server) => pause(server, true) },
  resumeIndex: { title: "$(play) Resume indexing", run: (server) => pause(server, false) },
  openTurn: {
    title: "$(comment-discussion) Open a turn…",
    run: async (server) => {
      const id = await choose(server, "Conversation");
      const turnId = id && (await vscode.window.showInputBox({ prompt: "Turn", value: "T-1", validateInput: (v) => (/^T-\d+$/.test(v) ? undefined : "A turn is T-<number>.") }));
      if (id && turnId) await showTurn(id, turnId);
    },
  },
  forgetConversation: {
    title: "$(trash) Forget a conversation…",
    run: async (server) => {
      const id = await choose(server, "Forget permanently");
      const sure = id && (await vscode.window.showWarningMessage(`Forget the conversation "${id}" permanently?`, { modal: true }, "Forget"));
      if (id && sure) await server.contract.conversationDelete({ conversationId: id });
    },
  },
  showOutput: {
    title: "$(output) Show output",
    run: (server) => {
      server.output.show();
      return Promise.resolve();
    },
  },
  restartServer: { title: "$(debug-restart) Restart the server", run: (server) => server.restart() },
};

async function showStatus(server: Server): Promise<void> {
  const { status, problem } = server.condition;
  const facts = problem ? [problem] : status ? statusLines(status) : ["Contexture is starting"];
  const items: (vscode.QuickPickItem & { run?: Action })[] = [
    ...facts.map((label) => ({ label })),
    { label: "Actions", kind: vscode.QuickPickItemKind.Separator },
    ...Object.values(actions).map(({ title, run }) => ({ label: title, run })),
  ];
  const choice = await vscode.window.showQuickPick(items, { title: "Contexture" });
  await choice?.run?.(server);
}

/** Registers the commands. What goes wrong in one is shown. */
export function registerCommands(server: Server): vscode.Disposable {
  const all: [string, Action][] = [["showStatus", showStatus], ...Object.entries(actions).map(([name, { run }]): [string, Action] => [name, run])];
  return vscode.Disposable.from(
    ...all.map(([name, run]) =>
      vscode.commands.registerCommand(`contexture.${name}`, async () => {
        try {
          await run(server);
        } catch (error) {
          void vscode.window.showErrorMessage(`Contexture: ${error instanceof Error ? error.message : String(error)}`);
        }
      }),
    ),
  );
}
