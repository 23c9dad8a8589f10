/** Texts that are made of the server's answers. Nothing here knows of VS Code. */
import type { IndexStatusResult, SearchResult, TaskListResult } from "./contract.gen";

/** The states of an index: what works outweighs what has failed, and that what is idle. */
const busyness = ["idle", "error", "indexing", "scanning"];

/** The statuses of several folders as one; undefined for none. */
export function together(statuses: readonly IndexStatusResult[]): IndexStatusResult | undefined {
  const [first, ...others] = statuses;
  if (!first || others.length === 0) return first;
  const sum = (of: (status: IndexStatusResult) => number): number => statuses.reduce((n, status) => n + of(status), 0);
  const problem = statuses.find((status) => status.embedder.problem)?.embedder.problem;
  return {
    ...first,
    state: statuses.map((status) => status.state).reduce((a, b) => (busyness.indexOf(b) > busyness.indexOf(a) ? b : a)),
    files: sum((s) => s.files), filesTotal: sum((s) => s.filesTotal), chunks: sum((s) => s.chunks), symbols: sum((s) => s.symbols),
    bytes: sum((s) => s.bytes), queue: sum((s) => s.queue), stale: sum((s) => s.stale), errors: sum((s) => s.errors),
    embedder: { ...first.embedder, pending: sum((s) => s.embedder.pending), ...(problem && { problem }) },
    skipped: statuses.flatMap((s) => s.skipped), quarantined: statuses.flatMap((s) => s.quarantined),
  };
}

/** The status as it stands in the status bar. */
export function statusText(status: IndexStatusResult | undefined, running: boolean): { text: string; tooltip: string; problem: boolean } {
  if (!running) return { text: "$(circle-slash) ctx", tooltip: "Contexture is not running", problem: true };
  if (!status) return { text: "$(sync~spin) ctx", tooltip: "Contexture is starting", problem: false };
  const files = `${status.files} of ${status.filesTotal} files, ${status.chunks} chunks`;
  switch (status.state) {
    case "scanning":
      return { text: "$(sync~spin) ctx", tooltip: `Contexture is scanning the workspace: ${files}`, problem: false };
    case "indexing": {
      const share = Math.floor((100 * Math.max(0, status.filesTotal - status.queue)) / Math.max(1, status.filesTotal));
      return { text: `$(sync~spin) ctx ${share}%`, tooltip: `Contexture is indexing: ${files}`, problem: false };
    }
    case "error":
      return { text: "$(error) ctx", tooltip: "Contexture cannot index; see the output", problem: true };
    default: {
      const pending = status.embedder.pending > 0 ? `, ${status.embedder.pending} embeddings to come` : "";
      return { text: "$(check) ctx", tooltip: `Contexture is up to date: ${files}${pending}`, problem: false };
    }
  }
}

/** The status for a person to read, line by line. */
export function statusLines(status: IndexStatusResult): string[] {
  return [
    `state: ${status.state}`,
    `files: ${status.files} of ${status.filesTotal}, ${status.queue} waiting, ${status.stale} out of date`,
    `chunks: ${status.chunks}, symbols: ${status.symbols}`,
    `embedder: ${status.embedder.name} (${status.embedder.source}), ${status.embedder.pending} pending${status.embedder.problem ? `: ${status.embedder.problem}` : ""}`,
    ...status.skipped.map((s) => `left out: ${s.count} ${s.reason}`),
    ...status.quarantined.map((q) => `set aside: ${q.path}: ${q.reason}`),
  ];
}

/** Hits as text for a model. */
export function hitsText(result: SearchResult): string {
  if (result.hits.length === 0) return "Nothing was found.";
  return result.hits.map((hit) => {
    const line = hit.range ? `:${hit.range.start.line + 1}` : "";
    return `${hit.uri ?? hit.kind}${line} ${hit.title}\n${hit.snippet}`;
  }).join("\n\n");
}

/** Tasks as text for a model. */
export function tasksText(result: TaskListResult): string {
  const lines = [
    ...result.blockers.map((b) => `blocked ${b.taskId}: ${b.reason}`),
    ...result.completed.map((t) => `done ${t.taskId}${t.intent ? `: ${t.intent}` : ""}`),
  ];
  return lines.length > 0 ? lines.join("\n") : "No tasks or blockers.";
}

/** The budget to ask for where a caller has so many tokens: within the contract's bounds. */
export function budgetFor(tokens: number | undefined, low: number, high: number): number | undefined {
  return tokens === undefined ? undefined : Math.max(low, Math.min(high, Math.floor(tokens)));
}

/** Cuts a text so that it counts at most so many tokens, at line ends where it can. */
export async function within(text: string, tokens: number, count: (text: string) => Thenable<number>): Promise<string> {
  if ((await count(text)) <= tokens) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((await count(text.slice(0, middle))) <= tokens) low = middle;
    else high = middle - 1;
  }
  const cut = text.slice(0, low);
  const line = cut.lastIndexOf("\n");
  return line > low / 2 ? cut.slice(0, line) : cut;
}
