/** The walkthrough, and which of its steps are done. */
import * as vscode from "vscode";

/** Steps that are done by what the extension sees, and not by a command. */
export type Step = "open" | "context" | "conversations";

const done = new Set<Step>();
let isOpen = false;

/** Ticks a step. VS Code never ticks one whose condition holds before a walkthrough is opened: until then it is kept. */
export function complete(step: Step): void {
  done.add(step);
  if (isOpen) void tick(step);
}

/** Opens the walkthrough, with what is done already. */
export async function openWalkthrough(): Promise<void> {
  if (vscode.workspace.workspaceFolders?.length) done.add("open");
  await vscode.commands.executeCommand("workbench.action.openWalkthrough", "contexture.contexture#start", false);
  isOpen = true;
  await Promise.all([...done].map(tick));
}

function tick(step: Step): Thenable<unknown> {
  return vscode.commands.executeCommand("setContext", `contexture.done.${step}`, true);
}
