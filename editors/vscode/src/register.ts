/** Commands whose errors are shown to the person. */
import * as vscode from "vscode";

/** What an error says, without its name. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Registers the command `contexture.<name>`. What goes wrong in it is shown; the error itself is not passed on. */
export function register(name: string, run: (...args: never[]) => Promise<unknown>): vscode.Disposable {
  return vscode.commands.registerCommand(`contexture.${name}`, async (...args: unknown[]) => {
    try {
      await run(...(args as never[]));
    } catch (error) {
      void vscode.window.showErrorMessage(`Contexture: ${messageOf(error)}`);
    }
  });
}
