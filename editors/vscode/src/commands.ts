/** The commands of the palette that belong to no view. */
import * as vscode from "vscode";
import { learn, showLearned } from "./learned";
import { register } from "./register";
import type { Server } from "./server";
import { learningText, receiptText, statusLines } from "./text";
import { showTurn } from "./turns";
import { openWalkthrough } from "./walkthrough";

type Action = (server: Server) => Promise<void>;

interface Named {
  icon: string;
  title: () => string;
  run: Action;
}

async function choose(server: Server, title: string): Promise<string | undefined> {
  const { conversations } = await server.contract.conversationList({ limit: 100 });
  if (conversations.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("Contexture: there is no conversation yet."));
    return undefined;
  }
  const items = conversations.map((c) => ({ label: c.title || c.id, description: vscode.l10n.t("{0} turns", c.turnCount), detail: c.id, id: c.id }));
  return (await vscode.window.showQuickPick(items, { title, matchOnDetail: true }))?.id;
}

async function pause(server: Server, on: boolean): Promise<void> {
  await vscode.workspace.getConfiguration("contexture").update("index.paused", on || undefined, vscode.ConfigurationTarget.Workspace);
  server.output.info(on ? "indexing is paused" : "indexing goes on");
}

async function execute(command: string, ...args: unknown[]): Promise<void> {
  await vscode.commands.executeCommand(command, ...args);
}

const actions: Record<string, Named> = {
  showPanel: { icon: "book", title: () => vscode.l10n.t("Show the context of a prompt"), run: () => execute("contexture.panel.focus") },
  showLearned: { icon: "lightbulb", title: () => vscode.l10n.t("Topics, people and things…"), run: showLearned },
  learn: { icon: "mortar-board", title: () => vscode.l10n.t("Learn from conversations now"), run: learn },
  rebuildIndex: {
    icon: "refresh",
    title: () => vscode.l10n.t("Rebuild the index"),
    run: async (server) => {
      const roots = server.roots();
      if (roots.length < 2) await server.contract.indexRebuild();
      else await Promise.all(roots.map(({ workspace }) => server.contract.indexRebuild({ workspace })));
      void vscode.window.showInformationMessage(vscode.l10n.t("Contexture: the index is being rebuilt; the old one answers until then."));
    },
  },
  pauseIndex: { icon: "debug-pause", title: () => vscode.l10n.t("Pause indexing"), run: (server) => pause(server, true) },
  resumeIndex: { icon: "play", title: () => vscode.l10n.t("Resume indexing"), run: (server) => pause(server, false) },
  openTurn: {
    icon: "comment-discussion",
    title: () => vscode.l10n.t("Open a turn…"),
    run: async (server) => {
      const id = await choose(server, vscode.l10n.t("Conversation"));
      const validateInput = (value: string): string | undefined => (/^T-\d+$/.test(value) ? undefined : vscode.l10n.t("A turn is T-<number>."));
      const turnId = id && (await vscode.window.showInputBox({ prompt: vscode.l10n.t("Turn"), value: "T-1", validateInput }));
      if (id && turnId) await showTurn(id, turnId);
    },
  },
  forgetConversation: {
    icon: "trash",
    title: () => vscode.l10n.t("Forget a conversation…"),
    run: async (server) => {
      const id = await choose(server, vscode.l10n.t("Forget permanently"));
      const question = vscode.l10n.t("Forget the conversation “{0}” permanently?", id ?? "");
      const sure = id && (await vscode.window.showWarningMessage(question, { modal: true }, vscode.l10n.t("Forget")));
      if (id && sure) await server.contract.conversationDelete({ conversationId: id, wipe: true });
    },
  },
  openChat: { icon: "comment", title: () => vscode.l10n.t("Ask in the chat"), run: () => execute("workbench.action.chat.open", { query: "@contexture ", isPartialQuery: true }) },
  openWalkthrough: { icon: "question", title: () => vscode.l10n.t("Open the walkthrough"), run: openWalkthrough },
  showOutput: {
    icon: "output",
    title: () => vscode.l10n.t("Show output"),
    run: (server) => {
      server.output.show();
      return Promise.resolve();
    },
  },
  restartServer: { icon: "debug-restart", title: () => vscode.l10n.t("Restart the server"), run: (server) => server.restart() },
};

/** The most that the contract lists. */
const mostConversations = 200;

/** What the memory has for the status: how the learning stands, and what assistants were given; nothing where it is switched off. */
async function memoryLines(server: Server): Promise<string[]> {
  const answers = await Promise.allSettled([
    (async () => learningText(server.condition.learning ?? (await server.contract.knowledgeStatus())))(),
    (async () => receiptText(await server.contract.receipts({ limit: mostConversations })))(),
  ]);
  return answers.flatMap((answer) => {
    if (answer.status === "rejected") server.output.info(`a line of the status is not known: ${String(answer.reason)}`);
    return (answer.status === "fulfilled" && answer.value) || [];
  });
}

async function showStatus(server: Server): Promise<void> {
  const { status, problem } = server.condition;
  const facts = problem ? [problem] : status ? statusLines(status) : [vscode.l10n.t("Contexture is starting")];
  if (!problem) facts.push(...(await memoryLines(server)));
  const isPaused = vscode.workspace.getConfiguration("contexture").get<boolean>("index.paused", false);
  const hidden = isPaused ? "pauseIndex" : "resumeIndex";
  const items: (vscode.QuickPickItem & { run?: Action })[] = [
    ...facts.map((label) => ({ label })),
    { label: vscode.l10n.t("Actions"), kind: vscode.QuickPickItemKind.Separator },
    ...Object.entries(actions).flatMap(([name, { icon, title, run }]) => (name === hidden ? [] : [{ label: `$(${icon}) ${title()}`, run }])),
  ];
  const choice = await vscode.window.showQuickPick(items, { title: "Contexture" });
  await choice?.run?.(server);
}

/** Registers the commands. What goes wrong in one is shown. */
export function registerCommands(server: Server): vscode.Disposable {
  return vscode.Disposable.from(
    register("showStatus", () => showStatus(server)),
    ...Object.entries(actions).map(([name, { run }]) => register(name, () => run(server))),
    register("loadMore", (grow: () => void) => {
      grow();
      return Promise.resolve();
    }),
  );
}
