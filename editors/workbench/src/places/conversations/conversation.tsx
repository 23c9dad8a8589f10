/** A conversation as a timeline of its turns, with what was decided, asked, ruled and learned in them. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Branch } from "../../../../vscode/src/contract.gen";
import { Chips } from "../../parts/chips";
import { Button } from "../../parts/controls";
import { Icon } from "../../parts/icon";
import { Empty, Loading, Trouble } from "../../parts/states";
import { VirtualList } from "../../parts/virtual";
import { formatRoute, go, refine, route } from "../../route";
import { announce, host } from "../../session";
import { date, number, t } from "../../texts";
import { ForgetDialog } from "./forget";
import { ForkDialog } from "./fork";
import { useConversations } from "./known";
import { sourceName } from "./names";
import { Strip, ticksOf } from "./strip";
import { countMarks, listed, markKinds, numberOf, useTimeline, type Timeline } from "./timeline";
import { TurnRow } from "./turn";

export function ConversationView({ id }: { id: string }) {
  const timeline = useTimeline(id);
  const { newest, known } = timeline;
  const related = [newest.value?.forkOf, ...(newest.value?.forks ?? [])].flatMap((branch) => branch?.conversationId ?? []);
  const conversations = useConversations(related);
  const titleOf = (conversation: string): string => conversations.get(conversation)?.title || conversation;
  const title = newest.value?.title || id;
  useEffect(() => void (document.title = `${title} · ${t("app.name")}`), [title]);
  const gone = newest.error?.data?.code === "notFound";
  return (
    <div class="place talk-place">
      <Head id={id} title={title} timeline={timeline} titleOf={titleOf} />
      {gone ? (
        <Empty icon="conversations" title={t("talks.gone")}>
          <p>{t("talks.goneHint", { id })}</p>
        </Empty>
      ) : (
        newest.error && <Trouble error={newest.error} retry={newest.refresh} />
      )}
      {timeline.error && <Trouble error={timeline.error} retry={newest.refresh} />}
      {newest.newer && (
        <div class="newer">
          <Button icon="refresh" label={t("action.showNewer")} onClick={newest.show} />
        </div>
      )}
      {!newest.value && newest.loading && <Loading />}
      {newest.value && known.last === 0 && !newest.loading && <Empty icon="turn" title={t("talks.noTurns")} />}
      {known.last > 0 && <Turns id={id} title={title} timeline={timeline} titleOf={titleOf} />}
    </div>
  );
}

interface HeadProps {
  id: string;
  title: string;
  timeline: Timeline;
  titleOf: (id: string) => string;
}

function Head({ id, title, timeline: { known, newest }, titleOf }: HeadProps) {
  const [forgetting, setForgetting] = useState(false);
  const { forkOf, source } = newest.value ?? {};
  const last = known.turns.get(known.last);
  const first = known.turns.get(1);
  const copy = (): void => {
    host()
      .copy(id)
      .then(() => announce(t("done.copied")))
      .catch((error: unknown) => announce(error instanceof Error ? error.message : String(error), "failed"));
  };
  return (
    <header class="talk-head">
      <a class="talk-back" href={formatRoute({ place: "conversations" })}>
        <Icon name="chevron" />
        {t("place.conversations")}
      </a>
      <div class="talk-head-row">
        <h1 dir="auto">{title}</h1>
        {last && (
          <div class="talk-actions">
            <Button icon="context" label={t("talks.goOn")} onClick={() => go({ place: "context", query: { conversation: id } })} />
            <Button icon="copy" iconOnly label={t("talks.copyId")} onClick={copy} />
            <Button icon="trash" iconOnly label={t("talks.forget")} onClick={() => setForgetting(true)} />
          </div>
        )}
      </div>
      {last && (
        <p class="talk-facts quiet">
          <span>{t("talks.turns", { n: known.from > 1 ? known.last : known.turns.size })}</span>
          <span>{first && date(first.at) !== date(last.at) ? t("talks.span", { from: date(first.at), to: date(last.at) }) : date(last.at)}</span>
          {source && <span>{sourceName(source)}</span>}
          {forkOf && (
            <span>
              <a href={formatRoute({ place: "conversations", path: [forkOf.conversationId, forkOf.turnId] })} dir="auto">
                {t("talks.forkOf", { name: titleOf(forkOf.conversationId), turn: forkOf.turnId })}
              </a>
            </span>
          )}
        </p>
      )}
      <ForgetDialog id={id} title={title} turns={known.turns.size} forks={newest.value?.forks.length ?? 0} open={forgetting} onClose={() => setForgetting(false)} />
    </header>
  );
}

const rowHeight = 46;

function Turns({ id, title, timeline: { known, newest }, titleOf }: HeadProps) {
  const { path, query } = route.value;
  const turnId = path[1];
  const mark = markKinds.find((k) => k === query["mark"]);
  const rows = useMemo(() => listed(known, mark), [known, mark]);
  const ticks = useMemo(() => ticksOf(rows.map((n) => known.turns.get(n))), [rows, known]);
  const counts = useMemo(() => countMarks(known), [known]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [at, setAt] = useState(0);
  const [reveal, setReveal] = useState<number>();
  const [forking, setForking] = useState<string>();
  const chosen = turnId ? numberOf(turnId) : 0;
  const byHand = useMemo(() => ({ turn: 0 }), []); // the turn that was opened here needs no scrolling
  const jump = (row: number): void => {
    setAt(row);
    setReveal(undefined);
    requestAnimationFrame(() => setReveal(row)); // also to the row that was jumped to before
  };
  useEffect(() => {
    if (!chosen) return;
    setOpened((o) => new Set(o).add(chosen));
    const row = rows.indexOf(chosen);
    if (row >= 0 && byHand.turn !== chosen) jump(row);
    byHand.turn = 0;
  }, [chosen]);
  const toggle = (n: number): void => {
    const open = new Set(opened);
    if (open.delete(n)) {
      if (n === chosen) go({ place: "conversations", path: [id], query }, "replace");
    } else {
      open.add(n);
      byHand.turn = n;
      go({ place: "conversations", path: [id, `T-${n}`], query });
    }
    setOpened(open);
  };
  const forks = useMemo(() => byTurn(newest.value?.forks ?? []), [newest.value]);
  const focusRow = (row: number, tries = 20): void => {
    const control = document.querySelector<HTMLElement>(`.turns li[data-index="${row}"] .turn-main`);
    if (control) control.focus();
    else if (tries) requestAnimationFrame(() => focusRow(row, tries - 1)); // it is drawn after the scrolling
  };
  const marks = markKinds.filter((k) => counts[k] > 0 || k === mark);
  return (
    <>
      {marks.length > 0 && (
        <div class="talk-filter">
          <Chips label={t("talks.marks")} single chosen={mark ? [mark] : []} options={marks.map((k) => ({ value: k, label: t(`mark.${k}.other`), count: number(counts[k]), kind: k }))} onChange={([k]) => refine({ mark: k })} />
        </div>
      )}
      <div class="turns">
        {rows.length === 0 && (
          <Empty icon="turn" title={t("talks.noMarks")}>
            <Button label={t("talks.allTurns")} onClick={() => refine({ mark: undefined })} />
          </Empty>
        )}
        <VirtualList
          count={rows.length}
          estimate={rowHeight}
          label={t("talks.timeline")}
          keyOf={(i) => String(rows[i])}
          reveal={reveal}
          row={(i) => {
            const n = rows[i] ?? 0;
            const turn = known.turns.get(n);
            if (!turn) return <Unknown turnId={`T-${n}`} />;
            return (
              <TurnRow
                conversationId={id}
                turn={turn}
                before={known.turns.get(rows[i - 1] ?? 0)}
                open={opened.has(n)}
                forks={forks.get(n) ?? []}
                titleOf={titleOf}
                onToggle={() => toggle(n)}
                onFork={() => setForking(turn.turnId)}
              />
            );
          }}
        />
        {ticks.length > 0 && rows.length > 1 && (
          <Strip
            ticks={ticks}
            count={rows.length}
            at={Math.min(at, rows.length - 1)}
            nameOf={(row) => nameOf(known.turns.get(rows[row] ?? 0)?.title, rows[row] ?? 0, known.turns.get(rows[row] ?? 0)?.marks.map((m) => t(`mark.${m.kind}`)))}
            onJump={(row, how) => {
              jump(row);
              if (how === "go") focusRow(row);
            }}
          />
        )}
      </div>
      <ForkDialog id={id} title={title} turnId={forking} onClose={() => setForking(undefined)} />
    </>
  );
}

/** Groups forks by the number of the turn that they part at. */
function byTurn(forks: readonly Branch[]): ReadonlyMap<number, Branch[]> {
  const out = new Map<number, Branch[]>();
  for (const f of forks) out.set(numberOf(f.turnId), [...(out.get(numberOf(f.turnId)) ?? []), f]);
  return out;
}

function nameOf(title: string | undefined, turn: number, marks: readonly string[] = []): string {
  return [`T-${turn}`, [...new Set(marks)].join(", "), title ?? ""].filter(Boolean).join(": ");
}

/** A turn that is not read yet. */
function Unknown({ turnId }: { turnId: string }) {
  return (
    <div class="turn unknown">
      <button type="button" class="turn-main" disabled>
        <span class="turn-number quiet number">{turnId}</span>
      </button>
    </div>
  );
}
