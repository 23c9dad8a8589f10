/** Conversations of other assistants: the person says which are read. */
import * as vscode from "vscode";
import type { CaptureSource } from "./contract.gen";
import { register } from "./register";
import type { Server } from "./server";
import { complete } from "./walkthrough";

interface Choice extends vscode.QuickPickItem {
  source: CaptureSource;
}

/** Asks which assistants' conversations may be read, and brings in those that are there already. */
async function choose(server: Server): Promise<void> {
  const { sources } = await server.contract.captureStatus();
  const items = sources.map((source): Choice => ({
    label: source.source,
    picked: source.on,
    description: source.on ? vscode.l10n.t("on, {0} sessions, {1} messages", source.sessions, source.messages) : "",
    detail: source.places.join(", "),
    source,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    ignoreFocusOut: true,
    title: vscode.l10n.t("Whose conversations may Contexture read?"),
    placeHolder: vscode.l10n.t("They stay on this machine. Nothing is read of those that are not checked."),
  });
  if (!chosen) return;
  const on = new Set(chosen.map(({ source }) => source.source));
  const changed = sources.filter((source) => source.on !== on.has(source.source));
  for (const { source } of changed) await server.contract.captureSet({ source, on: on.has(source) });
  await tellCapture(server);
  const added = changed.map(({ source }) => source).filter((source) => on.has(source));
  if (added.length > 0) await bringIn(server, added);
}

async function bringIn(server: Server, sources: string[]): Promise<void> {
  const action = vscode.l10n.t("Bring In");
  const question = vscode.l10n.t("Bring in the conversations that are there already? New ones are read as they happen.");
  if (!(await vscode.window.showInformationMessage(question, { modal: true }, action))) return;
  const options = { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t("Bringing in conversations") };
  const read = await vscode.window.withProgress(options, async () => (await server.contract.captureImport({ sources })).sources);
  const messages = read.reduce((sum, source) => sum + source.messages, 0);
  const errors = read.flatMap((source) => source.errors);
  for (const error of errors) server.output.warn(`capture: ${error}`);
  const text = vscode.l10n.t("Contexture: {0} messages were brought in.", messages);
  void vscode.window.showInformationMessage(errors.length > 0 ? `${text} ${vscode.l10n.t("{0} logs could not be read; see the output.", errors.length)}` : text);
}

/** Tells the walkthrough whether anything is captured. */
async function tellCapture(server: Server): Promise<void> {
  const { sources } = await server.contract.captureStatus();
  if (sources.some(({ on }) => on)) complete("conversations");
}

/** Registers the command. */
export function registerCapture(server: Server): vscode.Disposable {
  return register("bringInConversations", () => choose(server));
}
