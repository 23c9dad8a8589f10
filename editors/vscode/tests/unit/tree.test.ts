import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { slices } from "../../src/pages";
import type { Condition, Root, Server, ServerEvent } from "../../src/server";
import { line, View, type Line } from "../../src/views/tree";
import { EventEmitter, type FakeTreeView } from "./vscode";

/** A stand-in for the server: its folders and its notifications. */
class FakeServer {
  readonly events = new EventEmitter<ServerEvent>();
  readonly changed = new EventEmitter<Condition>();
  readonly onEvent = this.events.event;
  readonly onChanged = this.changed.event;
  condition = { running: true } as Condition;
  folders: Root[] = [];
  roots(): Root[] {
    return this.folders;
  }
}

class Numbers extends View {
  entries: number[] = [];
  asked = 0;
  problem: string | undefined;
  constructor(server: FakeServer) {
    super(server as unknown as Server, "numbers", ["memory", "learning"]);
  }
  protected emptyText(): string {
    return "nothing";
  }
  protected lines(root: Root | undefined, parent: Line | undefined): Promise<Line[]> {
    this.asked++;
    if (this.problem) return Promise.reject(new Error(this.problem));
    return this.paged(parent, `${root?.workspace ?? ""}|numbers`, 50, slices(this.entries), (n) => line(parent, `${root?.workspace ?? ""}|${n}`, { label: String(n) }));
  }
}

const root = (name: string): Root => ({ name, workspace: `file:///${name}`, uri: { fsPath: `/${name}` } }) as Root;
const labels = (lines: Line[]): unknown[] => lines.map(({ item }) => item.label);

describe("a view", () => {
  let server: FakeServer;
  let view: Numbers;
  let fired: number;
  const show = (isVisible: boolean): void => { (view.tree as unknown as FakeTreeView).show(isVisible); };

  beforeEach(() => {
    vi.useFakeTimers();
    server = new FakeServer();
    view = new Numbers(server);
    fired = 0;
    view.onDidChangeTreeData(() => fired++);
  });
  afterEach(() => {
    view.dispose();
    vi.useRealTimers();
  });

  it("has no level for a single folder, and one for each of several", async () => {
    view.entries = [1, 2];
    server.folders = [root("a")];
    expect(labels(await view.getChildren())).toEqual(["1", "2"]);
    server.folders = [root("a"), root("b")];
    const folders = await view.getChildren();
    expect(labels(folders)).toEqual(["a", "b"]);
    const [first] = folders;
    const below = await view.getChildren(first);
    expect(labels(below)).toEqual(["1", "2"]);
    expect(view.getParent(below[0] as Line)?.id).toBe(first?.id);
    const ids = (await Promise.all(folders.map((folder) => view.getChildren(folder)))).flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    view.entries = [];
    expect(labels(await view.getChildren(first))).toEqual(["nothing"]);
  });

  it("is empty while the server does not run, so that the welcome shows", async () => {
    view.entries = [1];
    server.condition = { running: false } as Condition;
    expect(await view.getChildren()).toEqual([]);
    expect(view.asked).toBe(0);
  });

  it("says in full what went wrong, offers to try again, and forgets it when there is an answer", async () => {
    view.problem = "memory is switched off";
    const [retry, output] = await view.getChildren();
    expect(view.tree.message).toBe("This did not work: memory is switched off");
    expect([retry?.item.label, output?.item.label]).toEqual(["Try Again", "Show Output"]);
    show(true);
    view.problem = undefined;
    view.entries = [1];
    (retry?.item.command?.arguments as [() => void])[0]();
    await vi.advanceTimersByTimeAsync(1000);
    expect(fired).toBe(1);
    expect(await view.getChildren()).toHaveLength(1);
    expect(view.tree.message).toBe("");
  });

  it("shows a page of a hundred thousand, and more when asked, also after a refresh", async () => {
    view.entries = Array.from({ length: 100_000 }, (_, i) => i);
    show(true);
    const first = await view.getChildren();
    expect(first).toHaveLength(51);
    const more = first[50]?.item;
    expect(more?.description).toBe("50 shown");
    (more?.command?.arguments as [() => void])[0]();
    await vi.advanceTimersByTimeAsync(1000);
    expect(fired).toBe(1);
    expect(await view.getChildren()).toHaveLength(101);
    view.entries.unshift(-1);
    const later = await view.getChildren();
    expect(later).toHaveLength(101);
    expect(later[1]?.id).toBe(first[0]?.id);
  });

  it("refreshes at most twice a second, for what concerns it, and only while somebody looks", () => {
    const tell = (kind: ServerEvent["kind"], state = ""): void => { server.events.fire({ kind, learning: { state } } as unknown as ServerEvent); };
    tell("memory");
    vi.advanceTimersByTime(5000);
    expect(fired).toBe(0);
    show(true);
    vi.advanceTimersByTime(5000);
    expect(fired).toBe(1);
    tell("status");
    tell("learning", "running");
    vi.advanceTimersByTime(5000);
    expect(fired).toBe(1);
    tell("learning", "idle");
    vi.advanceTimersByTime(5000);
    expect(fired).toBe(2);
    for (let i = 0; i < 40; i++) {
      tell("memory");
      vi.advanceTimersByTime(250);
    }
    expect(fired - 2).toBeLessThanOrEqual(21);
    expect(fired - 2).toBeGreaterThanOrEqual(19);
    show(false);
    show(true);
    vi.advanceTimersByTime(5000);
    const seen = fired;
    show(false);
    show(true);
    vi.advanceTimersByTime(5000);
    expect(fired).toBe(seen);
  });

  it("is drawn again only if it shows something else, also below the top", async () => {
    const tell = async (): Promise<void> => {
      server.events.fire({ kind: "memory" } as unknown as ServerEvent);
      await vi.advanceTimersByTimeAsync(1000);
    };
    view.entries = [1, 2];
    server.folders = [root("a"), root("b")];
    show(true);
    const [first] = await view.getChildren();
    await view.getChildren(first);
    const { asked } = view;
    await tell();
    expect(fired).toBe(0);
    expect(view.asked).toBe(asked + 1);
    view.entries = [1, 2, 3];
    await tell();
    expect(fired).toBe(1);
    expect(labels(await view.getChildren(first))).toEqual(["1", "2", "3"]);
  });

  it("refreshes when the server starts and when it stops", () => {
    show(true);
    server.changed.fire({ running: true } as Condition);
    vi.advanceTimersByTime(5000);
    expect(fired).toBe(0);
    server.changed.fire({ running: false } as Condition);
    vi.advanceTimersByTime(5000);
    expect(fired).toBe(1);
    server.changed.fire({ running: true } as Condition);
    vi.advanceTimersByTime(5000);
    expect(fired).toBe(2);
  });
});
