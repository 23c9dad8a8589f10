/** The view "Conversations": the latest first, each with its turns and with what was decided, asked and learned in them. */
import * as vscode from "vscode";
import type { Conversation, TimelineTurn, TurnMark, TurnsResult } from "../contract.gen";
import { register } from "../register";
import type { Root, Server } from "../server";
import { showTurn } from "../turns";
import { longTime, shortTime } from "../when";
import { at, line, note, oneLine, quoted, View, type Line } from "./tree";

/** Conversations and turns that are shown at first. */
const firstPage = 50;

/** The line of a conversation, or of a place in one, for the actions on it. */
export interface ConversationLine extends Line {
  readonly conversation: Pick<Conversation, "id" | "title">;
  /** Absent for the conversation itself. */
  readonly turnId?: string;
  readonly root: Root | undefined;
}

const markIcons: Record<TurnMark["kind"], string> = { decision: "law", question: "question", rule: "checklist", lesson: "mortar-board" };

export class ConversationsView extends View {
  private words = "";

  constructor(server: Server) {
    super(server, "contexture.conversations", ["memory"]);
  }

  /** What the list is searched for; empty for all conversations. */
  get query(): string {
    return this.words;
  }

  search(words: string): void {
    this.words = words.trim();
    this.resetPages();
    this.say({ heading: this.words && vscode.l10n.t("Conversations with “{0}”", this.words) });
    void vscode.commands.executeCommand("setContext", "contexture.isSearching", this.words !== "");
    this.refresh();
  }

  protected emptyText(): string {
    return this.words ? this.nothingFound() : vscode.l10n.t("No conversations yet");
  }

  private nothingFound(): string {
    return vscode.l10n.t("No conversation matches “{0}”", this.words);
  }

  protected async lines(root: Root | undefined, parent: Line | undefined): Promise<Line[]> {
    const id = root?.workspace ?? "";
    const isNew = await this.server.offers("contexture.conversation.turns");
    if (this.words && !isNew) return [this.unavailable(parent, id)];
    const query = this.words ? { query: this.words } : {};
    const fetch = async (limit: number, before: string | undefined): Promise<{ items: Conversation[]; next?: string | undefined }> => {
      const { conversations, next } = await this.server.contract.conversationList({ ...at(root), ...query, limit, ...(before !== undefined && { before }) });
      return { items: conversations, next };
    };
    const lines = await this.paged(parent, `${id}|conversations`, firstPage, fetch, (entry) => this.conversation(parent, root, entry, isNew));
    return this.words && lines.length === 0 ? [note(parent, `${id}|none`, { label: this.nothingFound(), icon: "search" })] : lines;
  }

  private conversation(parent: Line | undefined, root: Root | undefined, entry: Conversation, isNew: boolean): ConversationLine {
    const { language } = vscode.env;
    const title = oneLine(entry.title) || entry.id;
    const made = line(
      parent,
      `${root?.workspace ?? ""}|conversation|${entry.id}`,
      {
        label: title,
        description: [shortTime(entry.lastAt, new Date(), language), entry.source].filter(Boolean).join(" · "),
        tooltip: new vscode.MarkdownString(
          [
            `**${quoted(title)}**`,
            vscode.l10n.t("{0}, {1} messages", count(entry.turnCount), entry.messageCount),
            `${longTime(entry.startedAt, language)} – ${longTime(entry.lastAt, language)}`,
            quoted(entry.id),
          ].join("\n\n"),
        ),
        icon: entry.forkOf ? "repo-forked" : "comment-discussion",
        context: "conversation",
      },
      (self) => (isNew ? this.timeline(self, root, entry) : this.arc(self, root, entry)),
    );
    return { ...made, conversation: entry, root };
  }

  /** The turns, the latest first, each with its marks. */
  private async timeline(parent: Line, root: Root | undefined, entry: Conversation): Promise<Line[]> {
    let first: TurnsResult | undefined;
    const fetch = async (limit: number, before: string | undefined): Promise<{ items: TimelineTurn[]; next?: string | undefined }> => {
      const page = await this.server.contract.conversationTurns({ ...at(root), conversationId: entry.id, limit, ...(before !== undefined && { before }) });
      first ??= page;
      return { items: [...page.turns].reverse(), next: page.next };
    };
    const forks = (turnId: string): string[] => (first?.forks ?? []).filter((fork) => fork.turnId === turnId).map((fork) => fork.conversationId);
    const lines = await this.paged(parent, `${parent.id}|turns`, firstPage, fetch, (turn) => this.turn(parent, root, entry, turn, forks(turn.turnId)));
    const origin = first?.forkOf;
    if (origin) {
      const look = { label: vscode.l10n.t("Fork of {0} at {1}", oneLine(origin.conversationId, 60), origin.turnId), icon: "repo-forked" };
      lines.unshift(this.place(parent, `${parent.id}|origin`, root, { id: origin.conversationId, title: origin.conversationId }, origin.turnId, look));
    }
    return lines;
  }

