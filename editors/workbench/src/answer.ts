/** Answers of the server as components use them: asked again when something changed, without moving what one reads. */
import { signal, type ReadonlySignal } from "@preact/signals";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { CommandId, Commands } from "./host/host";
import { failure, type Failure } from "./host/host";
import { announce, host } from "./session";

export interface Answer<T> {
  /** The latest answer, also while another is awaited. */
  value: T | undefined;
  error: Failure | undefined;
  loading: boolean;
  /** Whether a newer answer waits for `show`, because the person is reading this one. */
  newer: boolean;
  /** Asks again, and shows what comes. */
  refresh: () => void;
  /** Shows the newer answer. */
  show: () => void;
}

/** Whether the person is reading: then what they see must not change by itself. */
const reading = signal(false);
const readingRest = 4000; // ms without a sign of it
let readingTimer: ReturnType<typeof setTimeout> | undefined;

/** Notes a sign of reading: scrolling, or moving through a list. */
export function noteReading(): void {
  reading.value = true;
  clearTimeout(readingTimer);
  readingTimer = setTimeout(() => (reading.value = false), readingRest);
}

/**
 * Asks the server for something while the component lives.
 *
 * @param args undefined asks nothing
 * @param options.changes asks again whenever one of them changes
 * @param options.rest how long the arguments must have rested before it is asked, in milliseconds
 */
export function useAnswer<C extends CommandId>(
  command: C,
  args: Commands[C]["args"] | undefined,
  options: { changes?: ReadonlySignal<number>; rest?: number } = {},
): Answer<Commands[C]["result"]> {
  type Result = Commands[C]["result"];
  const [state, setState] = useState<{ value: Result | undefined; held: Result | undefined; error: Failure | undefined; loading: boolean }>({
    value: undefined, held: undefined, error: undefined, loading: args !== undefined,
  });
  const key = args === undefined ? undefined : JSON.stringify([command, args]);
  const abort = useRef<AbortController>();
  const ask = useCallback(
    (mayHold: boolean) => {
      abort.current?.abort();
      if (key === undefined) {
        setState({ value: undefined, held: undefined, error: undefined, loading: false });
        return;
      }
      const own = (abort.current = new AbortController());
      setState((s) => ({ ...s, loading: true }));
      const [, parsed] = JSON.parse(key) as [C, Commands[C]["args"]];
      host().execute(command, parsed, own.signal).then(
        (value) => {
          if (own.signal.aborted) return;
          setState((s) => {
            const hold = mayHold && reading.value && s.value !== undefined && JSON.stringify(s.value) !== JSON.stringify(value);
            return hold ? { ...s, held: value, loading: false } : { value, held: undefined, error: undefined, loading: false };
          });
        },
        (thrown: unknown) => {
          const error = failure(thrown);
          if (!own.signal.aborted && error) setState((s) => ({ ...s, error, loading: false }));
        },
      );
    },
    [key],
  );
  useEffect(() => {
    const timer = options.rest ? setTimeout(() => ask(false), options.rest) : undefined;
    if (!timer) ask(false);
    return () => {
      clearTimeout(timer);
      abort.current?.abort();
    };
  }, [ask]);
  useEffect(() => {
    let first = true;
    return options.changes?.subscribe(() => {
      if (!first) ask(true);
      first = false;
    });
  }, [ask, options.changes]);
  return {
    value: state.value,
    error: state.error,
    loading: state.loading,
    newer: state.held !== undefined,
    refresh: () => ask(false),
    show: () => setState((s) => ({ ...s, value: s.held ?? s.value, held: undefined })),
  };
}

/**
 * Runs a command that changes something, and tells the person how it went.
 *
 * @param done is said when it succeeded
 * @param undo takes back what was done
 * @returns the result; undefined where it failed, which was told
 */
export async function act<C extends CommandId>(command: C, args: Commands[C]["args"], done?: string, undo?: () => unknown): Promise<Commands[C]["result"] | undefined> {
  try {
    const result = await host().execute(command, args);
    if (done !== undefined) announce(done, "done", undo && (() => void undo()));
    return result;
  } catch (thrown) {
    const error = failure(thrown);
    if (error) announce(describe(error), "failed");
    return undefined;
  }
}

/** Says what went wrong, with the argument that it concerns. */
export function describe(error: Failure): string {
  const field = error.data?.field ? `${error.data.field}: ` : "";
  return error.message.startsWith(field) ? error.message : field + error.message;
}
