/** The turns of a conversation, as far as they are known: the latest page first, then those before it. */
import { useEffect, useState } from "preact/hooks";
import type { TimelineTurn, TurnMark, TurnsResult } from "../../../../vscode/src/contract.gen";
import { useAnswer, type Answer } from "../../answer";
import { failure, type Failure } from "../../host/host";
import { host, memoryChanges } from "../../session";

export type MarkKind = TurnMark["kind"];
export const markKinds: readonly MarkKind[] = ["decision", "question", "rule", "lesson"];

/** What is known of a conversation's turns. */
export interface Known {
  turns: ReadonlyMap<number, TimelineTurn>;
  /** The number of the first turn that was asked for; those before it may be there as well. */
  from: number;
  /** The number of the last turn. */
  last: number;
}

export const nothing: Known = { turns: new Map(), from: 1, last: 0 };

export function numberOf(turnId: string): number {
  return Number(turnId.replace(/^T-/, "")) || 0;
}

/**
 * Adds a page to what is known. A turn that the page should hold and does not was forgotten.
 *
 * @param before the turn that the page ends before; absent for the latest page
 */
export function addPage(known: Known, page: TurnsResult, before?: number): Known {
  const first = page.next === undefined ? 1 : numberOf(page.next);
  const last = page.turns.at(-1);
  const to = before ?? (last ? numberOf(last.turnId) + 1 : 1);
  const turns = new Map(known.turns);
  for (const n of known.turns.keys()) if ((n >= first && n < to) || (before === undefined && n >= to)) turns.delete(n);
  for (const turn of page.turns) turns.set(numberOf(turn.turnId), turn);
  const kept = known.last ? known.from : first;
  return { turns, from: Math.min(kept, first), last: before === undefined ? to - 1 : known.last };
}

/** Returns the numbers of the turns to list, in order, also of those that are not known yet. */
export function listed(known: Known): number[] {
  const out: number[] = [];
  for (let n = 1; n < known.from; n++) out.push(n);
  for (let n = known.from; n <= known.last; n++) if (known.turns.has(n)) out.push(n);
  return out;
}

/** Marks of one text: a decision may be a rule as well. */
export interface MarkLine {
  text: string;
  kinds: { kind: MarkKind; superseded: boolean }[];
}

/** Brings marks of the same text together. */
export function markLines(marks: readonly TurnMark[]): MarkLine[] {
  const lines = new Map<string, MarkLine>();
  for (const m of marks) {
    const line = lines.get(m.text) ?? { text: m.text, kinds: [] };
    line.kinds.push({ kind: m.kind, superseded: m.superseded ?? false });
    lines.set(m.text, line);
  }
  return [...lines.values()];
}

/** What was decided, asked, ruled or learned in a turn. */
export interface Said {
  turn: TimelineTurn;
  line: MarkLine;
  /** The line's place among those of its turn. */
  at: number;
}

/** Returns what is marked in a conversation by its first kind, what holds before what was replaced. */
export function saidIn(known: Known): Map<MarkKind, Said[]> {
  const out = new Map<MarkKind, Said[]>(markKinds.map((kind) => [kind, []]));
  for (const n of listed(known)) {
    const turn = known.turns.get(n);
    if (turn) markLines(turn.marks).forEach((line, at) => line.kinds[0] && out.get(line.kinds[0].kind)?.push({ turn, line, at }));
  }
  const isOver = ({ line }: Said): number => Number(line.kinds.every((k) => k.superseded));
  for (const said of out.values()) said.sort((a, b) => isOver(a) - isOver(b));
  return out;
}

const pageSize = 1000; // turns, the most that one answer holds

export interface Timeline {
  known: Known;
  newest: Answer<TurnsResult>;
  /** Why turns before those that are known could not be read. */
  error: Failure | undefined;
}

/** Reads a conversation's turns, page by page, and again when memory changes. */
export function useTimeline(conversationId: string): Timeline {
  const newest = useAnswer("contexture.conversation.turns", { conversationId, limit: pageSize }, { changes: memoryChanges });
  const [known, setKnown] = useState(nothing);
  const [error, setError] = useState<Failure>();
  useEffect(() => {
    if (!newest.value) return;
    const abort = new AbortController();
    const show = (page: TurnsResult, before?: number): void => setKnown((k) => addPage(k, page, before));
    const read = async (first: TurnsResult): Promise<void> => {
      setError(undefined);
      show(first);
      for (let { next } = first; next !== undefined; ) {
        const page: TurnsResult = await host().execute("contexture.conversation.turns", { conversationId, limit: pageSize, before: next }, abort.signal);
        if (abort.signal.aborted) return;
        show(page, numberOf(next));
        ({ next } = page);
      }
    };
    read(newest.value).catch((thrown: unknown) => {
      if (!abort.signal.aborted) setError(failure(thrown));
    });
    return () => abort.abort();
  }, [newest.value]);
  return { known, newest, error };
}
