/** What was learned from conversations: topics, people and things, and what a person can do with them. */
import * as vscode from "vscode";
import type { Profile } from "./contract.gen";
import type { Server } from "./server";
import { showTurn } from "./turns";

interface Choice extends vscode.QuickPickItem {
  run: () => Promise<unknown>;
}

/** Lists topics, people and things; the chosen one shows what is known of it. */
export async function showLearned(server: Server): Promise<void> {
  const [{ topics }, { entities }] = await Promise.all([server.contract.knowledgeTopics(), server.contract.knowledgeEntities()]);
  if (topics.length + entities.length === 0) {
    const choice = await vscode.window.showInformationMessage(vscode.l10n.t("Contexture: nothing was learned from conversations yet."), vscode.l10n.t("Learn Now"));
    if (choice) await learn(server);
    return;
  }
  const item = (id: string, label: string, kind: string, turns: number, trend: string, names: string[], pinned: boolean | undefined): Choice => ({
    label: `${pinned ? "$(pinned) " : ""}${label}`,
    description: [kind, turns === 1 ? vscode.l10n.t("1 turn") : vscode.l10n.t("{0} turns", turns), trend].join(", "),
    detail: names.join(", "),
    run: () => showProfile(server, id),
  });
  const heading = (label: string): vscode.QuickPickItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const choice = await vscode.window.showQuickPick<vscode.QuickPickItem | Choice>(
    [
      heading(vscode.l10n.t("Topics")),
      ...topics.map((t) => item(t.id, t.topic, vscode.l10n.t("topic"), t.turnCount, t.trend, t.names, t.pinned)),
      heading(vscode.l10n.t("People and things")),
      ...entities.map((e) => item(e.id, e.name, e.kind, e.turnCount, e.trend, e.names, e.pinned)),
    ],
    { title: vscode.l10n.t("What was learned"), matchOnDescription: true, matchOnDetail: true },
  );
  if (choice && "run" in choice) await choice.run();
}

/** Shows what is known of a topic or an entity: its quotations open their turns. */
async function showProfile(server: Server, id: string): Promise<void> {
  const { profile } = await server.contract.knowledgeProfile({ id });
  const said = profile.statements.map(({ part, quotation: q }): Choice => ({
    label: q.text.replace(/\s+/g, " "),
    description: part,
    detail: [q.at?.slice(0, 10), q.conversationId, q.turnId].filter(Boolean).join(" · "),
    run: () => showTurn(q.conversationId, q.turnId),
  }));
  const choice = await vscode.window.showQuickPick<vscode.QuickPickItem | Choice>(
    [...said, { label: vscode.l10n.t("Change"), kind: vscode.QuickPickItemKind.Separator }, ...changes(server, profile)],
    { title: `${profile.label}: ${profile.kind}, ${vscode.l10n.t("{0} turns", profile.turnCount)}`, matchOnDetail: true },
  );
  if (choice && "run" in choice) await choice.run();
}

function changes(server: Server, profile: Profile): Choice[] {
  const { id, label } = profile;
  return [
    {
      label: `$(edit) ${vscode.l10n.t("Rename…")}`,
      run: async () => {
        const name = await vscode.window.showInputBox({ prompt: vscode.l10n.t("New name of {0}", label), value: label });
        if (name) await server.contract.knowledgeSteer({ id, act: "rename", label: name });
      },
    },
    {
      label: `$(combine) ${vscode.l10n.t("Merge into…")}`,
      run: async () => {
        const others =
          profile.kind === "topic"
            ? (await server.contract.knowledgeTopics()).topics.map((t) => ({ id: t.id, label: t.topic }))
            : (await server.contract.knowledgeEntities()).entities.map((e) => ({ id: e.id, label: e.name }));
        const into = await vscode.window.showQuickPick(others.filter((o) => o.id !== id), { title: vscode.l10n.t("Merge {0} into", label) });
        if (into) await server.contract.knowledgeSteer({ id, act: "merge", into: into.id });
      },
    },
    profile.pinned
      ? { label: `$(pinned) ${vscode.l10n.t("Unpin")}`, run: () => server.contract.knowledgeSteer({ id, act: "unpin" }) }
      : { label: `$(pin) ${vscode.l10n.t("Pin")}`, run: () => server.contract.knowledgeSteer({ id, act: "pin" }) },
    {
      label: `$(trash) ${vscode.l10n.t("Forget…")}`,
      run: async () => {
        const sure = await vscode.window.showWarningMessage(vscode.l10n.t("Never find “{0}” again?", label), { modal: true }, vscode.l10n.t("Forget"));
        if (sure) await server.contract.knowledgeSteer({ id, act: "forget" });
      },
    },
  ];
}

/** Runs the learning. Its progress is in the status bar. */
export async function learn(server: Server): Promise<void> {
  const done = await server.contract.knowledgeProcess();
  void vscode.window.showInformationMessage(vscode.l10n.t("Contexture: {0} topics, {1} lessons and {2} references are known.", done.topics, done.lessons, done.references));
}
