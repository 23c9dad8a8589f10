/** What all places share: the host, what it reports, and the messages to the person. */
import { batch, signal } from "@preact/signals";
import type { IndexStatusResult, LearningStatus } from "../../vscode/src/contract.gen";
import type { Host } from "./host/host";

let current: Host | undefined;

/** The host, which `begin` has set. */
export function host(): Host {
  if (!current) throw new Error("the workbench has not begun");
  return current;
}

/** The state of the index of each root, by its URI. */
export const statuses = signal<ReadonlyMap<string, IndexStatusResult>>(new Map());
/** The learning, while it goes on. */
export const learning = signal<LearningStatus | undefined>(undefined);
/** Whether the server can be reached. */
export const connected = signal(true);
/** Counts changes of the memory; places that show it ask again. */
export const memoryChanges = signal(0);
/** Counts new versions of the index. */
export const indexChanges = signal(0);
/** The path of the file that the editor shows, relative to its root; undefined on the page. */
export const placeInView = signal<string | undefined>(undefined);
/** The latest announcement: a screen reader says it, the eyes find it at the lower edge. */
export const announcement = signal<{ text: string; kind: "done" | "failed"; undo?: () => void } | undefined>(undefined);

/** Tells the person that something was done or failed; with `undo`, what was done can be taken back. */
export function announce(text: string, kind: "done" | "failed" = "done", undo?: () => void): void {
  announcement.value = { text, kind, ...(undo ? { undo } : {}) };
}

const changeRest = 250; // ms that changes of the memory are gathered
let memoryChanged: ReturnType<typeof setTimeout> | undefined;

/** Follows a host until the returned function is called. */
export function begin(of: Host): () => void {
  current = of;
  const back = (): void => {
    memoryChanges.value++; // somebody comes back, and may have talked elsewhere
  };
  window.addEventListener("focus", back);
  const stop = of.listen((event) => {
    switch (event.kind) {
      case "status": {
        const root = event.status.workspace ?? "";
        const before = statuses.value.get(root);
        batch(() => {
          statuses.value = new Map(statuses.value).set(root, event.status);
          if (before && before.version !== event.status.version) indexChanges.value++;
        });
        break;
      }
      case "learning":
        learning.value = event.learning.state === "running" ? event.learning : undefined;
        if (event.learning.state !== "running") memoryChanges.value++;
        break;
      case "memory":
        // What asks again shows the latest state: a burst of changes is one for it.
        memoryChanged ??= setTimeout(() => {
          memoryChanged = undefined;
          memoryChanges.value++;
        }, changeRest);
        break;
      case "connection":
        if (event.connected && !connected.value) memoryChanges.value++; // something may have been missed
        connected.value = event.connected;
        break;
      case "place":
        placeInView.value = event.path;
        break;
    }
  });
  return () => {
    window.removeEventListener("focus", back);
    stop();
  };
}

/** Returns the path of a file's URI below the root that holds it, else its whole path. */
export function relative(uri: string): string {
  for (const root of host().roots) {
    const folder = root.endsWith("/") ? root : `${root}/`;
    if (uri.startsWith(folder)) return decodeURIComponent(uri.slice(folder.length));
  }
  try {
    return decodeURIComponent(new URL(uri).pathname);
  } catch {
    return uri;
  }
}

/** Returns the URI of a path below a root, the first one where none is given. */
export function uriOf(path: string, root = host().roots[0] ?? "file:///"): string {
  return `${root.replace(/\/$/, "")}/${path.split("/").map(encodeURIComponent).join("/")}`;
}
