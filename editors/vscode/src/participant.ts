/** `@contexture` in the chat: answers with the chat's model on top of a bundle, and remembers what was said. */
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { placeFor, readAttached } from "./attached";
import type { BundleResult } from "./contract.gen";
import { budgetFor } from "./modeltext";
import { messageOf } from "./register";
import type { Server } from "./server";
import { answerSlash, given, receipt, refer, type Given } from "./slash";

/** The part of a model's window that attachments and bundle may take: the rest is for the answer. */
const share = 0.6;

/** What an answer notes for the next one. */
export interface Metadata {
  conversationId: string;
  /** The command that was answered; absent for a prompt without one. */
  command?: string;
  prompt: string;
  /** What the model was given for it; absent where none was asked. */
  given?: Given;
}

/** What the answers of a chat noted, the latest first. */
function notes(history: vscode.ChatContext["history"]): Partial<Metadata>[] {
  return history.flatMap((turn) => ("result" in turn ? [(turn.result.metadata ?? {}) as Partial<Metadata>] : [])).reverse();
}

/** What a person may ask next. */
export function followupsOf({ command, prompt }: Metadata): vscode.ChatFollowup[] {
  const also = (name: string, label: string): vscode.ChatFollowup => ({ command: name, prompt, label });
  if (!prompt) return command === "rules" ? [also("decisions", vscode.l10n.t("What was decided?"))] : [];
  switch (command) {
    case undefined:
      return [{ command: "context", prompt: "", label: vscode.l10n.t("What was sent to the model?") }, also("recall", vscode.l10n.t("What was said about it before?"))];
    case "context":
      return [{ prompt, label: vscode.l10n.t("Ask the model") }];
    case "search":
      return [also("recall", vscode.l10n.t("What was said about it before?"))];
    case "recall":
      return [also("decisions", vscode.l10n.t("What was decided about it?"))];
    case "decisions":
      return [also("recall", vscode.l10n.t("What else was said about it?"))];
    default:
      return [];
  }
}

/** What went wrong, and what to do about it. */
export function errorText(error: unknown): string {
  const { data } = error as { data?: { code?: string; needed?: number } };
  if (data?.code === "promptExceedsBudget") return vscode.l10n.t("The prompt alone is longer than the model's window allows: {0} tokens. Shorten it, or choose a larger model.", data.needed ?? 0);
  if (error instanceof vscode.LanguageModelError) {
    if (error.code === vscode.LanguageModelError.NoPermissions.name) return vscode.l10n.t("Contexture may not use this model. Allow it when VS Code asks, or choose another model.");
    if (error.code === vscode.LanguageModelError.NotFound.name) return vscode.l10n.t("The model is not available any more. Choose another one.");
    if (error.code === vscode.LanguageModelError.Blocked.name) return vscode.l10n.t("The model refused the request. It may be over its quota; try again later or choose another model.");
  }
  return messageOf(error);
}

export function registerParticipant(server: Server, extension: vscode.Uri): vscode.Disposable {
  const participant = vscode.chat.createChatParticipant("contexture.chat", async (request, context, stream, token) => {
    const noted = notes(context.history);
    const conversationId = noted.find((note) => note.conversationId)?.conversationId ?? `vscode-${randomUUID()}`; // the one that the chat goes on with
    const metadata: Metadata = { conversationId, prompt: request.prompt.trim(), ...(request.command !== undefined && { command: request.command }) };
    try {
      if (request.command !== undefined) {
        const question = { server, request, stream, token, conversationId, given: noted.flatMap(({ given: was }) => was ?? []) };
        metadata.conversationId = (await answerSlash(request.command, question)) ?? conversationId;
      }
      else if (metadata.prompt) metadata.given = await answer(server, conversationId, request, stream, token);
      else stream.markdown(vscode.l10n.t("Ask about the workspace or about earlier conversations, or use a command such as `/search` or `/rules`."));
    } catch (error) {
      if (token.isCancellationRequested) return { metadata };
      server.output.warn(`chat: ${String(error)}`);
      return { metadata, errorDetails: { message: errorText(error) } };
    }
    return { metadata };
  });
  participant.iconPath = vscode.Uri.joinPath(extension, "media", "icon.svg");
  participant.followupProvider = { provideFollowups: ({ metadata, errorDetails }) => (errorDetails ? [] : followupsOf(metadata as Metadata)) };
  return vscode.Disposable.from(participant);
}

/** Answers with the model that the chat has chosen, stores both sides, and returns what the model was given. */
async function answer(server: Server, conversationId: string, request: vscode.ChatRequest, stream: vscode.ChatResponseStream, token: vscode.CancellationToken): Promise<Given> {
  stream.progress(vscode.l10n.t("Gathering context"));
  const { model, prompt, references } = request;
  const room = Math.floor(model.maxInputTokens * share);
  const attached = await readAttached(references, Math.floor(room / 2), (text) => model.countTokens(text, token));
  const budget = Math.min(12_000, budgetFor(room - attached.tokens, 256, 1_000_000) ?? 12_000);
  const { exclude } = attached;
  const bundle = (await server.execute("contexture.bundle", { ...placeFor(server, references), prompt, conversationId, budget, exclude }, token)) as BundleResult;
  for (const used of attached.used) stream.reference(used);
  refer(stream, bundle.items);
  for (const name of attached.cut) stream.progress(vscode.l10n.t("{0} is too long or no text: the model gets the part that fits, or nothing of it", name));
  for (const lack of bundle.degraded) stream.progress(`${lack.stage}: ${lack.reason}`);
  const response = await model.sendRequest([vscode.LanguageModelChatMessage.User(attached.text + (bundle.text ?? prompt))], {}, token);
  let said = "";
  for await (const part of response.text) {
    said += part;
    stream.markdown(part);
  }
  const was = given(bundle, attached);
  if (token.isCancellationRequested) return was;
  stream.markdown("\n\n");
  receipt(stream, was);
  const at = new Date().toISOString();
  const id = randomUUID(); // so that sending twice writes once
  try {
    await server.contract.conversationAppend({
      conversationId,
      messages: [
        { id: `${id}-q`, role: "user", content: prompt, at },
        { id: `${id}-a`, role: "assistant", content: said, at, author: model.name },
      ],
    });
    await server.contract.feedback({ bundleId: bundle.id, response: said });
  } catch (error) {
    server.output.warn(`the turn was not stored: ${String(error)}`); // the answer stands all the same
  }
  return was;
}
