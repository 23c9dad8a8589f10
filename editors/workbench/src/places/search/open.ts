/** Opens a hit: a file in the editor, a turn among the conversations. */
import type { Hit } from "../../../../vscode/src/contract.gen";
import { openFile } from "../../parts/open";
import { openTurn } from "../../parts/turn";
import { go } from "../../route";
import { relative } from "../../session";
import { remember, search } from "./state";

export function openHit(hit: Hit): void {
  remember(search.value);
  if (hit.uri?.startsWith("file:")) openFile(hit.uri, lineOf(hit));
  else if (hit.conversationId && hit.turnId) openTurn(hit.conversationId, hit.turnId);
  else if (hit.kind === "rule") go({ place: "rules" });
  else if (hit.conversationId) go({ place: "conversations", path: [hit.conversationId] });
  else go({ place: "topics" });
}

/** The line that the snippet begins with, else the first one of the hit. */
function lineOf(hit: Hit): Hit["range"] {
  if (hit.snippetLine === undefined || !hit.range) return hit.range;
  const at = { line: hit.snippetLine, character: 0 };
  return { start: at, end: at };
}

/** Returns where a hit stands: `path:line`, or a turn. */
export function whereOf(hit: Hit): string {
  if (hit.uri?.startsWith("file:")) return hit.range ? `${relative(hit.uri)}:${hit.range.start.line + 1}` : relative(hit.uri);
  return hit.turnId ?? "";
}

/** Returns a hit's title, and for a turn the date that the server writes behind it. */
export function titleOf(hit: Hit): { title: string; date?: string } {
  const turn = hit.turnId ? /^(.*), turn \d+, (\d{4}-\d\d-\d\d)$/s.exec(hit.title) : null;
  return turn ? { title: turn[1] ?? "", date: turn[2] ?? "" } : { title: hit.title };
}
