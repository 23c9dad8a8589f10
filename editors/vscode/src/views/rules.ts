/** The view "Rules and Decisions": what is in force, what waits to be accepted, and what was replaced. */
import * as vscode from "vscode";
import type { KnowledgeItem } from "../contract.gen";
import { slices } from "../pages";
import { register } from "../register";
import type { Root, Server } from "../server";
import { showTurn } from "../turns";
import { longTime, shortTime } from "../when";
import { at, line, oneLine, quoted, View, type Line } from "./tree";

/** The line of an item, for the actions on it. */
export interface RuleLine extends Line {
  readonly entry: KnowledgeItem;
  readonly root: Root | undefined;
}

/** How many items of a group are shown at first. */
const firstPage = 100;

/** The items in the groups that the view shows. */
export interface Groups {
  active: KnowledgeItem[];
  candidates: KnowledgeItem[];
  decisions: KnowledgeItem[];
  replaced: KnowledgeItem[];
}

/** Sorts items into groups. The order within a group stays. */
export function grouped(items: readonly KnowledgeItem[]): Groups {
  const groups: Groups = { active: [], candidates: [], decisions: [], replaced: [] };
  for (const item of items) {
    if (item.state === "superseded") groups.replaced.push(item);
    else if (item.state === "candidate") groups.candidates.push(item);
    else if (item.kind === "rule") groups.active.push(item);
    else groups.decisions.push(item);
  }
  return groups;
}

export class RulesView extends View {
  constructor(server: Server) {
    super(server, "contexture.rules", ["memory", "learning"]);
  }

  protected emptyText(): string {
    return vscode.l10n.t("No rules or decisions yet");
  }

  protected async lines(root: Root | undefined, parent: Line | undefined): Promise<Line[]> {
    const { contract } = this.server;
    const [rules, references] = await Promise.all([
      contract.knowledgeList({ ...at(root), kind: "rule", superseded: true }),
      contract.knowledgeList({ ...at(root), kind: "reference", superseded: true }),
    ]);
    const items = [...rules.items, ...references.items.filter((item) => item.label === "decision")];
    const titles = new Map(items.map((item) => [item.id, textOf(item)]));
    const groups = grouped(items);
    const group = (key: keyof Groups, label: string, icon: string, isOpen: boolean): Line[] =>
      groups[key].length === 0
        ? []
        : [
            line(parent, `${root?.workspace ?? ""}|${key}`, { label, description: String(groups[key].length), icon, isOpen, context: "group" }, (self) =>
              this.paged(self, self.id, firstPage, slices(groups[key]), (item) => this.entry(self, root, item, titles)),
            ),
          ];
    return [
      ...group("candidates", vscode.l10n.t("Candidates"), "lightbulb", true),
      ...group("active", vscode.l10n.t("Active Rules"), "checklist", true),
      ...group("decisions", vscode.l10n.t("Decisions"), "law", true),
      ...group("replaced", vscode.l10n.t("Replaced"), "history", false),
    ];
  }

  private entry(parent: Line, root: Root | undefined, item: KnowledgeItem, titles: ReadonlyMap<string, string>): RuleLine {
    const successor = item.supersededBy === undefined ? undefined : titles.get(item.supersededBy);
    const quotation = item.quotations.find((q) => q.turnId);
    const context = ["entry", item.kind, item.state === "candidate" && "accept", item.state !== "superseded" && "edit", quotation && "turn"].filter(Boolean).join(" ");
    const command = quotation && { command: "contexture.openQuotation", title: vscode.l10n.t("Open Turn") };
    const made = line(parent, `${root?.workspace ?? ""}|item|${item.id}`, {
      label: oneLine(textOf(item)),
      description: successor === undefined ? origin(item) : vscode.l10n.t("replaced by “{0}”", oneLine(successor, 60)),
      tooltip: explained(item, successor),
      icon: icons[item.state === "confirmed" && item.kind !== "rule" ? "decision" : item.state],
      context,
      ...(command && { command }),
    });
    const entry: RuleLine = { ...made, entry: item, root };
    if (command) entry.item.command = { ...command, arguments: [entry] };
    return entry;
  }
}

const icons = { candidate: "circle-large-outline", confirmed: "pass", decision: "law", superseded: "circle-slash" };

/** The words that the item consists of. */
function textOf(item: KnowledgeItem): string {
  return item.content.trim() || item.title;
}

/** Where an item comes from, in few letters. */
function origin(item: KnowledgeItem): string {
  const quotation = item.quotations.find((q) => q.turnId);
  const day = shortTime(quotation?.at ?? item.createdAt, new Date(), vscode.env.language);
  return [quotation?.turnId ?? vscode.l10n.t("added by you"), day].filter(Boolean).join(" · ");
}

