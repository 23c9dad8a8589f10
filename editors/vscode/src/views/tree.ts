/** What the three views in the activity bar have in common: folders, pages, errors, and a calm refresh. */
import * as vscode from "vscode";
import { Pace } from "../pace";
import { Pages, type Fetch } from "../pages";
import { messageOf } from "../register";
import type { Root, Server, ServerEvent } from "../server";

/** One line of a view. */
export interface Line {
  /** Unique in the view and the same after a refresh: VS Code keeps what is open and what is selected by it. */
  readonly id: string;
  readonly item: vscode.TreeItem;
  readonly parent: Line | undefined;
  /** Asked only when the line is open. */
  readonly children?: () => Promise<Line[]>;
}

/** What a line is made of, besides its place. */
export interface Look {
  label: string;
  description?: string;
  tooltip?: string | vscode.MarkdownString;
  icon?: string;
  color?: string;
  /** Words, separated by spaces, that the menus ask for. */
  context?: string;
  command?: vscode.Command;
  /** The file that the line is about: VS Code shows its icon. */
  uri?: vscode.Uri;
  /** Shows the children from the beginning. */
  isOpen?: boolean;
}

/** The time between two refreshes, at least, in milliseconds. */
const refreshInterval = 500;

/** Makes a line. */
export function line(parent: Line | undefined, id: string, look: Look, children?: (self: Line) => Promise<Line[]>): Line {
  const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(look.label, children ? (look.isOpen ? Expanded : Collapsed) : None);
  item.id = id;
  if (look.description !== undefined) item.description = look.description;
  if (look.tooltip !== undefined) item.tooltip = look.tooltip;
  if (look.icon) item.iconPath = new vscode.ThemeIcon(look.icon, look.color ? new vscode.ThemeColor(look.color) : undefined);
  if (look.context) item.contextValue = look.context;
  if (look.command) item.command = look.command;
  if (look.uri) item.resourceUri = look.uri;
  item.accessibilityInformation = { label: [look.label, look.description].filter(Boolean).join(", ") };
  const made: Line = { id, item, parent, ...(children && { children: () => children(made) }) };
  return made;
}

/** A line that says why there is nothing else. */
export function note(parent: Line | undefined, id: string, look: Look): Line {
  return line(parent, id, { icon: "info", ...look });
}

