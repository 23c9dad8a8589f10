/** `@contexture` in the chat: answers with the chat's model on top of a bundle, and remembers what was said. */
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { BundleResult } from "./contract.gen";
import { place } from "./panel";
import type { Presence } from "./presence";
import type { Server } from "./server";
import { budgetFor } from "./text";

/** The part of a model's window that the bundle may take: the rest is for the answer and the chat's own words. */
const share = 0.6;

interface Metadata {
  conversationId: string;
}

/** The conversation that the chat goes on with: what the last answer noted, else a new one. */
export function conversationOf(history: readonly (vscode.ChatRequestTurn | vscode.ChatResponseTurn)[]): string {
  for (const turn of [...history].reverse()) {
    if ("result" in turn) {
      const noted = turn.result.metadata as Partial<Metadata> | undefined;
      if (noted?.conversationId) return noted.conversationId;
    }
  }
  return `vscode-${randomUUID()}`;
}

export function registerParticipant(server: Server, presence: Presence, extension: vscode.Uri): vscode.Disposable {
  const participant = vscode.chat.createChatParticipant("contexture.chat", async (request, context, stream, token) => {
    const conversationId = conversationOf(context.history);
    const metadata: Metadata = { conversationId };
    presence.speak(conversationId);
    stream.progress("Gathering context");
    const bundle = (await server.execute(
      "contexture.bundle",
      { ...place(), prompt: request.prompt, conversationId, budget: Math.min(12_000, budgetFor(request.model.maxInputTokens * share, 256, 1_000_000) ?? 12_000) },
      token,
    )) as BundleResult;
    for (const uri of new Set(bundle.items.flatMap((item) => (item.uri?.startsWith("file:") ? [item.uri] : [])))) stream.reference(vscode.Uri.parse(uri));
    for (const lack of bundle.degraded) stream.progress(`${lack.stage}: ${lack.reason}`);
    const answer = await request.model.sendRequest([vscode.LanguageModelChatMessage.User(bundle.text ?? request.prompt)], {}, token);
    let said = "";
    for await (const part of answer.text) {
      said += part;
      stream.markdown(part);
    }
    if (token.isCancellationRequested) return { metadata };
    const at = new Date().toISOString();
    const id = randomUUID(); // so that sending twice writes once
    try {
      await server.contract.conversationAppend({
        conversationId,
        messages: [
          { id: `${id}-q`, role: "user", content: request.prompt, at },
          { id: `${id}-a`, role: "assistant", content: said, at, author: request.model.name },
        ],
      });
      await server.contract.feedback({ bundleId: bundle.id, response: said });
    } catch (error) {
      server.output.warn(`the turn was not stored: ${String(error)}`); // the answer stands all the same
    }
    return { metadata };
  });
  participant.iconPath = vscode.Uri.joinPath(extension, "media", "icon.svg");
  return vscode.Disposable.from(participant);
}
