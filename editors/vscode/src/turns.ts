/** Turns as documents that can be read and not changed. */
import * as vscode from "vscode";
import type { Contract } from "./contract.gen";

export const turnScheme = "contexture-turn";

/** The document of a turn. */
export function turnUri(conversationId: string, turnId: string): vscode.Uri {
  return vscode.Uri.from({ scheme: turnScheme, path: `/${turnId}.md`, query: new URLSearchParams({ conversationId, turnId }).toString() });
}

export class Turns implements vscode.TextDocumentContentProvider {
  constructor(private readonly contract: () => Contract) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const query = new URLSearchParams(uri.query);
    const turn = await this.contract().conversationTurn({
      conversationId: query.get("conversationId") ?? "",
      turnId: query.get("turnId") ?? "",
      level: "R",
      pin: false,
    });
    return turn.text;
  }
}

/** Shows a turn beside nothing else: a preview that the next one replaces. */
export async function showTurn(conversationId: string, turnId: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(turnUri(conversationId, turnId));
  await vscode.window.showTextDocument(document, { preview: true });
}
