/** How the server stands, in words for a person. */
import { l10n } from "vscode";
import type { IndexStatusResult, LearningStatus, ReceiptsResult } from "./contract.gen";

/** What the status bar shows. */
export interface Bar {
  text: string;
  /** One sentence, for a screen reader too. */
  tooltip: string;
  problem: boolean;
}

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

/** The status as the status bar shows it. */
export function statusText(status: IndexStatusResult | undefined, running: boolean, learning?: LearningStatus, isPaused = false): Bar {
  const bar = indexText(status, running, isPaused);
  if (!learning?.progress || bar.problem || status?.state !== "idle") return bar;
  return { ...bar, text: `$(mortar-board) ctx ${Math.round(100 * learning.progress.share)}%`, tooltip: `Contexture: ${learningText(learning)}` };
}

function indexText(status: IndexStatusResult | undefined, running: boolean, isPaused: boolean): Bar {
  if (!running) return { text: "$(circle-slash) ctx", tooltip: l10n.t("Contexture is not running"), problem: true };
  if (!status) return { text: "$(sync~spin) ctx", tooltip: l10n.t("Contexture is starting"), problem: false };
  const files = l10n.t("{0} of {1} files, {2} chunks", status.files, status.filesTotal, status.chunks);
  if (isPaused && status.state !== "error") return { text: "$(debug-pause) ctx", tooltip: l10n.t("Contexture: indexing is paused: {0}", files), problem: false };
  switch (status.state) {
    case "scanning":
      return { text: "$(sync~spin) ctx", tooltip: l10n.t("Contexture is scanning the workspace: {0}", files), problem: false };
    case "indexing":
      return { text: `$(sync~spin) ctx ${indexedShare(status)}%`, tooltip: l10n.t("Contexture is indexing: {0}", files), problem: false };
    case "error":
      return { text: "$(error) ctx", tooltip: l10n.t("Contexture cannot index; see the output"), problem: true };
    default: {
      const upToDate = l10n.t("Contexture is up to date: {0}", files);
      const { pending, problem } = status.embedder;
      if (problem) return { text: "$(warning) ctx", tooltip: `${upToDate}; ${modelText(problem)}`, problem: false };
      return { text: "$(check) ctx", tooltip: pending > 0 ? l10n.t("{0}, {1} embeddings to come", upToDate, pending) : upToDate, problem: false };
    }
  }
}

/** Says that the model server is not available, and what happens instead. */
export function modelText(problem: string): string {
  return l10n.t("the model server is unavailable ({0}), so built-in embeddings are used", problem);
}

/** How much of the index is done, in percent. */
export function indexedShare({ filesTotal, queue }: Pick<IndexStatusResult, "filesTotal" | "queue">): number {
  return Math.floor((100 * Math.max(0, filesTotal - queue)) / Math.max(1, filesTotal));
}

/** The status for a person to read, line by line. */
export function statusLines(status: IndexStatusResult): string[] {
  const { embedder } = status;
  return [
    l10n.t("State: {0}", stateText(status.state)),
    l10n.t("Files: {0} of {1}, {2} waiting, {3} out of date", status.files, status.filesTotal, status.queue, status.stale),
    l10n.t("Chunks: {0}, symbols: {1}", status.chunks, status.symbols),
    l10n.t("Embedder: {0} ({1}), {2} pending", embedder.name, embedder.source, embedder.pending) + (embedder.problem ? `: ${embedder.problem}` : ""),
    ...status.skipped.map((s) => l10n.t("Left out: {0} ({1})", s.count, s.reason)),
    ...status.quarantined.map((q) => l10n.t("Set aside: {0}: {1}", q.path, q.reason)),
  ];
}

function stateText(state: IndexStatusResult["state"]): string {
  switch (state) {
    case "idle":
      return l10n.t("up to date");
    case "scanning":
      return l10n.t("scanning");
    case "indexing":
      return l10n.t("indexing");
    case "error":
      return l10n.t("cannot index");
  }
}

/** How the learning from conversations stands. */
export function learningText(learning: LearningStatus): string {
  const { progress: p } = learning;
  if (p) {
    const share = l10n.t("learning: {0}%", Math.round(100 * p.share));
    return [share, p.stage, p.waits && l10n.t("waits for {0}", p.waits)].filter(Boolean).join(", ");
  }
  const known = l10n.t("Knowledge: {0} topics, {1} people and things", learning.topics, learning.entities);
  const last = learning.lastRunAt ? l10n.t("learned {0} UTC", learning.lastRunAt.slice(0, 16).replace("T", " ")) : l10n.t("nothing learned yet");
  const waits = learning.state === "waiting" && learning.waits ? l10n.t("waits for {0}", learning.waits) : "";
  return [`${known}; ${[last, waits].filter(Boolean).join(", ")}`, learning.problem && l10n.t("failed: {0}", learning.problem)].filter(Boolean).join("; ");
}

/** What assistants were given and, where that is known, what came of it; undefined where they were given nothing. */
export function receiptText({ total, conversations, unseen }: Pick<ReceiptsResult, "total" | "conversations" | "unseen">): string | undefined {
  if (total.prompts === 0) return undefined;
  const given = l10n.t("Given to assistants in thirty days: {0} tokens", total.given);
  if (!conversations.some((c) => c.seen)) return `${given}; ${l10n.t("what came of it is not known")}`;
  const net = total.spared - total.given;
  const spared = l10n.t("spared {0}, net {1}", total.spared, net > 0 ? `+${net}` : net);
  return [given, spared, unseen > 0 && l10n.t("conversations not captured: {0}", unseen)].filter(Boolean).join("; ");
}
