import { describe, expect, it } from "vitest";
import type { KnowledgeItem } from "../../src/contract.gen";
import { spanText } from "../../src/modeltext";
import { grouped } from "../../src/views/rules";
import { line, oneLine, quoted } from "../../src/views/tree";

const item = (id: string, part: Partial<KnowledgeItem>): KnowledgeItem => ({ id, kind: "rule", state: "confirmed", cause: "stated", title: id, content: id, topics: [], keywords: [], weight: 1, sourceTurns: [], quotations: [], createdAt: "", updatedAt: "", ...part });

describe("rules and decisions", () => {
  it("are in groups by their state, in the server's order", () => {
    const items = [item("a", {}), item("b", { state: "candidate" }), item("c", { kind: "reference", label: "decision" }), item("d", { state: "superseded" }), item("e", {}), item("f", { kind: "reference", state: "superseded" })];
    const ids = Object.fromEntries(Object.entries(grouped(items)).map(([group, of]: [string, KnowledgeItem[]]) => [group, of.map(({ id }) => id).join("")]));
    expect(ids).toEqual({ active: "ae", candidates: "b", decisions: "c", replaced: "df" });
  });
});

describe("lines", () => {
  it("have a name for a screen reader, and children only where there are some", () => {
    const made = line(undefined, "a|b", { label: "Rule", description: "T-1" });
    expect(made.item).toMatchObject({ id: "a|b", collapsibleState: 0, accessibilityInformation: { label: "Rule, T-1" } });
    expect(made.children).toBeUndefined();
    expect(line(made, "c", { label: "x", isOpen: true }, () => Promise.resolve([])).item.collapsibleState).toBe(2);
  });
  it("give their children themselves as the parent", async () => {
    const made = line(undefined, "a", { label: "x" }, (self) => Promise.resolve([line(self, "b", { label: "y" })]));
    const [child] = (await made.children?.()) ?? [];
    expect(child?.parent?.id).toBe("a");
  });
  it("are one line, cut where they are long", () => {
    expect(oneLine(" a\n\tb  c ")).toBe("a b c");
    expect(oneLine("abcdef", 4)).toBe("abc…");
  });
  it("show words of others as words", () => {
    expect(quoted("[x](command:evil) <b> `c` $(icon)")).toBe("\\[x\\]\\(command:evil\\) \\<b\\> \\`c\\` $\\(icon\\)");
  });
});

describe("an item of an answer", () => {
  it("is its text without delimiters, counted in bytes", () => {
    const text = 'é<ctx-code path="a">\nüber\nx\n</ctx-code>\n';
    expect(spanText(text, { start: 2, end: Buffer.byteLength(text) })).toBe("über\nx");
    expect(spanText(text, undefined)).toBe("");
  });
});
