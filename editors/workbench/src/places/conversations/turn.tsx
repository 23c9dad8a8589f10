/** One turn of a conversation: who said it and when, its marks, and what was said at the level that is chosen. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Branch, TimelineTurn, TurnResult } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { Button } from "../../parts/controls";
import { Icon } from "../../parts/icon";
import { Trouble } from "../../parts/states";
import { Prose, Talk } from "../../parts/talk";
import { inner, spans } from "../../parts/talk_text";
import { formatRoute, route } from "../../route";
import { announce, host, memoryChanges } from "../../session";
import { date, t, time } from "../../texts";
import { markLines, type MarkLine } from "./timeline";

/** Levels of detail, the most first: the last one is the turn's title. */
export const levels = ["R", "S", "C", "T"] as const;
export type Level = (typeof levels)[number];

interface TurnProps {
  conversationId: string;
  turn: TimelineTurn;
  /** The turn before it in the list: what they share is said once. */
  before: TimelineTurn | undefined;
  level: Level;
  isChosen: boolean;
  /** The sentence that is wanted of it. */
  sentence: string | undefined;
  words: readonly string[];
  forks: readonly Branch[];
  titleOf: (conversationId: string) => string;
  onFork: () => void;
}

export function TurnView(props: TurnProps) {
  const { conversationId, turn, before, level, isChosen, forks, titleOf, onFork } = props;
  const day = date(turn.at);
  const lines = markLines(turn.marks);
  const copy = (): void => {
    textOf(conversationId, turn, level === "T" ? "R" : level)
      .then((text) => host().copy(text))
      .then(() => announce(t("done.copied")))
      .catch((error: unknown) => announce(error instanceof Error ? error.message : String(error), "failed"));
  };
  return (
    <div class={`turn${isChosen ? " chosen" : ""}`} data-turn={turn.turnId}>
      {(!before || date(before.at) !== day) && <p class="turn-day quiet">{day}</p>}
      <div class="turn-head">
        <a class="turn-number quiet number" href={formatRoute({ place: "conversations", path: [conversationId, turn.turnId], query: { ...route.value.query, said: undefined } })} aria-current={isChosen ? "true" : undefined}>
          {turn.turnId}
        </a>
        {level === "T" && (
          <span class="turn-title" dir="auto">
            {turn.title || t("talks.noWords")}
          </span>
        )}
        {lines.map((l) => (
          <Kinds key={l.text} line={l} />
        ))}
        <span class="turn-facts quiet">
          <span class="turn-tools">
            <Button icon="fork" iconOnly label={t("talks.forkNamed", { turn: turn.turnId })} onClick={onFork} />
            <Button icon="copy" iconOnly label={t("talks.copyTurn", { turn: turn.turnId })} onClick={copy} />
          </span>
          <time dateTime={turn.at} title={date(turn.at, true)}>
            {time(turn.at)}
          </time>
        </span>
      </div>
      {level !== "T" && <TurnBody key={`${level} ${turn.messageCount} ${turn.tokens}`} {...props} level={level} />}
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
    </div>
  );
}

export function Kinds({ line }: { line: MarkLine }) {
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

/** Texts that were read, so that scrolling back shows them at once; dropped when a conversation is forgotten. */
const read = new Map<string, TurnResult>();
const mostRead = 500;

export function dropTexts(): void {
  read.clear();
}

function keyOf(conversationId: string, turn: TimelineTurn, level: Level): string {
  return JSON.stringify([conversationId, turn.turnId, level, turn.messageCount, turn.tokens]);
}

async function textOf(conversationId: string, turn: TimelineTurn, level: Level): Promise<string> {
  const known = read.get(keyOf(conversationId, turn, level));
  return inner((known ?? (await host().execute("contexture.conversation.turn", { conversationId, turnId: turn.turnId, level, pin: false }))).text);
}

function TurnBody({ conversationId, turn, level, sentence, words }: TurnProps) {
  const body = useRef<HTMLDivElement>(null);
  const key = keyOf(conversationId, turn, level);
  const known = read.get(key);
  // What was said stays so; its other versions may become better.
  const answer = useAnswer("contexture.conversation.turn", known && level === "R" ? undefined : { conversationId, turnId: turn.turnId, level, pin: false }, level === "R" ? {} : { changes: memoryChanges });
  const result = answer.value ?? known;
  useEffect(() => {
    if (!answer.value) return;
    const oldest = read.keys().next().value;
    if (read.size >= mostRead && oldest !== undefined) read.delete(oldest);
    read.set(key, answer.value);
  }, [answer.value]);
  const text = result && inner(result.text);
  const marked = useMemo(() => (sentence === undefined ? words : piecesOf(sentence)), [sentence, words]);
  useEffect(() => {
    if (sentence !== undefined && text !== undefined) body.current?.querySelector("mark")?.scrollIntoView({ block: "center" });
  }, [sentence, text]);
  return (
    <div ref={body} class="turn-body" aria-busy={text === undefined && !answer.error}>
      {answer.error && <Trouble error={answer.error} retry={answer.refresh} />}
      {text === undefined ? !answer.error && <Prose text={turn.title || t("talks.noWords")} /> : <Talk body={text} words={marked} />}
      {result?.pending && <p class="quiet turn-pending">{t("talks.pending")}</p>}
    </div>
  );
}

const leastPiece = 4; // letters; a shorter one would be marked all over the turn

/** Returns the parts of a sentence that are drawn as one each: code and strong text are cut out of what is around them. */
function piecesOf(sentence: string): string[] {
  return spans(sentence).map((s) => s.text.trim()).filter((text) => text.length >= leastPiece);
}
