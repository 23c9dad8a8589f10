import { describe, expect, it } from "vitest";
import type { ConversationReceipt, IndexStatusResult, LearningStatus, Receipt } from "../../src/contract.gen";
import { attachedText, budgetFor, hitsText, tasksText, within } from "../../src/modeltext";
import { findProgram } from "../../src/program";
import { chosen, section } from "../../src/settings";
import { learningText, receiptText, statusLines, statusText, together } from "../../src/text";

const status = {
  state: "idle", files: 3, filesTotal: 4, chunks: 9, symbols: 5, bytes: 100, queue: 1, stale: 0, version: 7, skipped: [{ reason: "binary", count: 2 }], errors: 0,
  quarantined: [{ path: "a.c", reason: "too slow" }], embedder: { name: "words", source: "builtin", dimensions: 1, digest: "", pending: 0 }, watcher: { mode: "inotify" },
} as unknown as IndexStatusResult;

describe("status", () => {
  it.each([
    [undefined, false, "circle-slash", true],
    [undefined, true, "spin", false],
    [{ ...status, state: "scanning" }, true, "spin", false],
    [{ ...status, state: "indexing" }, true, "75%", false],
    [{ ...status, state: "error" }, true, "error", true],
    [status, true, "check", false],
  ] as const)("%#", (s, running, text, problem) => {
    const got = statusText(s as IndexStatusResult | undefined, running);
    expect(got.text).toContain(text);
    expect(got.problem).toBe(problem);
    expect(got.tooltip).not.toBe("");
  });
  it("is one for several folders", () => {
    const other = { ...status, workspace: "file:///b", state: "indexing", files: 10, embedder: { ...status.embedder, pending: 4, problem: "slow" } } as IndexStatusResult;
    expect(together([])).toBeUndefined();
    expect(together([status])).toBe(status);
    const both = together([status, other]);
    expect(both).toMatchObject({ state: "indexing", files: 13, filesTotal: 8, embedder: { name: "words", pending: 4, problem: "slow" } });
    expect(both?.quarantined).toHaveLength(2);
  });
  it("shows a learning that goes on where the index is idle", () => {
    const learning = { state: "running", topics: 1, entities: 0, changes: [], progress: { share: 0.42, stage: "profiles", reason: "first run", ms: 5, waits: "requests" } } as LearningStatus;
    expect(statusText(status, true, learning)).toEqual({ text: "$(mortar-board) ctx 42%", tooltip: "Contexture: learning: 42%, profiles, waits for requests", problem: false });
    expect(statusText({ ...status, state: "indexing" }, true, learning).text).toContain("75%");
    expect(statusText({ ...status, state: "error" }, true, learning).problem).toBe(true);
  });
  it("tells what is known and what the next learning waits for", () => {
    const learning = { state: "waiting", waits: "an idle minute", topics: 3, entities: 2, changes: [], lastRunAt: "2026-01-02T03:04:05Z" } as LearningStatus;
    expect(learningText(learning)).toBe("Knowledge: 3 topics, 2 people and things; learned 2026-01-02 03:04 UTC, waits for an idle minute");
    expect(learningText({ state: "idle", topics: 0, entities: 0, changes: [], problem: "disk full" } as LearningStatus)).toBe("Knowledge: 0 topics, 0 people and things; nothing learned yet; failed: disk full");
  });
  it("shows what was given always with what it spared, and only what is known", () => {
    const total = (prompts: number, given: number, spared: number) => ({ prompts, given, spared }) as Receipt;
    const [seen, unseen] = [{ seen: true }, { seen: false }] as ConversationReceipt[] as [ConversationReceipt, ConversationReceipt];
    expect(receiptText({ total: total(0, 0, 0), conversations: [], unseen: 0 })).toBeUndefined();
    expect(receiptText({ total: total(2, 120, 20), conversations: [seen], unseen: 0 })).toBe("Given to assistants in thirty days: 120 tokens; spared 20, net -100");
    expect(receiptText({ total: total(3, 120, 290), conversations: [unseen, seen], unseen: 1 })).toBe("Given to assistants in thirty days: 120 tokens; spared 290, net +170; conversations not captured: 1");
    expect(receiptText({ total: total(1, 20, 0), conversations: [unseen], unseen: 1 })).toBe("Given to assistants in thirty days: 20 tokens; what came of it is not known");
  });
  it("names what is set aside", () => {
    expect(statusLines(status)).toContain("Set aside: a.c: too slow");
  });
});

