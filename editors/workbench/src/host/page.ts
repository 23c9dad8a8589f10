/** The page of `contexture panel`: commands go over HTTP to the program that served it, events come as a stream. */
import type { Host, HostEvent } from "./host";

interface Session {
  roots: string[];
  /** Whether the program can start the person's editor. */
  editor: boolean;
}

/** Whether the page is being left: what it still asks outlives it. */
let ends = false;
window.addEventListener("pagehide", () => (ends = true), true);
window.addEventListener("pageshow", () => (ends = false));

async function post(path: string, body: object, signal?: AbortSignal): Promise<unknown> {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), keepalive: ends, ...(signal ? { signal } : {}) });
  const text = await answer.text();
  if (answer.ok) return text ? JSON.parse(text) : undefined;
  let error: unknown;
  try {
    error = JSON.parse(text);
  } catch {
    error = { message: text || answer.statusText };
  }
  throw error;
}

const stateKey = "workbench";

/** Opens the session of the page. Rejects when the program has ended or the address was used elsewhere. */
export async function pageHost(): Promise<Host> {
  const session = (await post("/session", {})) as Session;
  const listeners = new Set<(event: HostEvent) => void>();
  let stream: EventSource | undefined;
  const tell = (event: HostEvent): void => listeners.forEach((l) => l(event));
  const connect = (): void => {
    if (stream) return;
    stream = new EventSource("/events"); // reconnects by itself
    stream.onopen = () => tell({ kind: "connection", connected: true });
    stream.onerror = () => tell({ kind: "connection", connected: false });
    stream.onmessage = (message: MessageEvent<string>) => tell(JSON.parse(message.data) as HostEvent);
  };
  return {
    kind: "page",
    roots: session.roots,
    language: navigator.language,
    opens: session.editor ? "editor" : "link",
    execute: (command, args, signal) => post("/execute", { command, args }, signal) as Promise<never>,
    async open(uri, range) {
      const line = (range?.start.line ?? 0) + 1;
      if (session.editor) await post("/open", { uri, line });
      else window.location.href = `vscode://file${new URL(uri).pathname}:${line}`;
    },
    copy: (text) => navigator.clipboard.writeText(text),
    listen(listener) {
      listeners.add(listener);
      connect();
      return () => listeners.delete(listener);
    },
    saved: () => JSON.parse(sessionStorage.getItem(stateKey) ?? "null") as unknown,
    save: (state) => sessionStorage.setItem(stateKey, JSON.stringify(state)),
  };
}
