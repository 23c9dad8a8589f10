/** A conversation: all that was said, and beside it what was decided, asked, ruled and learned, each with its sentence. */
import { useMemo, useRef, useState } from "preact/hooks";
import type { Branch } from "../../../../vscode/src/contract.gen";
import { useActions, type Action } from "../../keys";
import { Button, Choice, Facts } from "../../parts/controls";
import { Empty, Loading, Trouble } from "../../parts/states";
import { VirtualList } from "../../parts/virtual";
import { useWide } from "../../parts/wide";
import { formatRoute, go, refine, route } from "../../route";
import { announce, host } from "../../session";
import { date, t } from "../../texts";
import { useOpened } from "../../visits";
import { ForgetDialog } from "./forget";
import { ForkDialog } from "./fork";
import { useConversations } from "./known";
import { Marks } from "./marks";
import { sourceName } from "./names";
import { listed, numberOf, saidIn, useTimeline, type Timeline } from "./timeline";
import { levels, TurnView, type Level } from "./turn";

interface ConversationProps {
  id: string;
  /** Whether the address names it. */
  isOpened: boolean;
  /** Words to mark in what was said. */
  words: readonly string[];
}

export function ConversationView({ id, isOpened, words }: ConversationProps) {
  const timeline = useTimeline(id);
  const { newest, known } = timeline;
  const related = [newest.value?.forkOf, ...(newest.value?.forks ?? [])].flatMap((branch) => branch?.conversationId ?? []);
  const conversations = useConversations(related);
  const titleOf = (conversation: string): string => conversations.get(conversation)?.title || conversation;
  const title = newest.value?.title || id;
  useOpened(newest.value && title, isOpened);
  const gone = newest.error?.data?.code === "notFound";
  return (
    <article class="talk-view">
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
      {known.last > 0 && <Chat id={id} title={title} timeline={timeline} titleOf={titleOf} words={words} />}
    </article>
  );
}

interface HeadProps {
  id: string;
  title: string;
  timeline: Timeline;
  titleOf: (id: string) => string;
}

/** What a person can do with the conversation as a whole. */
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
  const actions: (Action & { iconOnly?: boolean })[] = last
    ? [
        { label: t("talks.goOn"), keys: ["c"], icon: "context", run: () => go({ place: "context", query: { conversation: id } }) },
        { label: t("talks.copyId"), keys: ["y"], icon: "copy", iconOnly: true, run: copy },
        { label: t("talks.forget"), keys: ["d"], icon: "trash", iconOnly: true, run: () => setForgetting(true) },
      ]
    : [];
  useActions(actions);
  return (
    <header>
      <div class="detail-head">
        <h2 dir="auto">{title}</h2>
        <Facts>
          {actions.map(({ run, iconOnly, keys, ...a }) => (
            <Button key={a.label} {...a} {...(iconOnly ? { iconOnly } : { keys })} onClick={run} />
          ))}
        </Facts>
      </div>
      {last && (
        <p class="row-facts quiet">
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

const [turnHeight, lineHeight] = [150, 44];
const marksFrom = 680; // pixels of width, from which marks have room beside the chat

function Chat({ id, title, timeline: { known, newest, error }, titleOf, words }: HeadProps & { words: readonly string[] }) {
  const { path, query } = route.value;
  const box = useRef<HTMLDivElement>(null);
  const beside = useWide(box, marksFrom);
  const rows = useMemo(() => listed(known), [known]);
  const said = useMemo(() => saidIn(known), [known]);
  const forks = useMemo(() => byTurn(newest.value?.forks ?? []), [newest.value]);
  const [forking, setForking] = useState<string>();
  const chosen = path[0] === id && path[1] ? numberOf(path[1]) : 0;
  const level = levels.find((l) => l === query["level"]) ?? "R";
  const setLevel = (l: Level | undefined): void => l && refine({ level: l === "R" ? undefined : l });
  useActions([
    { label: t("keys.nextTurn"), keys: ["]]"], run: () => step(box.current, "ArrowDown") },
    { label: t("keys.previousTurn"), keys: ["[["], run: () => step(box.current, "ArrowUp") },
    { label: t("keys.more"), keys: ["+"], run: () => setLevel(levels[levels.indexOf(level) - 1]) },
    { label: t("keys.less"), keys: ["-"], run: () => setLevel(levels[levels.indexOf(level) + 1]) },
    { label: t("talks.fork"), keys: ["F"], icon: "fork", run: () => setForking(turnInFocus(box.current) ?? `T-${chosen || known.last}`) },
  ]);
  return (
    <div ref={box} class={`chat-columns${beside ? " beside" : ""}`}>
      <Marks conversationId={id} said={said} beside={beside} />
      <div class="chat">
        <Choice<Level> label={t("talks.level")} value={level} options={levels.map((l) => ({ value: l, label: t(`talks.level.${l}`) }))} onChange={setLevel} />
        <VirtualList
          key={level}
          count={rows.length}
          estimate={level === "T" ? lineHeight : turnHeight}
          label={t("talks.timeline")}
          keyOf={(i) => String(rows[i])}
          reveal={chosen ? rows.indexOf(chosen) : undefined}
          revealFor={`${chosen} ${query["said"] ?? ""}`}
          row={(i) => {
            const n = rows[i] ?? 0;
            const turn = known.turns.get(n);
            if (!turn) return <p class="turn quiet" aria-busy={!error}>{`T-${n}`}</p>; // not read yet
            return (
              <TurnView
                conversationId={id}
                turn={turn}
                before={known.turns.get(rows[i - 1] ?? 0)}
                level={level}
                isChosen={n === chosen}
                sentence={n === chosen ? query["said"] : undefined}
                words={words}
                forks={forks.get(n) ?? []}
                titleOf={titleOf}
                onFork={() => setForking(turn.turnId)}
              />
            );
          }}
        />
      </div>
      <ForkDialog id={id} title={title} turnId={forking} onClose={() => setForking(undefined)} />
    </div>
  );
}

/** Moves the keyboard from turn to turn; to the first in view where none has it. */
function step(box: HTMLElement | null, key: string): void {
  const at = document.activeElement;
  if (at && box?.querySelector(".chat ul.virtual")?.contains(at)) at.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  else box?.querySelector<HTMLElement>(".chat ul.virtual a")?.focus();
}

function turnInFocus(box: HTMLElement | null): string | undefined {
  const turn = document.activeElement?.closest<HTMLElement>(".turn[data-turn]");
  return turn && box?.contains(turn) ? turn.dataset["turn"] : undefined;
}

/** Groups forks by the number of the turn that they part at. */
function byTurn(forks: readonly Branch[]): ReadonlyMap<number, Branch[]> {
  const out = new Map<number, Branch[]>();
  for (const f of forks) out.set(numberOf(f.turnId), [...(out.get(numberOf(f.turnId)) ?? []), f]);
  return out;
}