export abstract class View implements vscode.TreeDataProvider<Line>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly tree: vscode.TreeView<Line>;
  private readonly pages = new Map<string, Pages>();
  /** The look of what is shown, by the id of the line above it, "" for the top. */
  private readonly shown = new Map<string, string>();
  private readonly pace: Pace;
  private readonly subscriptions: vscode.Disposable[];
  /** Requests that have not been answered yet. */
  private asking = 0;
  /** Something has changed while the view was hidden. */
  private isStale = false;
  /** What stands above the lines. */
  private above = { heading: "", problem: "" };

  /**
   * @param id of the view in the manifest
   * @param about the notifications that change what it shows
   */
  constructor(
    protected readonly server: Server,
    id: string,
    about: readonly ServerEvent["kind"][],
  ) {
    this.pace = new Pace(() => { void this.renew(); }, refreshInterval, () => this.asking > 0);
    this.tree = vscode.window.createTreeView(id, { treeDataProvider: this, showCollapseAll: true });
    let isRunning = server.condition.running;
    this.subscriptions = [
      this.tree,
      this.tree.onDidChangeVisibility(({ visible }) => { if (visible && this.isStale) this.refresh(); }),
      server.onEvent((event) => { if (about.includes(event.kind) && !isUnderWay(event)) this.refresh(); }),
      server.onChanged(({ running }) => {
        if (running !== isRunning) this.refresh();
        isRunning = running;
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => { this.refresh(); }),
    ];
  }

  /** What a folder's part of the view shows; undefined where no folder is open. */
  protected abstract lines(root: Root | undefined, parent: Line | undefined): Promise<Line[]>;

  /** Shows soon what is new. A hidden view waits until it is shown. */
  refresh(): void {
    this.isStale = !this.tree.visible;
    if (this.tree.visible) this.pace.ask();
  }

  getTreeItem(of: Line): vscode.TreeItem {
    return of.item;
  }

  getParent(of: Line): Line | undefined {
    return of.parent;
  }

  async getChildren(of?: Line): Promise<Line[]> {
    const lines = await this.ask(of);
    this.shown.set(of?.id ?? "", lookOf(lines));
    return lines;
  }

  /**
   * Has VS Code draw the view again, if it would show anything else: what is drawn anew while a mouse button
   * is held down takes the click with it.
   */
  private async renew(): Promise<void> {
    if (this.shown.has("") && (await this.isCurrent())) return;
    this.shown.clear();
    this.changed.fire(undefined);
  }

  /** Reports whether what is shown under a line, and under the lines there, would be the same if it were asked for now. */
  private async isCurrent(of?: Line): Promise<boolean> {
    const look = this.shown.get(of?.id ?? "");
    if (look === undefined) return true; // a line that was never open shows nothing
    const lines = await this.ask(of);
    if (lookOf(lines) !== look) return false;
    for (const below of lines) if (!(await this.isCurrent(below))) return false;
    return true;
  }

  private async ask(of?: Line): Promise<Line[]> {
    this.asking++;
    try {
      return await (of ? (of.children?.() ?? []) : this.top());
    } catch (error) {
      return this.failed(of, error);
    } finally {
      this.asking--;
    }
  }

  /** A line is cut where the view ends: what concerns the whole view stands above it, in full. */
  private failed(of: Line | undefined, error: unknown): Line[] {
    // An answer without its parts is noticed only by what cannot be done with it.
    const text = error instanceof TypeError ? vscode.l10n.t("The program's answer is not as expected: {0}", error.message) : messageOf(error);
    const again = (): void => { this.refresh(); };
    const title = vscode.l10n.t("Try Again");
    const retry = line(of, `${of?.id ?? ""}|retry`, { label: title, icon: "refresh", command: { command: "contexture.loadMore", title, arguments: [again] } });
    if (of) return [note(of, `${of.id}|problem`, { label: text, tooltip: text, icon: "warning" }), retry];
    this.say({ problem: vscode.l10n.t("This did not work: {0}", text) });
    const output = vscode.l10n.t("Show Output");
    return [retry, line(of, "|output", { label: output, icon: "output", command: { command: "contexture.showOutput", title: output } })];
  }

  /** Writes above the lines what they are, and why there are none. */
  protected say(words: { heading?: string; problem?: string }): void {
    const { heading, problem } = (this.above = { ...this.above, ...words });
    const text = [heading, problem].filter(Boolean).join("\n");
    if (text !== (this.tree.message ?? "")) this.tree.message = text;
  }

  private async top(): Promise<Line[]> {
    const lines = await this.topLines();
    this.say({ problem: "" });
    return lines;
  }

  private async topLines(): Promise<Line[]> {
    if (!this.server.condition.running) return [];
    const roots = this.server.roots();
    if (roots.length < 2) return this.lines(roots[0], undefined);
    return roots.map((root) =>
      line(undefined, root.workspace, { label: root.name, icon: "root-folder", context: "root", isOpen: true, tooltip: root.uri.fsPath }, async (self) => {
        const lines = await this.lines(root, self);
        return lines.length > 0 ? lines : [note(self, `${root.workspace}|empty`, { label: this.emptyText() })];
      }),
    );
  }

  /** Stands under a folder that has nothing to show. With a single folder the manifest's welcome does. */
  protected abstract emptyText(): string;

  /** Lines of a list that grows page by page, with one at the end that asks for more. */
  protected async paged<T>(parent: Line | undefined, id: string, size: number, fetch: Fetch<T>, make: (entry: T) => Line): Promise<Line[]> {
    const { items, rest } = await this.load(parent, id, size, fetch);
    return [...items.map(make), ...rest];
  }

  /** Entries of a list that grows page by page. `rest` is the line that asks for more, where there is any. */
  protected async load<T>(parent: Line | undefined, id: string, size: number, fetch: Fetch<T>): Promise<{ items: T[]; rest: Line[] }> {
    let pages = this.pages.get(id);
    if (!pages) this.pages.set(id, (pages = new Pages(size)));
    const { items, more } = await pages.load(fetch);
    return { items, rest: more ? [this.moreLine(parent, id, pages, items.length)] : [] };
  }

  private moreLine(parent: Line | undefined, id: string, pages: Pages, shown: number): Line {
    const grow = (): void => {
      pages.grow();
      this.refresh();
    };
    const title = vscode.l10n.t("Load More");
    const command = { command: "contexture.loadMore", title, arguments: [grow] };
    return line(parent, `${id}|more`, { label: title, description: vscode.l10n.t("{0} shown", shown.toLocaleString(vscode.env.language)), icon: "ellipsis", command });
  }

  /** Begins every list with its first page again. */
  protected resetPages(): void {
    for (const pages of this.pages.values()) pages.reset();
  }

  /** A line that says that the server lacks a command. */
  protected unavailable(parent: Line | undefined, id: string): Line {
    return note(parent, `${id}|unavailable`, {
      label: vscode.l10n.t("Unavailable"),
      description: vscode.l10n.t("update the program contexture"),
      tooltip: vscode.l10n.t("The program that runs is older than this extension and does not list this. Install the current version and restart the server."),
      icon: "warning",
    });
  }

  dispose(): void {
    this.pace.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
  }
}

/** What lines show and are about, as one text. The arguments of their commands are lines and functions of the same view. */
function lookOf(lines: Line[]): string {
  return JSON.stringify(lines, (key, value: unknown) => (key === "parent" || key === "arguments" ? undefined : value));
}

/** Reports whether a learning run goes on: until it ends nothing that a view shows has changed. */
function isUnderWay(event: ServerEvent): boolean {
  return event.kind === "learning" && event.learning.state === "running";
}

/** The arguments that name a folder. */
export function at(root: Root | undefined): { workspace?: string } {
  return root ? { workspace: root.workspace } : {};
}

/** A text on one line, cut where a view would cut it anyway. */
export function oneLine(text: string, most = 200): string {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length > most ? `${flat.slice(0, most - 1).trimEnd()}…` : flat;
}

/** Text of others in Markdown: none of it is taken for a link, a command or HTML. */
export function quoted(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~&]/g, "\\$&").replace(/\r?\n/g, "\n\n");
}
