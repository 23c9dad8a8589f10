/** Lists that come in pages: the first page follows what changes, those after it are asked for once. */
import type { ReadonlySignal } from "@preact/signals";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAnswer, type Answer } from "./answer";
import { failure, type CommandId, type Commands, type Failure } from "./host/host";
import { host } from "./session";

export interface Pages<T, R> {
  rows: readonly T[];
  first: Answer<R>;
  /** Asks for the next page; does nothing while one is awaited, or where there is none. */
  more: () => void;
  error: Failure | undefined;
  /** Whether there is a page that was not asked for. */
  left: boolean;
}

interface PagesOptions<C extends CommandId, T> {
  rowsOf: (page: Commands[C]["result"]) => readonly T[];
  keyOf: (row: T) => string;
  /** Where the next page begins; undefined at the end. */
  nextOf: (page: Commands[C]["result"]) => string | undefined;
  /** The arguments of a page. */
  from: (args: Commands[C]["args"], next: string) => Commands[C]["args"];
  /** What the rows are ordered by, the greatest first. */
  orderOf: (row: T) => string;
  changes?: ReadonlySignal<number>;
  rest?: number;
}

/** Puts a newer first page before rows that are known: what it shows holds, and of the others those that come after it. */
export function merge<T>(first: readonly T[], known: readonly T[], keyOf: (row: T) => string, orderOf: (row: T) => string): T[] {
  const shown = new Set(first.map(keyOf));
  const last = first.at(-1);
  const bound = last === undefined ? undefined : orderOf(last);
  const out = [...first];
  for (const row of known) {
    const key = keyOf(row);
    if (shown.has(key) || (bound !== undefined && orderOf(row) > bound)) continue; // it was removed
    shown.add(key);
    out.push(row);
  }
  return out;
}

/** Asks for a list page by page while the component lives. Other arguments start over. */
export function usePages<C extends CommandId, T>(command: C, args: Commands[C]["args"], options: PagesOptions<C, T>): Pages<T, Commands[C]["result"]> {
  const { rowsOf, keyOf, nextOf, from, orderOf, changes, rest } = options;
  const first = useAnswer(command, args, { ...(changes ? { changes } : {}), ...(rest ? { rest } : {}) });
  const key = JSON.stringify(args);
  const [later, setLater] = useState<{ rows: readonly T[]; next: string | undefined; error: Failure | undefined; asked: boolean }>({ rows: [], next: undefined, error: undefined, asked: false });
  const abort = useRef<AbortController>();
  useEffect(() => {
    setLater({ rows: [], next: undefined, error: undefined, asked: false });
    return () => abort.current?.abort();
  }, [key]);
  const next = later.asked ? later.next : first.value && nextOf(first.value);
  const more = useCallback(() => {
    // While other arguments are asked for, the page that is shown is that of the arguments before.
    if (next === undefined || (abort.current && !abort.current.signal.aborted) || first.loading) return;
    const own = (abort.current = new AbortController());
    host()
      .execute(command, from(args, next), own.signal)
      .then((page) => {
        if (!own.signal.aborted) setLater((l) => ({ rows: [...l.rows, ...rowsOf(page)], next: nextOf(page), error: undefined, asked: true }));
      })
      .catch((thrown: unknown) => {
        const error = failure(thrown);
        if (error && !own.signal.aborted) setLater((l) => ({ ...l, error }));
      })
      .finally(() => {
        if (abort.current === own) abort.current = undefined;
      });
  }, [key, next, first.loading]);
  // A newer first page begins with what came since: what stood on the one before stays, behind it.
  const before = useRef<readonly T[]>([]);
  const keyBefore = useRef(key);
  const rows = useMemo(() => {
    if (keyBefore.current !== key) before.current = [];
    keyBefore.current = key;
    const now = first.value ? rowsOf(first.value) : [];
    const all = later.asked ? merge(now, [...before.current, ...later.rows], keyOf, orderOf) : [...now];
    before.current = all;
    return all;
  }, [first.value, later, key]);
  return { rows, first, more, error: later.error, left: next !== undefined };
}
