/** One turn of a conversation: a line, and opened, its text at the level that is chosen. */
import type { TargetedKeyboardEvent } from "preact";
import type { Branch, TimelineTurn } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { Button, Choice, Facts } from "../../parts/controls";
import { Icon } from "../../parts/icon";
import { Loading, Trouble } from "../../parts/states";
import { Talk } from "../../parts/talk";
import { inner } from "../../parts/talk_text";
import { formatRoute, refine, route } from "../../route";
import { announce, host, memoryChanges } from "../../session";
import { date, t, time } from "../../texts";
import { markLines, type MarkLine } from "./timeline";

const levels = ["R", "S", "C", "T"] as const;
type Level = (typeof levels)[number];

interface TurnRowProps {
  conversationId: string;
  turn: TimelineTurn;
  /** The turn before it in the list: what they share is said once. */
  before: TimelineTurn | undefined;
  open: boolean;
  forks: readonly Branch[];
  titleOf: (conversationId: string) => string;
  onToggle: () => void;
  onFork: () => void;
}

export function TurnRow({ conversationId, turn, before, open, forks, titleOf, onToggle, onFork }: TurnRowProps) {
  const day = date(turn.at);
  const lines = markLines(turn.marks);
  const same = lines.find((l) => begins(l.text, turn.title));
  const others = lines.filter((l) => l !== same);
  const keys = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (event.key !== "Escape" || !open) return;
    event.preventDefault();
    onToggle();
    event.currentTarget.querySelector<HTMLElement>(".turn-main")?.focus();
  };
  return (
    <div class={`turn${open ? " open" : ""}`} onKeyDown={keys}>
      {(!before || date(before.at) !== day) && <p class="turn-day quiet">{day}</p>}
      <button type="button" class="turn-main" aria-expanded={open} onClick={onToggle}>
        <span class="turn-number quiet number">{turn.turnId}</span>
        <span class="turn-text">
          <span class="turn-title" dir="auto">
            {turn.title || t("talks.noWords")}
          </span>
          {same && <Kinds line={same} />}
        </span>
        <span class="turn-facts quiet">
          {turn.author && (!before || before.author !== turn.author) && <span dir="auto">{turn.author}</span>}
          <time dateTime={turn.at} title={date(turn.at, true)}>
            {time(turn.at)}
          </time>
        </span>
      </button>
      {others.length > 0 && (
        <ul class="turn-marks" aria-label={t("talks.marks")}>
          {others.map((l) => (
            <li key={l.text} class={l.kinds.every((k) => k.superseded) ? "superseded" : undefined}>
              <Kinds line={l} /> <span dir="auto">{l.text}</span>
            </li>
          ))}
        </ul>
      )}
      {forks.length > 0 && (
        <ul class="turn-forks">
          {forks.map((f) => (
            <li key={f.conversationId}>
              <Icon name="fork" />
              <a href={formatRoute({ place: "conversations", path: [f.conversationId] })} dir="auto">
                {titleOf(f.conversationId)}
              </a>
            </li>
          ))}
        </ul>
      )}
      {open && <TurnBody conversationId={conversationId} turn={turn} onFork={onFork} />}
    </div>
  );
}

/** Whether a mark says what the title says; titles are cut short. */
function begins(text: string, title: string): boolean {
  return text === title || (title.endsWith("…") && text.startsWith(title.slice(0, -1)));
}

function Kinds({ line }: { line: MarkLine }) {
  return (
    <>
      {line.kinds.map((k) => (
        <span key={k.kind} class={`mark-kind ${k.kind}${k.superseded ? " superseded" : ""}`}>
          {k.superseded ? t(k.kind === "question" ? "mark.answered" : "mark.replaced", { kind: t(`mark.${k.kind}`) }) : t(`mark.${k.kind}`)}
        </span>
      ))}
    </>
  );
}

function TurnBody({ conversationId, turn, onFork }: { conversationId: string; turn: TimelineTurn; onFork: () => void }) {
  const level = levels.find((l) => l === route.value.query["level"]) ?? "R";
  const answer = useAnswer("contexture.conversation.turn", { conversationId, turnId: turn.turnId, level, pin: false }, { changes: memoryChanges });
  const text = answer.value && inner(answer.value.text);
  const copy = (): void => {
    host()
      .copy(text ?? "")
      .then(() => announce(t("done.copied")))
      .catch((error: unknown) => announce(error instanceof Error ? error.message : String(error), "failed"));
  };
  return (
    <div class="turn-body">
      <div class="turn-tools">
        <Choice<Level> label={t("talks.level")} value={level} options={levels.map((l) => ({ value: l, label: t(`talks.level.${l}`) }))} onChange={(l) => refine({ level: l === "R" ? undefined : l })} />
        {answer.value && (
          <span class="quiet turn-size">
            {t("context.tokens", { n: answer.value.tokens })}
            {answer.value.pending && ` · ${t("talks.pending")}`}
          </span>
        )}
        <Facts>
          <Button icon="fork" label={t("talks.fork")} name={t("talks.forkNamed", { turn: turn.turnId })} onClick={onFork} />
          <Button icon="copy" iconOnly label={t("talks.copyText")} onClick={copy} />
        </Facts>
      </div>
      {answer.error && <Trouble error={answer.error} retry={answer.refresh} />}
      {!answer.value && answer.loading && <Loading />}
      {text !== undefined && <Talk body={text} />}
    </div>
  );
}
