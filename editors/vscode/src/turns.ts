/** Turns as documents that can be read and not changed. */
import * as vscode from "vscode";
import type { Contract } from "./contract.gen";
import { turnDocument, type Heading } from "./talk";

export const turnScheme = "contexture-turn";

/** The document of a turn. The workspace may be left out where the window has one folder. */
export function turnUri(conversationId: string, turnId: string, workspace?: string): vscode.Uri {
  const query = new URLSearchParams({ conversationId, turnId, ...(workspace !== undefined && { workspace }) });
  return vscode.Uri.from({ scheme: turnScheme, path: `/${turnId}.md`, query: query.toString() });
}

export class Turns implements vscode.TextDocumentContentProvider {
  constructor(private readonly contract: () => Contract) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const query = new URLSearchParams(uri.query);
    const workspace = query.get("workspace");
    const of = { ...(workspace !== null && { workspace }), conversationId: query.get("conversationId") ?? "" };
    const turnId = query.get("turnId") ?? "";
    const [turn, heading] = await Promise.all([this.contract().conversationTurn({ ...of, turnId, level: "R", pin: false }), this.heading(of, turnId)]);
    return turnDocument(turn.text, heading, of.conversationId, vscode.env.language);
  }

  /** The list of turns ends before the one that it is given. */
  private async heading(of: { conversationId: string; workspace?: string }, turnId: string): Promise<Heading> {
    const before = `T-${Number(turnId.slice(2)) + 1}`;
    const page = await this.contract().conversationTurns({ ...of, before, limit: 1 }).catch(() => undefined); // an older server has none
    return page?.turns.find((turn) => turn.turnId === turnId) ?? { turnId, title: "" };
  }
}

/** Shows a turn beside nothing else: a preview that the next one replaces. */
export async function showTurn(conversationId: string, turnId: string, workspace?: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(turnUri(conversationId, turnId, workspace));
  await vscode.window.showTextDocument(document, { preview: true });
}
