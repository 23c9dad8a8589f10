/** What people and models wrote, to be read: paragraphs, code with its colours, calls of tools folded. Never as HTML. */
import { useMemo, useState } from "preact/hooks";
import { number, t } from "../texts";
import { Code } from "./code";
import { Button } from "./controls";
import { Marked } from "./marked";
import { blocks, spans, utterances, type Block, type Utterance } from "./talk_text";

interface TalkProps {
  /** The text of a turn, without its element. */
  body: string;
  words?: readonly string[];
}

/** What is drawn at once; a turn may hold megabytes. */
const mostShown = 20_000;

export function Talk({ body, words = [] }: TalkProps) {
  const [all, setAll] = useState(false);
  const cutShort = !all && body.length > mostShown;
  const said = useMemo(() => utterances(cutShort ? body.slice(0, mostShown) : body), [body, cutShort]);
  return (
    <div class="talk">
      {said.map((u, i) => (
        <Said key={i} said={u} words={words} />
      ))}
      {cutShort && <Button icon="chevron" label={t("talk.showAll", { size: number(body.length) })} onClick={() => setAll(true)} />}
    </div>
  );
}

function Said({ said, words }: { said: Utterance; words: readonly string[] }) {
  const { role, author, text, reasoning, calls } = said;
  return (
    <div class={`said ${role ?? "summary"}`}>
      {role && (
        <p class="said-by" dir="auto">
          {author ?? t(`role.${role}`)}
        </p>
      )}
      {reasoning && (
        <details class="said-more">
          <summary>{t("talk.reasoning")}</summary>
          <Prose text={reasoning} words={words} />
        </details>
      )}
      <Prose text={text} words={words} />
      {calls.map((c, i) => (
        <details class="said-more" key={i}>
          <summary>{t("talk.call", { name: c.name })}</summary>
          <Code text={c.text} label={t("talk.call", { name: c.name })} words={words} />
        </details>
      ))}
    </div>
  );
}

/** What somebody wrote, paragraph by paragraph. */
export function Prose({ text, words = [] }: { text: string; words?: readonly string[] }) {
  const parts = useMemo(() => blocks(text), [text]);
  return (
    <div class="prose">
      {parts.map((b, i) => (
        <BlockView key={i} block={b} words={words} />
      ))}
    </div>
  );
}

function BlockView({ block, words }: { block: Block; words: readonly string[] }) {
  if (block.kind === "code") return <Code text={block.text} {...(block.language ? { language: block.language } : {})} words={words} label={t("talk.code", { language: block.language })} />;
  if (block.kind === "table") return <Code text={block.text} words={words} label={t("talk.table")} />;
  const inside = spans(block.text).map((s, i) => {
    const marked = <Marked key={i} text={s.text} words={words} />;
    return s.kind === "code" ? <code key={i}>{marked}</code> : s.kind === "strong" ? <strong key={i}>{marked}</strong> : marked;
  });
  if (block.kind === "quote") return <blockquote dir="auto">{inside}</blockquote>;
  return (
    <p class={block.kind === "heading" ? "prose-heading" : undefined} dir="auto">
      {inside}
    </p>
  );
}
