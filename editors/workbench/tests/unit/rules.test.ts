import { describe, expect, it } from "vitest";
import type { KnowledgeItem, Quotation } from "../../../vscode/src/contract.gen";
import { entriesOf, filtered } from "../../src/places/rules/entries";

const quotation = (turn: string, text: string, author?: string): Quotation => ({
  conversationId: "store", turnId: turn, messageId: "m", text, at: "2026-05-04T09:00:00Z", ...(author ? { author } : {}),
});

const item = (of: Partial<KnowledgeItem> & { id: string }): KnowledgeItem => ({
  kind: "rule", title: "", content: "run make gen", topics: [], keywords: [], weight: 1, sourceTurns: [], state: "confirmed", cause: "stored", quotations: [],
  createdAt: "2026-05-01T00:00:00Z", updatedAt: "2026-05-01T00:00:00Z", ...of,
});

const episode = (content: string, quotations: Quotation[]): KnowledgeItem => item({ id: "episode-1", kind: "episode", content, quotations });

const none = { items: [], episodes: [], fresh: [], recommendations: [] };

describe("entries", () => {
  it("takes decisions from the lines of an episode, each with its own quotation", () => {
    const entries = entriesOf({
      ...none,
      episodes: [
        episode("wrong: it fails\ndecided: we use Pebble\nreplaced: we use SQLite\nopen: who tests it?", [
          quotation("T-1", "it fails"), quotation("T-2", "we use Pebble", "Mia"), quotation("T-3", "we use SQLite"), quotation("T-4", "who tests it?"),
        ]),
      ],
    });
    expect(entries.map((e) => [e.kind, e.state, e.text, e.quotations[0]?.turnId])).toEqual([
      ["decision", "active", "we use Pebble", "T-2"],
      ["decision", "replaced", "we use SQLite", "T-3"],
    ]);
  });

  it("lists a sentence once in a state, and knows the candidate that it is", () => {
    const said = quotation("T-2", "we use Pebble");
    const episodes = [episode("decided: we use Pebble", [said])];
    const active = entriesOf({ ...none, episodes, items: [item({ id: "rule-1", content: "we use Pebble", quotations: [said] })] });
    expect(active.map((e) => e.id)).toEqual(["rule-1"]);
    const candidate = entriesOf({ ...none, episodes, items: [item({ id: "rule-1", state: "candidate", content: "we use Pebble", quotations: [said] })] });
    expect(candidate.find((e) => e.kind === "decision")?.candidate).toBe("rule-1");
    expect(candidate).toHaveLength(2);
  });

  it("does not list a decision of an open conversation twice", () => {
    const fresh = [{ conversationId: "store", at: "2026-05-05T00:00:00Z", decisions: [{ text: "we  use Pebble", turnId: "T-2" }, { text: "on Tuesdays", turnId: "T-9" }] }];
    const entries = entriesOf({ ...none, fresh, episodes: [episode("decided: we use Pebble", [quotation("T-2", "we use\nPebble")])] });
    expect(entries.map((e) => e.text)).toEqual(["on Tuesdays", "we use\nPebble"]);
  });

  it("links what was replaced with what holds in its place, both ways", () => {
    const entries = entriesOf({ ...none, items: [item({ id: "rule-new" }), item({ id: "rule-old", state: "superseded", supersededBy: "rule-new" })] });
    expect(entries.find((e) => e.id === "rule-old")).toMatchObject({ state: "replaced", replacedBy: "rule-new" });
    expect(entries.find((e) => e.id === "rule-new")?.replaces).toEqual(["rule-old"]);
  });

  it("puts first what somebody should see to, with the other rule of a contradiction", () => {
    const entries = entriesOf({
      ...none,
      items: [item({ id: "rule-a", updatedAt: "2026-06-01T00:00:00Z" }), item({ id: "rule-b" }), item({ id: "rule-c" })],
      recommendations: [
        { kind: "contradiction", topic: "", reason: "two rules in force are about the same thing and differ: rule-c and rule-b", action: "", command: ["contexture", "rules", "remove", "rule-b"], evidence: [], quotations: [] },
        { kind: "document", topic: "store", reason: "3 turns ask about rule-a", action: "", command: [], evidence: [], quotations: [] },
      ],
    });
    expect(entries.map((e) => [e.id, e.advice[0]?.other])).toEqual([["rule-b", "rule-c"], ["rule-c", "rule-b"], ["rule-a", undefined]]);
  });

  it("leaves out what the learning wrote together, and keeps decisions and notes of a person", () => {
    const entries = entriesOf({ ...none, items: [item({ id: "r", kind: "reference" }), item({ id: "d", kind: "reference", label: "decision" }), item({ id: "n", kind: "reference", label: "note" })] });
    expect(entries.map((e) => e.kind)).toEqual(["decision", "note"]);
  });
});

describe("filtered", () => {
  const entries = entriesOf({
    ...none,
    items: [item({ id: "rule-1", content: "Retry three times", quotations: [quotation("T-1", "retry three times", "Jonas")] }), item({ id: "lesson-1", kind: "lesson", content: "The disk was full", quotations: [quotation("T-5", "the disk was full")] })],
  });

  it("asks for every word, in the text or by whom it was said", () => {
    expect(filtered(entries, { kind: "", query: "JONAS times" }).map((e) => e.id)).toEqual(["rule-1"]);
    expect(filtered(entries, { kind: "", query: "jonas disk" })).toEqual([]);
    expect(filtered(entries, { kind: "lesson", query: "" }).map((e) => e.id)).toEqual(["lesson-1"]);
  });

  it("puts what was found by meaning after what has the words, and once", () => {
    const found = new Set(["store T-5", "store T-1"]);
    expect(filtered(entries, { kind: "", query: "retry", found }).map((e) => e.id)).toEqual(["rule-1", "lesson-1"]);
    expect(filtered(entries, { kind: "rule", query: "retry", found }).map((e) => e.id)).toEqual(["rule-1"]);
  });
});
