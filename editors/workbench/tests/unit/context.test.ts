// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";
import type { BundleResult, Item } from "../../../vscode/src/contract.gen";
import type { Host } from "../../src/host/host";
import { blocksOf, byHelp, foldersOf, lineNumbers } from "../../src/places/context/blocks";
import { rowsOf } from "../../src/places/context/rows";
import { source, write } from "../../src/places/context/copy";
import { change, changes, conversation, difference, exactly, past, prompt, request, undo, type Past } from "../../src/places/context/state";
import { begin, relative, uriOf } from "../../src/session";

const item = (id: string, more: Partial<Item> = {}): Item => ({ id, layer: "L5_jit", kind: "code", title: id, tokens: 10, score: 0.5, format: "full", reason: "", messageIds: [], ...more });
const bundle = (items: Item[], text = ""): BundleResult => ({ items, text, tokens: 7 }) as unknown as BundleResult;

beforeEach(() => {
  begin({ roots: ["file:///w"], listen: () => () => undefined } as unknown as Host);
  changes.value = [];
});

describe("what is asked", () => {
  it("is nothing without a prompt", () => {
    prompt.value = " ";
    expect(request.value).toBeUndefined();
  });
  it("continues no conversation until a person chooses one", () => {
    prompt.value = "x";
    expect(request.value).toEqual({ prompt: "x" });
    conversation.value = "c";
    expect(request.value).toEqual({ prompt: "x", conversationId: "c" });
    conversation.value = "";
    expect(request.value).toEqual({ prompt: "x" });
  });
  it("holds what a person has changed, until they take it back", () => {
    prompt.value = "x";
    conversation.value = "c";
    change("include", "code:a", "a");
    change("omit", "code:b", "b");
    change("omit", "code:a", "a");
    expect(request.value).toEqual({ prompt: "x", conversationId: "c", omit: ["code:b", "code:a"] });
    undo("code:a");
    undo("code:b");
    expect(request.value).toEqual({ prompt: "x", conversationId: "c" });
  });
  it("excludes one path and no other", () => {
    expect(exactly("a[1]/{b}*.go")).toBe("a\\[1\\]/\\{b\\}\\*.go");
  });
  it("excludes all that is in a folder", () => {
    expect(exactly("a/b/")).toBe("a/b/**");
    expect(foldersOf("a/b/c.go").map((f) => f.path)).toEqual(["a/", "a/b/"]);
    expect(foldersOf("c.go")).toEqual([]);
  });
  it("leaves the history to the assistant while one of its prompts is shown", () => {
    prompt.value = "x";
    conversation.value = "c";
    past.value = { conversationId: "c" } as Past;
    expect(request.value?.layers).toEqual({ L6_message_history: { min: 0, ideal: 0, max: 0 } });
    conversation.value = "";
    expect(request.value).toEqual({ prompt: "x" });
    past.value = undefined;
  });
});

describe("the difference of two bundles", () => {
  it("names what came, went and changed its length, and not the prompt", () => {
    const d = difference(bundle([item("a"), item("b"), item("p", { kind: "prompt" })]), bundle([item("b", { tokens: 12 }), item("c"), item("q", { kind: "prompt" })]));
    expect([d.added.map((i) => i.id), d.removed.map((i) => i.id), d.resized.map((r) => [r.item.id, r.before])]).toEqual([["c"], ["a"], [["b", 10]]]);
  });
});