/** All that is known of an item. */
function explained(item: KnowledgeItem, successor: string | undefined): vscode.MarkdownString {
  const said = item.quotations.map((q) => {
    const source = [q.author, q.turnId, q.conversationId || q.path, longTime(q.at, vscode.env.language)].filter(Boolean).join(" · ");
    return `> ${quoted(oneLine(q.text, 1000))}\n>\n> — ${quoted(source)}`;
  });
  const facts = [
    item.why && vscode.l10n.t("Why: {0}", quoted(item.why)),
    item.scope && vscode.l10n.t("Concerns: {0}", quoted(item.scope)),
    successor !== undefined && vscode.l10n.t("Replaced by: {0}", quoted(oneLine(successor))),
  ].filter((fact) => typeof fact === "string");
  return new vscode.MarkdownString([`**${quoted(textOf(item).slice(0, 2000))}**`, ...said, ...facts].join("\n\n"));
}

/** Asks for the new words of an item. */
async function edit(server: Server, { entry, root }: RuleLine): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: entry.kind === "rule" ? vscode.l10n.t("Edit Rule") : vscode.l10n.t("Edit Decision"),
    value: entry.content,
    validateInput: (value) => (value.trim() ? undefined : vscode.l10n.t("The text is empty. To remove it, use Remove.")),
  });
  if (text === undefined || text === entry.content || entry.kind === "episode" || entry.kind === "month") return;
  const { id, kind, topics, keywords, weight, sourceTurns } = entry;
  await server.contract.knowledgePut({ ...at(root), id, kind, title: oneLine(text, 80), content: text, topics, keywords, weight, sourceTurns });
}

async function remove(server: Server, { entry, root }: RuleLine): Promise<void> {
  const action = vscode.l10n.t("Remove");
  const question = vscode.l10n.t("Remove “{0}”? No bundle shows it from then on.", oneLine(textOf(entry), 120));
  const sure = await vscode.window.showWarningMessage(question, { modal: true }, action);
  if (sure) await server.contract.knowledgeDelete({ ...at(root), id: entry.id });
}

async function add(server: Server, kind: "rule" | "decision", of: RuleLine | undefined): Promise<void> {
  const root = of?.root ?? (await chooseRoot(server));
  if (root === null) return;
  const text = await vscode.window.showInputBox({
    title: kind === "rule" ? vscode.l10n.t("Add a Rule") : vscode.l10n.t("Add a Decision"),
    prompt: kind === "rule" ? vscode.l10n.t("Every bundle shows it from now on.") : vscode.l10n.t("It comes back where a prompt concerns it."),
    placeHolder: kind === "rule" ? vscode.l10n.t("Use tabs, not spaces.") : vscode.l10n.t("Payments are retried three times."),
  });
  if (!text?.trim()) return;
  const { replaced } = await server.contract.remember({ ...at(root), kind, text });
  if (replaced.length > 0) void vscode.window.showInformationMessage(vscode.l10n.t("Contexture: the new rule replaces {0}.", replaced.map((item) => `“${oneLine(textOf(item), 60)}”`).join(", ")));
}

/** The folder that an action without one concerns; null where the person chose none. */
export async function chooseRoot(server: Server): Promise<Root | undefined | null> {
  const roots = server.roots();
  if (roots.length < 2) return roots[0];
  const choice = await vscode.window.showQuickPick(roots.map((root) => ({ label: root.name, description: root.uri.fsPath, root })), { title: vscode.l10n.t("Folder") });
  return choice?.root ?? null;
}

/** Registers the view and its actions. */
export function registerRules(server: Server): { view: RulesView; subscription: vscode.Disposable } {
  const view = new RulesView(server);
  const change = (run: (of: RuleLine) => Promise<unknown>) => async (of: RuleLine): Promise<void> => {
    await run(of);
    view.refresh();
  };
  const subscription = vscode.Disposable.from(
    view,
    register("acceptRule", change(({ entry, root }) => server.contract.knowledgeAccept({ ...at(root), id: entry.id }))),
    register("editRule", change((of) => edit(server, of))),
    register("removeRule", change((of) => remove(server, of))),
    register("openQuotation", async ({ entry, root }: RuleLine) => {
      const quotation = entry.quotations.find((q) => q.turnId);
      if (quotation) await showTurn(quotation.conversationId, quotation.turnId, root?.workspace);
    }),
    register("addRule", async (of?: RuleLine) => {
      await add(server, "rule", of);
      view.refresh();
    }),
    register("addDecision", async (of?: RuleLine) => {
      await add(server, "decision", of);
      view.refresh();
    }),
    register("refreshRules", () => {
      view.refresh();
      return Promise.resolve();
    }),
  );
  return { view, subscription };
}
