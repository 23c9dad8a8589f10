/** The status bar: how far the index and the learning are, and the ways to the views. */
import * as vscode from "vscode";
import type { Condition, Server } from "./server";
import { learningText, modelText, statusText } from "./text";

/** What the tooltip's links may run. */
const enabledCommands = ["showPanel", "showStatus", "pauseIndex", "resumeIndex", "restartServer", "showOutput"].map((name) => `contexture.${name}`);
const focusCommands = ["rules", "conversations", "index"].map((view) => `contexture.${view}.focus`);

/** Shows the condition of the server in the status bar, and tells the views' welcome texts of it. */
export function registerStatus(server: Server): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("contexture.status", vscode.StatusBarAlignment.Left, 10);
  item.name = "Contexture";
  item.command = "contexture.showStatus";
  let known = "";
  const show = (): void => {
    const { condition } = server;
    const isPaused = vscode.workspace.getConfiguration("contexture").get<boolean>("index.paused", false);
    const { text, tooltip, problem } = statusText(condition.status, condition.running, condition.learning, isPaused);
    item.text = text;
    item.tooltip = tooltipOf(condition, tooltip, isPaused);
    item.accessibilityInformation = { label: condition.problem ?? tooltip };
    item.backgroundColor = problem ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    const state = condition.problem !== undefined ? "problem" : condition.running ? "running" : "stopped";
    if (`${state} ${isPaused}` === known) return;
    known = `${state} ${isPaused}`;
    void vscode.commands.executeCommand("setContext", "contexture.state", state);
    void vscode.commands.executeCommand("setContext", "contexture.isPaused", isPaused);
  };
  show();
  item.show();
  return vscode.Disposable.from(
    item,
    server.onChanged(show),
    vscode.workspace.onDidChangeConfiguration((change) => { if (change.affectsConfiguration("contexture.index.paused")) show(); }),
  );
}

function tooltipOf({ running, status, problem, learning }: Condition, sentence: string, isPaused: boolean): vscode.MarkdownString {
  const text = new vscode.MarkdownString(undefined, true);
  text.isTrusted = { enabledCommands: [...enabledCommands, ...focusCommands] };
  const paragraph = (words: string): void => {
    text.appendText(words);
    text.appendMarkdown("\n\n");
  };
  paragraph(problem ?? sentence);
  if (running && status?.embedder.problem && status.state !== "idle") paragraph(modelText(status.embedder.problem));
  if (running && learning && !sentence.includes(learningText(learning))) paragraph(learningText(learning));
  const link = (icon: string, label: string, command: string): string => `[$(${icon}) ${label}](command:${command})`;
  if (!running || problem !== undefined) {
    text.appendMarkdown([link("debug-restart", vscode.l10n.t("Restart"), "contexture.restartServer"), link("output", vscode.l10n.t("Output"), "contexture.showOutput")].join(" &nbsp; "));
    return text;
  }
  text.appendMarkdown(
    [
      link("book", vscode.l10n.t("Context"), "contexture.showPanel"),
      link("checklist", vscode.l10n.t("Rules"), "contexture.rules.focus"),
      link("comment-discussion", vscode.l10n.t("Conversations"), "contexture.conversations.focus"),
      link("database", vscode.l10n.t("Index"), "contexture.index.focus"),
      isPaused ? link("play", vscode.l10n.t("Resume"), "contexture.resumeIndex") : link("debug-pause", vscode.l10n.t("Pause"), "contexture.pauseIndex"),
    ].join(" &nbsp; "),
  );
  return text;
}
