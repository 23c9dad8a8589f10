import { describe, expect, it } from "vitest";
import { content, cut, occurrences, slice } from "../../src/parts/spans";

const flat = (text: string, syntax: { start: number; end: number; kind: string }[], words: string[] = []): string =>
  cut(text, syntax, words)
    .map((line) => line.map((p) => `${p.marked ? "*" : ""}${p.kind ? `${p.kind}:` : ""}${p.text}`).join("|"))
    .join("⏎");

describe("spans over a text", () => {
  it("count in bytes", () => {
    expect(flat("é = 1", [{ start: 5, end: 6, kind: "number" }])).toBe("é = |number:1");
    expect(slice("a😀b", { start: 1, end: 5 })).toBe("😀");
  });
  it("are cut at the ends of lines", () => {
    expect(flat("/* a\nb */ c\n", [{ start: 0, end: 9, kind: "comment" }])).toBe("comment:/* a⏎comment:b */| c");
  });
  it("keep empty lines, and no line behind the last", () => {
    expect(cut("a\n\nb\n", [], []).length).toBe(3);
    expect(cut("", [], []).length).toBe(1);
  });
  it("show marked words within syntax", () => {
    expect(flat("func retryAll() {}", [{ start: 0, end: 4, kind: "keyword" }, { start: 5, end: 13, kind: "function" }], ["retry"])).toBe("keyword:func| |*function:retry|function:All|() {}");
  });
  it("ignore what lies outside the text", () => {
    expect(flat("ab", [{ start: 1, end: 99, kind: "string" }])).toBe("a|string:b");
  });
});

describe("words that were asked for", () => {
  const found = (text: string, ...words: string[]): string[] => occurrences(text, words).map(({ start, end }) => text.slice(start, end));
  it("are found where a word begins, also within a name", () => {
    expect(found("retry, toRetry, aretry, Retrying", "retry")).toEqual(["retry", "Retry", "Retrying"]);
  });
  it("are found in other forms", () => {
    expect(found("retryPayment(payment) // retry", "payments", "retried")).toEqual(["retry", "Payment", "payment", "retry"]);
    expect(found("Zahlungen der Zahlung, Zahl", "zahlungen")).toEqual(["Zahlungen", "Zahlung"]);
  });
  it("may hold what a pattern would take for its own", () => {
    expect(found("a.b(c) axb", "a.b(")).toEqual(["a.b("]);
  });
  it("are not single letters", () => {
    expect(found("a b c", "a", "b")).toEqual([]);
  });
  it("are found in other scripts", () => {
    expect(found("Die Überprüfung überprüfen", "überprüf")).toEqual(["Überprüfung", "überprüfen"]);
  });
});

describe("an item's text", () => {
  it("is taken out of its delimiters, counting bytes", () => {
    const text = 'é<ctx-code path="a">\nüber\nx\n</ctx-code>\n';
    expect(content(text, { start: 2, end: new TextEncoder().encode(text).length })).toBe("über\nx");
  });
});
