/** The panel in VS Code: what it wants done it asks the extension. */
import { Panel } from "../../../../server/panel/assets/panel.js";

declare function acquireVsCodeApi(): { postMessage(message: unknown): void; getState(): unknown; setState(state: unknown): void };

interface Answer {
  id: number;
  result?: unknown;
  error?: unknown;
}

const vscode = acquireVsCodeApi();
const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: unknown) => void }>();
let last = 0;

window.addEventListener("message", (event: MessageEvent<Answer>) => {
  const { id, result, error } = event.data;
  const call = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) call?.resolve(result);
  else call?.reject(error);
});

function execute(command: string, args: object, signal: AbortSignal): Promise<unknown> {
  const id = ++last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    signal.addEventListener("abort", () => {
      if (!waiting.delete(id)) return;
      vscode.postMessage({ kind: "cancel", id });
      reject(new DOMException("cancelled", "AbortError"));
    });
    vscode.postMessage({ kind: "execute", id, command, args });
  });
}

const root = document.getElementById("contexture");
if (root) {
  new Panel(
    root,
    {
      execute,
      open: (uri, range) => {
        vscode.postMessage({ kind: "open", uri, range });
      },
      copy: (text) => {
        vscode.postMessage({ kind: "copy", text });
        return Promise.resolve();
      },
      saved: () => vscode.getState(),
      save: (state: unknown) => {
        vscode.setState(state);
      },
    },
    JSON.parse(root.dataset["roots"] ?? "[]") as string[],
  );
}
