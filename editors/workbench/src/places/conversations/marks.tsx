/** What was decided, asked, ruled and learned in a conversation, each with the way to its sentence. */
import { VirtualList } from "../../parts/virtual";
import { formatRoute, route } from "../../route";
import { number, t } from "../../texts";
import { markKinds, type MarkKind, type Said } from "./timeline";
import { Kinds } from "./turn";

interface MarksProps {
  conversationId: string;
  said: ReadonlyMap<MarkKind, readonly Said[]>;
  /** Whether they have a column of their own; else they are folded above the chat. */
  beside: boolean;
}

type MarkRow = { kind: MarkKind; count: number } | Said;

const [headHeight, markHeight] = [30, 52];

export function Marks({ conversationId, said, beside }: MarksProps) {
  const rows = markKinds.flatMap((kind): MarkRow[] => {
    const of = said.get(kind) ?? [];
    return of.length ? [{ kind, count: of.length }, ...of] : [];
  });
  if (!rows.length) return null;
  const list = (
    <VirtualList
      count={rows.length}
      estimate={markHeight}
      label={t("talks.marks")}
      keyOf={(i) => keyOf(rows[i])}
      row={(i) => {
        const row = rows[i];
        return row && <MarkRowView row={row} conversationId={conversationId} />;
      }}
    />
  );
  if (beside) {
    return (
      <aside class="marks" aria-label={t("talks.marks")} data-scroller>
        {list}
      </aside>
    );
  }
  const counts = markKinds.flatMap((kind) => (said.get(kind)?.length ? [`${t(`mark.${kind}.other`)} ${number(said.get(kind)?.length ?? 0)}`] : []));
  return (
    <details class="marks">
      <summary>{counts.join(" · ")}</summary>
      <div class="marks-folded" data-scroller style={{ blockSize: `min(50vh, ${headHeight + rows.length * markHeight}px)` }}>
        {list}
      </div>
    </details>
  );
}

function keyOf(row: MarkRow | undefined): string {
  return !row ? "" : "count" in row ? row.kind : `${row.turn.turnId} ${row.at}`;
}

function MarkRowView({ row, conversationId }: { row: MarkRow; conversationId: string }) {
  if ("count" in row) {
    return (
      <h3 class={`marks-head mark-kind ${row.kind}`}>
        {t(`mark.${row.kind}.other`)} <span class="quiet number">{number(row.count)}</span>
      </h3>
    );
  }
  const { query, path } = route.value;
  const { turn, line } = row;
  const isOver = line.kinds.every((k) => k.superseded);
  const isCurrent = path[1] === turn.turnId && query["said"] === line.text;
  return (
    <a class={`mark${isOver ? " over" : ""}`} href={formatRoute({ place: "conversations", path: [conversationId, turn.turnId], query: { ...query, said: line.text } })} aria-current={isCurrent ? "true" : undefined}>
      <span class="mark-text" dir="auto">
        {line.text}
      </span>{" "}
      <span class="quiet mark-where">
        {turn.turnId} {(line.kinds.length > 1 || isOver) && <Kinds line={line} />}
      </span>
    </a>
  );
}
