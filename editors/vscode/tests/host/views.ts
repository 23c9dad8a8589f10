/** What holds of the views and their commands inside the real extension host, with the real program. */
import * as assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Api } from "../../src/extension";
import type { Line, View } from "../../src/views/tree";
import { until } from "./until";

let api: Api;

/** A view as text: one line for each of its lines, indented, as deep as they go. */
async function text(view: View, of?: Line, indent = ""): Promise<string> {
  const lines = await view.getChildren(of);
  const parts = await Promise.all(
    lines.map(async (line) => {
      const { label, description } = line.item;
      const own = `${indent}${typeof label === "string" ? label : (label?.label ?? "")}${description ? ` [${String(description)}]` : ""}`;
      return line.children ? `${own}\n${await text(view, line, `${indent}  `)}` : own;
    }),
  );
  return parts.join("\n");
}

async function find(view: View, what: RegExp, of?: Line): Promise<Line | undefined> {
  for (const line of await view.getChildren(of)) {
    if (what.test(String(line.item.label))) return line;
    const below = line.children && (await find(view, what, line));
    if (below) return below;
  }
  return undefined;
}

describe("The views", () => {
  before(async () => {
    const extension = vscode.extensions.getExtension<Api>("contexture.contexture");
    assert.ok(extension, "the extension is not installed");
    api = await extension.activate();
    await until("idle", () => (api.server.condition.status?.state === "idle" ? true : undefined));
  });

  it("lists conversations, the latest first, and opens a turn of one", async () => {
    const { conversations } = api.views;
    const said = (id: string, content: string, at: string) => ({ conversationId: id, messages: [{ id: "1", role: "user" as const, content, at }, { id: "2", role: "assistant" as const, content: "Noted.", at }] });
    await api.server.contract.conversationAppend(said("harbour", "How deep is the harbour at low tide?", "2026-01-02T03:04:05Z"));
    await api.server.contract.conversationAppend(said("cranes", "How many cranes are there?", "2026-01-03T03:04:05Z"));
    const shown = await text(conversations);
    assert.match(shown, /How many cranes[^]*How deep is the harbour/);
    assert.match(shown, /How many cranes are there\? \[Jan 3\]/);
    const ids = (await conversations.getChildren()).map((line) => line.id);
    assert.deepEqual(ids, (await conversations.getChildren()).map((line) => line.id), "the ids change from one refresh to the next");
    assert.equal(new Set(ids).size, ids.length);
    const cranes = await find(conversations, /How many cranes/);
    await vscode.commands.executeCommand("contexture.openTurnLine", { ...cranes, turnId: "T-1" });
    assert.match(vscode.window.activeTextEditor?.document.getText() ?? "", /How many cranes/);
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
  });

  it("lists rules as active, and what a rule has replaced", async () => {
    const { rules } = api.views;
    await api.server.contract.remember({ kind: "rule", text: "Use tabs for indentation in Go files." });
    assert.match(await text(rules), /Active Rules \[1\]\n {2}Use tabs for indentation in Go files\. \[added by you/);
    await api.server.contract.remember({ kind: "decision", text: "Payments are retried three times." });
    assert.match(await text(rules), /Decisions \[1\]\n {2}Payments are retried three times\./);
    await api.server.contract.remember({ kind: "rule", text: "Never use tabs for indentation in Go files." });
    assert.match(await text(rules), /Replaced \[1\]\n {2}Use tabs for indentation in Go files\. \[replaced by “Never use tabs/);
  });

  it("accepts a candidate", async () => {
    const { rules } = api.views;
    await api.server.contract.conversationAppend({ conversationId: "style", messages: [{ id: "1", role: "user", content: "From now on always write commit messages in the present tense, and name the part of the program that they change where there is one, so that others find it.", at: "2026-01-02T03:04:05Z" }] });
    await vscode.commands.executeCommand("contexture.learn");
    const candidate = await until("a candidate", () => find(rules, /present tense/));
    assert.match(String(candidate.item.contextValue), /\baccept\b.*\bturn\b/);
    assert.match(String(candidate.item.description), /^T-1 · /);
    await vscode.commands.executeCommand("contexture.acceptRule", candidate);
    assert.match(await text(rules), /Active Rules \[2\][^]*present tense/);
    await vscode.commands.executeCommand("contexture.openQuotation", await find(rules, /present tense/));
    assert.equal(vscode.window.activeTextEditor?.document.uri.scheme, "contexture-turn");
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
  });

  it("shows the state of the index, and says where a part is unavailable", async () => {
    const { index } = api.views;
    const shown = await text(index);
    assert.match(shown, /^Up to date \[\d+ of \d+ files\]/);
    assert.match(shown, /^Languages/m);
    assert.match(shown, /^Embeddings/m);
    assert.match(shown, /No faults/);
  });

  it("shows nothing while the server is stopped, and all again when it runs", async () => {
    await api.server.stop();
    assert.deepEqual(await api.views.rules.getChildren(), []);
    api.server.start();
    await until("idle", () => (api.server.condition.status?.state === "idle" ? true : undefined));
    assert.match(await text(api.views.rules), /Active Rules/);
  });
});
