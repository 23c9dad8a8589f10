// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";
import type { BundleResult, Item } from "../../../vscode/src/contract.gen";
import type { Host } from "../../src/host/host";
import { source, write } from "../../src/places/context/copy";
import { change, changes, conversation, difference, exactly, prompt, request, undo } from "../../src/places/context/state";
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
});

describe("the difference of two bundles", () => {
  it("names what came, went and changed its length, and not the prompt", () => {
    const d = difference(bundle([item("a"), item("b"), item("p", { kind: "prompt" })]), bundle([item("b", { tokens: 12 }), item("c"), item("q", { kind: "prompt" })]));
    expect([d.added.map((i) => i.id), d.removed.map((i) => i.id), d.resized.map((r) => [r.item.id, r.before])]).toEqual([["c"], ["a"], [["b", 10]]]);
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
