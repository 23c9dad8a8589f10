/** What somebody said or wrote, byte for byte, and where it stands. */
import type { Quotation } from "../../../vscode/src/contract.gen";
import { uriOf } from "../session";
import { date, t } from "../texts";
import { openFile } from "./open";
import { openTurn } from "./turn";

export function Quote({ quotation: q, name }: { quotation: Quotation; name?: string }) {
  return (
    <figure class="quote">
      {name && <p class="quote-name">{name}</p>}
      <blockquote dir="auto">{q.text}</blockquote>
      <figcaption>
        {q.author && <span dir="auto">{q.author}</span>}
        {q.at && <time dateTime={q.at}>{date(q.at)}</time>}
        <Source quotation={q} />
      </figcaption>
    </figure>
  );
}

/** The place of a quotation, as a link that opens it. */
function Source({ quotation: q }: { quotation: Quotation }) {
  if (q.conversationId) {
    return (
      <button type="button" class="link" dir="auto" title={t("quote.openTurn", { turn: q.turnId, name: q.conversationId })} onClick={() => openTurn(q.conversationId, q.turnId, q.text)}>
        {q.conversationId} {q.turnId}
      </button>
    );
  }
  if (!q.path) return null;
  const { path } = q;
  const line = (q.line ?? 1) - 1;
  const where = q.line ? `${path}:${q.line}` : path;
  return (
    <button
      type="button"
      class="link mono"
      dir="ltr"
      aria-label={t("action.openFile", { name: where })}
      onClick={() => openFile(uriOf(path), { start: { line, character: 0 }, end: { line, character: 0 } })}
    >
      {where}
    </button>
  );
}
