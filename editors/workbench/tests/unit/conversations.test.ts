// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import type { TimelineTurn, TurnMark, TurnsResult } from "../../../vscode/src/contract.gen";
import { merge } from "../../src/pages";
import { forkId } from "../../src/places/conversations/fork";
import { beginningOf, outcome } from "../../src/places/conversations/import";
import { addPage, listed, markLines, nothing, numberOf, saidIn } from "../../src/places/conversations/timeline";
import { chosenLanguage } from "../../src/texts";

const turn = (n: number, ...kinds: TurnMark["kind"][]): TimelineTurn => ({
  turnId: `T-${n}`, at: "2026-11-21T00:00:00Z", title: `turn ${n}`, messageCount: 2, tokens: 10, marks: kinds.map((kind) => ({ kind, text: `${kind} ${n}` })),
});
const page = (turns: TimelineTurn[], next?: string): TurnsResult => ({ title: "", turns, forks: [], ...(next ? { next } : {}) });

describe("a timeline", () => {
  it("grows from the latest page to the first turn", () => {
    const latest = addPage(nothing, page([turn(4, "rule"), turn(5)], "T-4"));
    expect(listed(latest)).toEqual([1, 2, 3, 4, 5]);
    const whole = addPage(latest, page([turn(1), turn(2, "decision", "rule"), turn(3)]), numberOf("T-4"));
    expect(listed(whole)).toEqual([1, 2, 3, 4, 5]);
    const said = [...saidIn(whole)].map(([kind, lines]) => [kind, ...lines.map((s) => `${s.turn.turnId} ${s.at}`)]);
    expect(said).toEqual([["decision", "T-2 0"], ["question"], ["rule", "T-2 1", "T-4 0"], ["lesson"]]);
  });

  it("drops the turns that a newer page does not hold, and keeps those that it does not reach", () => {
    const whole = addPage(addPage(nothing, page([turn(3), turn(4)], "T-3")), page([turn(1), turn(2)]), 3);
    const after = addPage(whole, page([turn(4), turn(5)], "T-3"));
    expect(listed(after)).toEqual([1, 2, 4, 5]);
  });

  it("is empty for a conversation without turns", () => {
    expect(listed(addPage(nothing, page([])))).toEqual([]);
  });

  it("lists what holds before what was replaced", () => {
    const [over, holds] = [turn(1, "decision"), turn(2, "decision")];
    over.marks = over.marks.map((m) => ({ ...m, superseded: true }));
    expect(saidIn(addPage(nothing, page([over, holds]))).get("decision")?.map((s) => s.turn.turnId)).toEqual(["T-2", "T-1"]);
  });

  it("brings marks of the same text together", () => {
    const lines = markLines([{ kind: "decision", text: "a" }, { kind: "rule", text: "a", superseded: true }, { kind: "lesson", text: "b" }]);
    expect(lines.map((l) => [l.text, l.kinds.map((k) => `${k.kind}${k.superseded ? "!" : ""}`)])).toEqual([["a", ["decision", "rule!"]], ["b", ["lesson"]]]);
  });
});

describe("pages", () => {
  const rows = (...keys: string[]): { id: string; at: string }[] => keys.map((k) => ({ id: k, at: k.slice(1) }));
  it("put a newer first page before what is known, without what it should hold and does not", () => {
    const known = rows("a9", "b8", "c7", "d3", "e2");
    const now = merge(rows("d9", "a8", "c7"), known, (r) => r.id[0] ?? "", (r) => r.at);
    expect(now.map((r) => r.id)).toEqual(["d9", "a8", "c7", "e2"]);
  });
});

describe("a fork", () => {
  it("has an id of at most 200 characters", () => {
    expect([forkId("a", "T-4", 1), forkId("a", "T-4", 2)]).toEqual(["a-T-4", "a-T-4-2"]);
    expect(forkId("x".repeat(200), "T-4", 3)).toHaveLength(200);
  });
});

describe("an import", () => {
  it("begins with a day where the person is", () => {
    expect(beginningOf("2026-10-31")).toBe(new Date(2026, 9, 31).toISOString());
    expect([beginningOf(""), beginningOf("nonsense")]).toEqual([undefined, undefined]);
  });

  it("says what it brought, and what failed", () => {
    chosenLanguage.value = "en";
    const source = { source: "codex", logs: 2, bytes: 10, messages: 1, errors: [], unread: [] };
    expect(outcome([source])).toEqual({ text: "Imported: 1 message from 2 logs.", failed: false });
    expect(outcome([{ ...source, errors: ["broken"] }])).toEqual({ text: "Imported: 1 message from 2 logs. 1 error", failed: true });
  });
});