describe("texts for models", () => {
  it("says when nothing was found", () => {
    expect(hitsText({ hits: [] } as never)).toBe("Nothing was found.");
    expect(tasksText({ completed: [], blockers: [] })).toBe("No tasks or blockers.");
  });
  it("gives places with their lines", () => {
    const hit = { uri: "file:///w/a.go", range: { start: { line: 4 } }, title: "func f", snippet: "func f() {}" };
    expect(hitsText({ hits: [hit] } as never)).toBe("file:///w/a.go:5 func f\nfunc f() {}");
  });
});

describe("budgets", () => {
  it("keeps the contract's bounds", () => {
    expect([budgetFor(undefined, 256, 1000), budgetFor(10, 256, 1000), budgetFor(500.9, 256, 1000), budgetFor(1e9, 256, 1000)]).toEqual([undefined, 256, 500, 1000]);
  });
  it("cuts to what fits, at a line's end", async () => {
    const words = (t: string) => Promise.resolve(t.split(/\s+/).filter(Boolean).length);
    expect(await within("a b\nc d\ne f", 5, words)).toBe("a b\nc d");
    expect(await within("a b", 5, words)).toBe("a b");
    expect(await words(await within("a ".repeat(1000), 7, words))).toBeLessThanOrEqual(7);
  });
  it("puts what a person attached between delimiters that it cannot end", async () => {
    const words = (t: string) => Promise.resolve(t.split(/\s+/).filter(Boolean).length);
    const lines = { name: "a\"b.go", text: "x\n</ctx-attached>\ny\n", first: 3, last: 5 };
    expect(await attachedText(lines, 100, words)).toEqual({ text: "<ctx-attached name=\"a b.go\" lines=\"3-5\">\nx\n&lt;/ctx-attached>\ny\n</ctx-attached>\n", tokens: 8, isCut: false });
    const cut = await attachedText({ name: "a.go", text: "one two\n".repeat(50) }, 20, words);
    expect(cut?.isCut).toBe(true);
    expect(cut?.tokens).toBeLessThanOrEqual(20);
    expect(cut?.text).toMatch(/two\n\[cut here\]\n<\/ctx-attached>\n$/);
    expect(await attachedText(lines, 5, words)).toBeUndefined();
  });
});

describe("settings", () => {
  it("sends what is set and nothing else", () => {
    const values: Record<string, object> = {
      "budget.default": { globalValue: 100, workspaceValue: 200 },
      "index.paused": { workspaceFolderValue: false, globalValue: true },
      order: { defaultValue: "cache" },
    };
    expect(section(["budget.default", "index.paused", "order", "enabled"], (key) => values[key])).toEqual({ budget: { default: 200 }, index: { paused: false } });
    expect(chosen(undefined)).toBeUndefined();
  });
});

describe("the program", () => {
  const places = { setting: "", extension: "/ext", path: "/a:/b", platform: "linux" as const, runs: (f: string) => f === "/b/contexture" };
  it("is found in PATH", () => {
    expect(findProgram(places)).toEqual({ program: "/b/contexture" });
  });
  it("is the extension's before that of PATH", () => {
    expect(findProgram({ ...places, runs: () => true })).toEqual({ program: "/ext/bin/contexture" });
  });
  it("is the one that is named, or nothing", () => {
    expect(findProgram({ ...places, setting: "/b/contexture" })).toEqual({ program: "/b/contexture" });
    expect(findProgram({ ...places, setting: "/c" })).toEqual({ problem: expect.stringContaining("/c") as string });
    expect(findProgram({ ...places, setting: "contexture" })).toEqual({ problem: expect.stringContaining("absolute") as string });
  });
  it("is missing with a word on what to do", () => {
    expect(findProgram({ ...places, path: "" })).toEqual({ problem: expect.stringContaining("contexture.client.path") as string });
  });
});
