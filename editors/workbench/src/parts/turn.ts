/** Opens a turn of a conversation. */
import { go } from "../route";

/** @param said a sentence of it, which is shown */
export function openTurn(conversationId: string, turnId: string, said?: string): void {
  go({ place: "conversations", path: [conversationId, turnId], query: said ? { said } : {} });
}
