/** What the workbench runs in: the page that `contexture panel` serves, or VS Code's webview. */
import type { CommandId, Commands, IndexStatusResult, LearningStatus, Range } from "../../../vscode/src/contract.gen";

export type { CommandId, Commands };

/** What the server reports without being asked. */
export type HostEvent =
  | { kind: "status"; status: IndexStatusResult }
  | { kind: "learning"; learning: LearningStatus }
  | { kind: "memory"; version: number }
  | { kind: "connection"; connected: boolean }
  /** The editor opened or left a document, or moved the cursor. */
  | { kind: "place"; path: string | undefined };

export interface Host {
  readonly kind: "page" | "vscode";
  /** URIs of the workspace's folders. */
  readonly roots: readonly string[];
  /** The BCP 47 tag that the surroundings prefer. */
  readonly language: string;
  /** How files open: in this editor, by the person's `$EDITOR`, or only by a link. */
  readonly opens: "here" | "editor" | "link";
  /** Runs a command of the contract. Rejects with a Failure, or with an AbortError when the signal aborts. */
  execute<C extends CommandId>(command: C, args: Commands[C]["args"], signal?: AbortSignal): Promise<Commands[C]["result"]>;
  /** Opens a file, at the range's first line. */
  open(uri: string, range?: Range): Promise<void>;
  copy(text: string): Promise<void>;
  /** Calls the listener for each event until the returned function is called. */
  listen(listener: (event: HostEvent) => void): () => void;
  /** What `save` kept, also over a reload; undefined at first. */
  saved(): unknown;
  save(state: unknown): void;
}

/** A command's error: `data.field` names the argument that is wrong, `data.code` says `notFound`, `unavailable` and such. */
export interface Failure {
  code?: number;
  message: string;
  data?: { field?: string; code?: string; [key: string]: unknown };
}

/** Returns what was thrown as a failure; undefined for a request that was cancelled. */
export function failure(thrown: unknown): Failure | undefined {
  if (typeof thrown === "object" && thrown !== null) {
    if ("name" in thrown && thrown.name === "AbortError") return undefined;
    if ("code" in thrown && thrown.code === -32800) return undefined;
    if ("message" in thrown && typeof thrown.message === "string") return thrown as Failure;
  }
  return { message: String(thrown) };
}
