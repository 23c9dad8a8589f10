// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import type { TimelineTurn, TurnMark, TurnsResult } from "../../../vscode/src/contract.gen";
import { merge } from "../../src/pages";
import { quoted } from "../../src/places/conversations/forget";
import { forkId } from "../../src/places/conversations/fork";
import { beginningOf, outcome } from "../../src/places/conversations/import";
import { nearest, stepTo, ticksOf } from "../../src/places/conversations/strip";
import { addPage, countMarks, listed, markLines, nothing, numberOf } from "../../src/places/conversations/timeline";
import { chosenLanguage } from "../../src/texts";

const turn = (n: number, ...kinds: TurnMark["kind"][]): TimelineTurn => ({
  turnId: `T-${n}`, at: "2026-11-21T00:00:00Z", title: `turn ${n}`, messageCount: 2, tokens: 10, marks: kinds.map((kind) => ({ kind, text: `${kind} ${n}` })),
});
const page = (turns: TimelineTurn[], next?: string): TurnsResult => ({ title: "", turns, forks: [], ...(next ? { next } : {}) });

describe("a timeline", () => {
  it("grows from the latest page to the first turn", () => {
    const latest = addPage(nothing, page([turn(4, "rule"), turn(5)], "T-4"));
    expect(listed(latest, undefined)).toEqual([1, 2, 3, 4, 5]);
    expect(listed(latest, "rule")).toEqual([4]);
    const whole = addPage(latest, page([turn(1), turn(2, "decision", "rule"), turn(3)]), numberOf("T-4"));
    expect(listed(whole, undefined)).toEqual([1, 2, 3, 4, 5]);
    expect(listed(whole, "rule")).toEqual([2, 4]);
    expect(countMarks(whole)).toEqual({ decision: 1, question: 0, rule: 2, lesson: 0 });
  });

  it("drops the turns that a newer page does not hold, and keeps those that it does not reach", () => {
    const whole = addPage(addPage(nothing, page([turn(3), turn(4)], "T-3")), page([turn(1), turn(2)]), 3);
    const after = addPage(whole, page([turn(4), turn(5)], "T-3"));
    expect(listed(after, undefined)).toEqual([1, 2, 4, 5]);
  });

  it("is empty for a conversation without turns", () => {
    expect(listed(addPage(nothing, page([])), undefined)).toEqual([]);
  });

  it("brings marks of the same text together", () => {
    const lines = markLines([{ kind: "decision", text: "a" }, { kind: "rule", text: "a", superseded: true }, { kind: "lesson", text: "b" }]);
    expect(lines.map((l) => [l.text, l.kinds.map((k) => `${k.kind}${k.superseded ? "!" : ""}`)])).toEqual([["a", ["decision", "rule!"]], ["b", ["lesson"]]]);
  });
});

describe("the overview", () => {
  const ticks = ticksOf([turn(1), turn(2, "rule"), undefined, turn(4, "rule", "lesson")]);

  it("has a tick for each kind of a row", () => {
    expect(ticks).toEqual([{ row: 1, kind: "rule" }, { row: 3, kind: "rule" }, { row: 3, kind: "lesson" }]);
    expect(ticksOf(Array.from({ length: 100_000 }, (_, i) => turn(i, "rule"))).length).toBeLessThan(300);
  });

  it("finds the next mark, and the nearest", () => {
    expect([stepTo(ticks, 0, true), stepTo(ticks, 1, true), stepTo(ticks, 3, true), stepTo(ticks, 3, false)]).toEqual([1, 3, undefined, 1]);
    expect([nearest(ticks, 0), nearest(ticks, 3), nearest([], 2)]).toEqual([1, 3, 2]);
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

describe("the command that wipes", () => {
  it("quotes what a shell would read", () => {
    expect([quoted("claude-code/7d1f"), quoted("it's $HOME")]).toEqual(["claude-code/7d1f", `'it'\\''s $HOME'`]);
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
