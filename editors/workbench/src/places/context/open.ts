/** Opens what an item comes from: its file, or its turn. */
import type { Item } from "../../../../vscode/src/contract.gen";
import { openFile } from "../../parts/open";
import { openTurn } from "../../parts/turn";
import { pathOf } from "./state";

export function openItem(item: Item): void {
  const { uri, anchor, conversationId, turnId } = item;
  const line = anchor === undefined ? undefined : { line: anchor, character: 0 };
  if (uri && pathOf(item) !== undefined) openFile(uri, line ? { start: line, end: line } : item.range);
  else if (conversationId && turnId) openTurn(conversationId, turnId);
}
