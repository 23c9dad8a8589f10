/** What holds inside the real extension host, with the real program. */
import * as assert from "node:assert/strict";

import * as vscode from "vscode";
import type { Api } from "../../src/extension";
import { until } from "./until";

let api: Api;

async function tool(name: string, input: object): Promise<string> {
  const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
  return result.content.map((part) => (part as vscode.LanguageModelTextPart).value).join("");
}

describe("Contexture", () => {
  before(async () => {
    const extension = vscode.extensions.getExtension<Api>("contexture.contexture");
    assert.ok(extension, "the extension is not installed");
    api = await extension.activate();
  });

  it("activates within 150 ms of a processor", () => {
    console.log(`activation took ${api.activated.toFixed(1)} ms`);
    assert.ok(api.activated <= 150, `${api.activated} ms`);
  });

  it("indexes the workspace", async () => {
    const status = await until("idle", () => (api.server.condition.status?.state === "idle" ? api.server.condition.status : undefined));
    assert.equal(status.files, 3);
  });

  it("registers its commands once", async () => {
    const commands = await vscode.commands.getCommands(true);
    for (const name of ["contexture.showPanel", "contexture.showStatus", "contexture.restartServer", "contexture.showLearned", "contexture.learn", "contexture.bundle"]) assert.equal(commands.filter((c) => c === name).length, 1, name);
  });

  it("sends only the settings that are set", async () => {
    const value = async (key: string): Promise<unknown> => (await api.server.contract.config()).settings.find((s) => s.key === key);
    assert.match(JSON.stringify(await value("budget.default")), /default/);
    await vscode.workspace.getConfiguration("contexture").update("budget.default", 5000, vscode.ConfigurationTarget.Workspace);
    await until("the new budget", async () => JSON.stringify(await value("budget.default")).includes("5000"));
    await vscode.workspace.getConfiguration("contexture").update("budget.default", undefined, vscode.ConfigurationTarget.Workspace);
    await until("the default again", async () => JSON.stringify(await value("budget.default")).includes("12000"));
  });

  it("learns from conversations on demand", async () => {
    const messages = [{ id: "1", role: "user" as const, content: "Olga runs the harbour-ledger service.", at: "2026-01-02T03:04:05Z" }];
    await api.server.contract.conversationAppend({ conversationId: "ledger", messages });
    await vscode.commands.executeCommand("contexture.learn");
    const status = await api.server.contract.knowledgeStatus();
    assert.equal(status.reason, "on demand");
    assert.equal(status.turns, 1);
    // The server reports the end separately, after the answer or before it.
    await until("the end of the learning", () => (api.server.condition.learning === undefined ? true : undefined));
    await api.server.contract.conversationDelete({ conversationId: "ledger" });
  });

  it("sees what is not saved", async () => {
    const document = await vscode.workspace.openTextDocument({ language: "go", content: "package x\n\nfunc notSavedAnywhere() {}\n" });
    await vscode.window.showTextDocument(document);
    const bundle = await until("the buffer", async () => {
      const b = await api.server.contract.bundle({ prompt: "what is notSavedAnywhere?" });
      return b.text?.includes("func notSavedAnywhere") ? b : undefined;
    });
    assert.ok(bundle.tokens <= bundle.budget);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  });

  it("offers tools that answer", async () => {
    assert.match(await tool("contexture_bundle", { prompt: "where are payments retried?" }), /func retryPayment/);
    assert.match(await tool("contexture_search", { query: "retryPayment" }), /retry\.go:/);
    assert.match(await tool("contexture_tasks", {}), /No tasks or blockers/);
  });

  it("honours the caller's token budget", async () => {
    const result = await vscode.lm.invokeTool("contexture_bundle", {
      input: { prompt: "where are payments retried?" },
      toolInvocationToken: undefined,
      tokenizationOptions: { tokenBudget: 300, countTokens: (text) => Promise.resolve(Math.ceil(text.length / 4)) },
    });
    const text = result.content.map((part) => (part as vscode.LanguageModelTextPart).value).join("");
    assert.ok(text.length > 0 && Math.ceil(text.length / 4) <= 300, `${text.length} characters`);
  });

  it("remembers, and shows reminders as code lens and hover that open the turn", async () => {
    await api.server.contract.conversationAppend({
      conversationId: "talk",
      messages: [
        { id: "1", role: "user", content: "Why does retryPayment in retry.go stop after three attempts?" },
        { id: "2", role: "assistant", content: "Decision: we keep three attempts in retryPayment, because the bank blocks after four." },
      ],
    });
    const [file] = await vscode.workspace.findFiles("retry.go");
    assert.ok(file);
    await vscode.window.showTextDocument(file);
    const lens = await until("a lens", async () => {
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", file, 20);
      return lenses.find((l) => l.command?.title.includes("Turn 1"))?.command;
    });
    await vscode.commands.executeCommand(lens.command, ...(lens.arguments as unknown[]));
    assert.equal(vscode.window.activeTextEditor?.document.uri.scheme, "contexture-turn");
    assert.match(vscode.window.activeTextEditor?.document.getText() ?? "", /the bank blocks after four/);
    const line = (await vscode.workspace.openTextDocument(file)).getText().split("\n").findIndex((l) => l.startsWith("func retryPayment"));
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>("vscode.executeHoverProvider", file, new vscode.Position(line, 8));
    const shown = hovers.flatMap((h) => h.contents.map((c) => (typeof c === "string" ? c : c.value))).join("\n");
    assert.match(shown, /turn 1/i);
    assert.match(await tool("contexture_turn", { conversationId: "talk", turnId: "T-1" }), /three attempts/);
    assert.match(await tool("contexture_recall", { query: "how many attempts?" }), /three attempts/);
  });

  it("cancels", async () => {
    const source = new vscode.CancellationTokenSource();
    const asked = api.server.execute("contexture.bundle", { prompt: "retry" }, source.token);
    source.cancel();
    await asked.then(
      () => undefined, // it was quicker
      (error: unknown) => { assert.match(String(error), /cancel/i); },
    );
    assert.ok((await api.server.contract.indexStatus()).files > 0);
  });

  it("restarts and remembers", async () => {
    await vscode.commands.executeCommand("contexture.restartServer");
    const arc = await until("the arc", async () => {
      try {
        return await api.server.contract.conversationArc({ conversationId: "talk" });
      } catch {
        return undefined;
      }
    });
    assert.match(arc.arc, /three attempts/);
  });

  it("says what to do when the program is missing", async () => {
    const before = api.server.condition;
    assert.equal(before.problem, undefined);
    assert.ok("program" in api.server.program());
  });
});