describe("the text", () => {
  const line = (n: number) => ({ line: n, character: 0 });
  const range = (from: number, to: number) => ({ start: line(from), end: line(to) });
  it("is cut at its items by bytes, and joined it is the same", () => {
    const parts = ["<ctx-rule>\n- Größe 😀\n</ctx-rule>\n", "between\n", "<T-1-R>\nuser: ö\n</T-1-R>\n", '<ctx-code in="places only">\na.go:1  x\n', "b.go:2  y\n</ctx-code>\n", "<ctx-prompt>\n</ctx-code>?\n</ctx-prompt>\n"];
    const text = parts.join("");
    const bytes = (s: string): number => new TextEncoder().encode(s).length;
    const at = (i: number) => ({ start: bytes(parts.slice(0, i).join("")), end: bytes(parts.slice(0, i + 1).join("")) });
    const blocks = blocksOf({ text, items: [item("p", { span: at(5) }), item("r", { span: at(0) }), item("t", { span: at(2) }), item("a", { span: at(3) }), item("b", { span: at(4) }), item("none")] });
    expect(blocks.map((b) => b.open + b.body + b.close)).toEqual(parts);
    expect(blocks.map((b) => b.item?.id)).toEqual(["r", undefined, "t", "a", "b", "p"]);
    expect(blocks.map((b) => b.body)).toEqual(["- Größe 😀", "between\n", "user: ö", "a.go:1  x\n", "b.go:2  y", "</ctx-code>?"]);
  });
  it("is all there when spans overlap or end beyond it", () => {
    const blocks = blocksOf({ text: "abcdef", items: [item("a", { span: { start: 0, end: 4 } }), item("b", { span: { start: 2, end: 99 } })] });
    expect(blocks.map((b) => b.body)).toEqual(["abcd", "ef"]);
  });
  it("has the numbers of the file's lines, and none for what is folded", () => {
    const folded = item("a", { format: "lines", passages: [{ range: range(3, 5), matched: [] }, { range: range(9, 10), matched: [] }] });
    expect(lineNumbers(folded, ["a", "b", "\t… 6-9", "c"])).toEqual([3, 4, undefined, 9]);
    expect(lineNumbers(folded, ["a", "b", "no fold", "c"])).toEqual([]);
    expect(lineNumbers(folded, ["a", "b", "… 6-9", "c", "d"])).toEqual([]);
    const whole = item("b", { range: range(3, 5) });
    expect([lineNumbers(whole, ["a", "b"]), lineNumbers(whole, ["a"])]).toEqual([[3, 4], []]);
  });
});

describe("the list", () => {
  const id = (r: ReturnType<typeof rowsOf>[number]): string => (r.kind === "item" ? r.item.id : r.kind === "fold" ? `${r.fold}${r.open ? "-open" : ""}` : r.dropped.id);
  const items = [item("rule", { score: 1 }), item("low", { score: 0.1 }), item("high", { score: 0.9 }), ...["p1", "p2", "p3"].map((p) => item(p, { format: "pointer", score: 0.2, uri: `file:///w/${p}.go` })), item("prompt", { score: 1 })];
  const dropped = [{ id: "out", kind: "code" as const, reason: "threshold" as const, uri: "file:///w/out/of.go" }];
  const shown = (query: string, ...open: ("pointers" | "leftOut")[]): string[] => rowsOf({ items, dropped }, query, new Set(open)).map(id);
  it("is in the order of help, with what is in every bundle last", () => {
    expect(byHelp(items).map((i) => i.id)).toEqual(["high", "p1", "p2", "p3", "low", "rule", "prompt"]);
  });
  it("folds pointers and what was left out", () => {
    expect(shown("")).toEqual(["high", "low", "pointers", "rule", "prompt", "leftOut"]);
    expect(shown("", "pointers", "leftOut")).toEqual(["high", "low", "pointers-open", "p1", "p2", "p3", "rule", "prompt", "leftOut-open", "out"]);
  });
  it("shows whatever a search finds", () => {
    expect(shown("p2.go")).toEqual(["p2"]);
    expect(shown("out/")).toEqual(["out"]);
  });
});

describe("copies", () => {
  const text = '<ctx-code path="a.go">\nx := "```"\n</ctx-code>\n';
  const b = bundle([item("code:a", { uri: "file:///w/a%20b.go", range: { start: { line: 4, character: 0 }, end: { line: 5, character: 0 } }, span: { start: 0, end: text.length } })], text);
  it("are the text as it is", () => {
    expect(write(b, "text")).toBe(text);
  });
  it("fence code in Markdown with more backticks than it holds", () => {
    expect(write(b, "markdown")).toBe('## a b.go:5\n\n````go\nx := "```"\n````\n');
  });
  it("escape in XML", () => {
    expect(write(b, "xml")).toBe('<context tokens="7">\n<item kind="code" source="a b.go:5" tokens="10">\nx := &quot;```&quot;\n</item>\n</context>\n');
  });
  it("name turns", () => {
    expect(source(item("t", { conversationId: "c", turnId: "T-3" }))).toBe("c T-3");
  });
});

describe("paths", () => {
  it("stand below their root", () => {
    expect([relative("file:///w/a%20b/c.go"), relative("file:///else/c.go"), relative("untitled:Untitled-1")]).toEqual(["a b/c.go", "/else/c.go", "Untitled-1"]);
    expect(uriOf("a b/c#.go")).toBe("file:///w/a%20b/c%23.go");
  });
});
