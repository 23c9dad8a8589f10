/** Opens a turn of a conversation. */
import { go } from "../route";

export function openTurn(conversationId: string, turnId: string): void {
  go({ place: "conversations", path: [conversationId, turnId] });
}
