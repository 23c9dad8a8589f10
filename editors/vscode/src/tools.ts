/** The tools that VS Code's assistants may call. Each answers within the budget that its caller gives. */
import * as vscode from "vscode";
import type { Server } from "./server";
import { budgetFor, hitsText, tasksText, within } from "./modeltext";

interface Tool<A> {
  name: string;
  /** What is said while it runs. */
  doing: (args: A) => string;
  run: (args: A, budget: number | undefined, token: vscode.CancellationToken) => Promise<string>;
}

function define<A>(tool: Tool<A>): vscode.Disposable {
  return vscode.lm.registerTool<A>(tool.name, {
    prepareInvocation: ({ input }) => ({ invocationMessage: tool.doing(input) }),
    invoke: async (options, token) => {
      const limit = options.tokenizationOptions;
      let text = await tool.run(options.input, limit?.tokenBudget, token);
      if (limit) text = await within(text, limit.tokenBudget, (t) => limit.countTokens(t, token));
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  });
}

/** Offers the tools. */
export function registerTools(server: Server): vscode.Disposable {
  // A member that is undefined is left out of the request.
  const ask = async <R>(command: Parameters<Server["execute"]>[0], args: object, token: vscode.CancellationToken): Promise<R> => (await server.execute(command, args, token)) as R;
  return vscode.Disposable.from(
    define<{ prompt: string }>({
      name: "contexture_bundle",
      doing: () => vscode.l10n.t("Gathering context"),
      run: async ({ prompt }, budget, token) => (await ask<{ text: string }>("contexture.bundle", { prompt, budget: budgetFor(budget, 256, 1_000_000) }, token)).text,
    }),
    define<{ query: string; limit?: number }>({
      name: "contexture_search",
      doing: ({ query }) => vscode.l10n.t("Searching for {0}", query),
      run: async ({ query, limit }, _budget, token) => hitsText(await ask("contexture.search", { query, limit }, token)),
    }),
    define<{ query: string }>({
      name: "contexture_recall",
      doing: ({ query }) => vscode.l10n.t("Recalling {0}", query),
      run: async ({ query }, budget, token) => (await ask<{ text: string }>("contexture.recall", { query, budget: budgetFor(budget, 64, 100_000) }, token)).text,
    }),
    define<{ conversationId: string; turnId: string }>({
      name: "contexture_turn",
      doing: ({ turnId }) => vscode.l10n.t("Reading turn {0}", turnId),
      run: async ({ conversationId, turnId }, _budget, token) => (await ask<{ text: string }>("contexture.conversation.turn", { conversationId, turnId, level: "R", pin: false }, token)).text,
    }),
    define<Record<string, never>>({
      name: "contexture_tasks",
      doing: () => vscode.l10n.t("Reading tasks"),
      run: async (_args, _budget, token) => tasksText(await ask("contexture.task.list", {}, token)),
    }),
  );
}
