/** VS Code's webview: what the workbench wants done it asks the extension. */
import type { Host, HostEvent } from "./host";

interface Api {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  interface Window {
    acquireVsCodeApi?: () => Api;
  }
}

type FromExtension = { id: number; result?: unknown; error?: unknown } | { event: HostEvent };

/** What the extension writes into the page's root element. */
interface Given {
  roots?: string;
  language?: string;
  file?: string;
}

/** Returns the host of a webview; undefined elsewhere. */
export function vscodeHost(given: Given): Host | undefined {
  const api = window.acquireVsCodeApi?.();
  if (!api) return undefined;
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: unknown) => void }>();
  const listeners = new Set<(event: HostEvent) => void>();
  let last = 0;
  window.addEventListener("message", (message: MessageEvent<FromExtension>) => {
    const { data } = message;
    if ("event" in data) {
      listeners.forEach((l) => l(data.event));
      return;
    }
    const call = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error === undefined) call?.resolve(data.result as never);
    else call?.reject(data.error);
  });
  const ask = (message: object, signal?: AbortSignal): Promise<never> => {
    const id = ++last;
    return new Promise((resolve, reject) => {
      const cancelled = (): void => reject(new DOMException("cancelled", "AbortError"));
      if (signal?.aborted) {
        cancelled();
        return;
      }
      waiting.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => {
        if (!waiting.delete(id)) return;
        api.postMessage({ kind: "cancel", id });
        cancelled();
      });
      api.postMessage({ ...message, id });
    });
  };
  return {
    kind: "vscode",
    roots: JSON.parse(given.roots ?? "[]") as string[],
    language: given.language ?? navigator.language,
    opens: "here",
    execute: (command, args, signal) => ask({ kind: "execute", command, args }, signal),
    open: (uri, range) => ask({ kind: "open", uri, range }),
    copy: (text) => ask({ kind: "copy", text }),
    listen(listener) {
      listeners.add(listener);
      listener({ kind: "place", path: given.file ? given.file : undefined });
      return () => listeners.delete(listener);
    },
    saved: () => api.getState(),
    save: (state) => api.setState(state),
  };
}
