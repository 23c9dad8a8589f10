// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { keysOf, meaning, type Action } from "../../src/keys";
import { fuzzy } from "../../src/parts/fuzzy";

const action = (label: string, ...keys: string[]): Action => ({ label, keys, run: () => undefined });
const [next, add, search, help] = [action("next", "]]"), action("add", "o", "s"), action("search", "/", "s"), action("help", "?", "g?")];
const all = [next, add, search, help];

describe("a key", () => {
  it("means an action, or the beginning of longer keys", () => {
    expect(meaning(all, "", "o").run).toBe(add);
    expect(meaning(all, "", "]")).toEqual({ typed: "]" });
    expect(meaning(all, "]", "]").run).toBe(next);
    expect(meaning(all, "g", "?").run).toBe(help);
  });

  it("means itself after keys that it does not go on with", () => {
    expect(meaning(all, "]", "o").run).toBe(add);
    expect(meaning(all, "]", "x")).toEqual({ typed: "" });
  });

  it("belongs to the first action that has it, and the help says so", () => {
    expect(meaning(all, "", "s").run).toBe(add);
    expect([keysOf(all, add), keysOf(all, search)]).toEqual([["o", "s"], ["/"]]);
  });
});

describe("the palette", () => {
  it("finds a text by letters of its words, in order", () => {
    expect(fuzzy("rd", "Rules and decisions")).toBeDefined();
    expect(fuzzy("dec rul", "Rules and decisions")).toBeDefined();
    expect(fuzzy("pay", "retryPayment")).toBeDefined();
    expect(fuzzy("ules", "Rules")).toBeUndefined();
    expect(fuzzy("xyz", "Rules")).toBeUndefined();
  });

  it("prefers beginnings of words and what is next to each other", () => {
    const of = (text: string): number => fuzzy("set", text) ?? 0;
    expect(of("Settings")).toBeGreaterThan(of("Some editor text"));
    expect(of("Set up")).toBeGreaterThan(of("Set up something that is rather long"));
  });
});