  private turn(parent: Line, root: Root | undefined, entry: Conversation, turn: TimelineTurn, forks: readonly string[]): Line {
    const { language } = vscode.env;
    const id = `${parent.id}|${turn.turnId}`;
    const look = {
      label: oneLine(turn.title) || turn.turnId,
      description: [turn.turnId, shortTime(turn.at, new Date(), language)].filter(Boolean).join(" · "),
      tooltip: new vscode.MarkdownString(
        [
          `**${quoted(oneLine(turn.title, 500))}**`,
          [turn.turnId, turn.author && quoted(turn.author), longTime(turn.at, language)].filter(Boolean).join(" · "),
          vscode.l10n.t("{0} messages, {1} tokens", turn.messageCount, turn.tokens),
        ].join("\n\n"),
      ),
      icon: "comment",
      isOpen: true,
    };
    // A mark that the turn begins with is the turn: the same words twice would be noise.
    const own = turn.marks.find((mark) => isSame(mark.text, turn.title));
    const marks = turn.marks.filter((mark) => !isSame(mark.text, turn.title));
    const below = marks.length + forks.length;
    return this.place(parent, id, root, entry, turn.turnId, own ? { ...look, icon: markIcons[own.kind] } : look, below === 0 ? undefined : (self) => Promise.resolve([
      ...marks.map((mark, i) => this.place(self, `${id}|${i}`, root, entry, turn.turnId, marked(mark))),
      ...forks.map((fork) => this.place(self, `${id}|fork|${fork}`, root, { id: fork, title: fork }, turn.turnId, { label: vscode.l10n.t("Fork: {0}", fork), icon: "repo-forked" })),
    ]));
  }

  /** What an older server knows of a conversation: decisions and open questions, without the turns between them. */
  private async arc(parent: Line, root: Root | undefined, entry: Conversation): Promise<Line[]> {
    const { decisions, openQuestions } = await this.server.contract.conversationArc({ ...at(root), conversationId: entry.id });
    const marks = [
      ...decisions.map(({ text, turnId }) => ({ turnId, mark: { kind: "decision" as const, text } })),
      ...openQuestions.map(({ text, turnId }) => ({ turnId, mark: { kind: "question" as const, text } })),
    ];
    return [
      ...marks.map(({ turnId, mark }, i) => this.place(parent, `${parent.id}|arc|${i}`, root, entry, turnId, { ...marked(mark), description: turnId })),
      this.unavailable(parent, `${parent.id}|turns`),
    ];
  }

  private place(parent: Line, id: string, root: Root | undefined, conversation: Pick<Conversation, "id" | "title">, turnId: string, look: Parameters<typeof line>[2], children?: (self: Line) => Promise<Line[]>): ConversationLine {
    const made = line(parent, id, { context: "turn", ...look }, children);
    const of: ConversationLine = { ...made, conversation, turnId, root };
    of.item.command = { command: "contexture.openTurnLine", title: vscode.l10n.t("Open Turn"), arguments: [of] };
    return of;
  }
}

/** Reports whether a title is a text or its beginning. */
function isSame(text: string, title: string): boolean {
  const beginning = oneLine(title).replace(/…$/, "");
  return beginning !== "" && oneLine(text).startsWith(beginning);
}

function marked(mark: TurnMark): { label: string; description?: string; tooltip: string; icon: string } {
  return {
    label: oneLine(mark.text),
    tooltip: mark.text,
    icon: markIcons[mark.kind],
    ...(mark.superseded && { description: mark.kind === "question" ? vscode.l10n.t("answered") : vscode.l10n.t("replaced") }),
  };
}

function count(turns: number): string {
  return turns === 1 ? vscode.l10n.t("1 turn") : vscode.l10n.t("{0} turns", turns);
}

async function forget(server: Server, { conversation, root }: ConversationLine): Promise<void> {
  const action = vscode.l10n.t("Forget");
  const question = vscode.l10n.t("Forget the conversation “{0}” permanently?", oneLine(conversation.title, 100) || conversation.id);
  const detail = vscode.l10n.t("Its turns, and what was learned from it alone, are in no answer from then on.");
  const sure = await vscode.window.showWarningMessage(question, { modal: true, detail }, action);
  if (sure) await server.contract.conversationDelete({ ...at(root), conversationId: conversation.id, wipe: true });
}

/** Registers the view and its actions. */
export function registerConversations(server: Server): { view: ConversationsView; subscription: vscode.Disposable } {
  const view = new ConversationsView(server);
  const subscription = vscode.Disposable.from(
    view,
    register("openTurnLine", async ({ conversation, turnId, root }: ConversationLine) => {
      if (turnId) await showTurn(conversation.id, turnId, root?.workspace);
    }),
    register("forgetConversationLine", async (of: ConversationLine) => {
      await forget(server, of);
      view.refresh();
    }),
    register("copyConversationId", async ({ conversation }: ConversationLine) => {
      await vscode.env.clipboard.writeText(conversation.id);
      vscode.window.setStatusBarMessage(vscode.l10n.t("Contexture: the id is copied"), 3000);
    }),
    register("searchConversations", async (given?: unknown) => {
      const words =
        typeof given === "string"
          ? given
          : await vscode.window.showInputBox({ title: vscode.l10n.t("Search Conversations"), value: view.query, placeHolder: vscode.l10n.t("Words of the title or of what was said") });
      if (words === undefined) return;
      await vscode.commands.executeCommand("contexture.conversations.focus");
      view.search(words);
    }),
    register("clearConversationSearch", () => {
      view.search("");
      return Promise.resolve();
    }),
    register("refreshConversations", () => {
      view.refresh();
      return Promise.resolve();
    }),
  );
  return { view, subscription };
}
