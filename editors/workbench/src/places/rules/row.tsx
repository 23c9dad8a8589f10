/** One rule or decision: its words, and in the open row where they come from and what can be done. */
import type { TargetedKeyboardEvent } from "preact";
import { act } from "../../answer";
import { Button, Facts } from "../../parts/controls";
import { confirmed } from "../../parts/question";
import { Icon } from "../../parts/icon";
import { Quote } from "../../parts/quote";
import { chosenRoot } from "../../parts/root";
import { ago, date, t } from "../../texts";
import type { Advice, Entry } from "./entries";
import { why } from "./why";

interface RowProps {
  entry: Entry;
  open: boolean;
  /** Returns another entry, which this one replaced or contradicts. */
  other: (id: string) => Entry | undefined;
  toggle: () => void;
  edit: () => void;
  show: (id: string) => void;
  refresh: () => void;
}

export function EntryRow(props: RowProps) {
  const { entry, open, toggle, refresh } = props;
  const close = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (event.key !== "Escape" || !open || event.defaultPrevented) return;
    event.preventDefault();
    event.currentTarget.querySelector<HTMLElement>(".fold")?.focus();
    toggle();
  };
  return (
    <div class={`entry${open ? " open" : ""}`} onKeyDown={close}>
      <div class="entry-head">
        <button type="button" class="fold" aria-expanded={open} onClick={toggle}>
          <Icon name="chevron" />
          <span class="entry-title">
            <span class="entry-text" dir="auto">
              {entry.text}
            </span>
            <span class="entry-facts quiet">
              <span>{t(`rules.kind.${entry.kind}`)}</span>
              {entry.quotations[0]?.author && <span dir="auto">{entry.quotations[0].author}</span>}
              <span title={date(entry.at, true)}>{ago(entry.at)}</span>
              {entry.quotations.length > 1 && <span>{t("rules.times", { n: entry.quotations.length })}</span>}
              {entry.advice.map((a) => (
                <span class="advice" key={a.kind}>
                  {t(`rules.advice.${a.kind}`)}
                </span>
              ))}
            </span>
          </span>
        </button>
        {entry.state === "candidate" && !open && <Button icon="check" iconOnly label={t("rules.accept")} name={t("rules.acceptNamed", { name: short(entry.text) })} onClick={() => void accept(entry, refresh)} />}
      </div>
      {open && <EntryBody {...props} />}
    </div>
  );
}

function EntryBody({ entry, other, edit, show, refresh }: RowProps) {
  const successor = entry.replacedBy ? other(entry.replacedBy) : undefined;
  const predecessors = entry.replaces.flatMap((id) => other(id) ?? []);
  const { item } = entry;
  return (
    <div class="entry-body">
      <p class="quiet">
        {why(entry)}
        {item && !entry.quotations.length && ` · ${date(item.createdAt)}`}
      </p>
      {entry.quotations.map((q) => (
        <Quote key={`${q.conversationId} ${q.turnId} ${q.messageId}`} quotation={q} />
      ))}
      {item?.scope && (
        <p>
          <span class="quiet">{t("rules.scope")}</span> <span class="mono">{item.scope}</span>
        </p>
      )}
      {successor && <Other title={t("rules.replacedBy")} entry={successor} show={show} />}
      {predecessors.map((p) => (
        <Other key={p.id} title={t("rules.replaces")} entry={p} show={show} />
      ))}
      {entry.advice.map((a) => (
        <Advised key={a.kind} advice={a} other={a.other ? other(a.other) : undefined} show={show} refresh={refresh} />
      ))}
      <Facts>
        {entry.state === "candidate" && <Button kind="primary" icon="check" label={t("rules.accept")} onClick={() => void accept(entry, refresh)} />}
        {item && entry.state !== "replaced" && <Button icon="edit" label={t("action.edit")} name={t("rules.editNamed", { name: short(entry.text) })} onClick={edit} />}
        {item && <Button icon="trash" label={t("action.remove")} name={t("rules.removeNamed", { name: short(entry.text) })} onClick={() => void remove(entry, refresh)} />}
        {!item && entry.state === "active" && (
          <>
            <Button icon="pin" label={t("rules.keep")} onClick={() => void keep(entry, "decision", refresh)} />
            <Button icon="rules" label={t("rules.makeRule")} onClick={() => void makeRule(entry, refresh)} />
          </>
        )}
      </Facts>
    </div>
  );
}

/** Another entry that this one has to do with, in its own words. */
function Other({ title, entry, show }: { title: string; entry: Entry; show: (id: string) => void }) {
  const [quotation] = entry.quotations;
  return (
    <section class="entry-other">
      <h3>
        <button type="button" class="link" onClick={() => show(entry.id)}>
          {title}
        </button>
      </h3>
      {quotation ? <Quote quotation={quotation} /> : <p dir="auto">{entry.text}</p>}
    </section>
  );
}

interface AdvisedProps {
  advice: Advice;
  other: Entry | undefined;
  show: (id: string) => void;
  refresh: () => void;
}

function Advised({ advice, other, show, refresh }: AdvisedProps) {
  return (
    <div class="entry-advice" role="note">
      <p>{t(`rules.adviceText.${advice.kind}`)}</p>
      {advice.kind === "contradiction" && other && (
        <>
          <Other title={t("rules.contradicts")} entry={other} show={show} />
          <Button icon="check" label={t("rules.keepThis")} onClick={() => void remove(other, refresh)} />
        </>
      )}
      {advice.kind === "outdated" && advice.quotations.map((q) => <Quote key={q.turnId + q.text} quotation={q} />)}
    </div>
  );
}

async function accept(entry: { id: string; text: string }, refresh: () => void): Promise<void> {
  await act("contexture.knowledge.accept", { ...chosenRoot(), id: entry.id }, t("rules.accepted", { name: short(entry.text) }));
  refresh();
}

async function remove(entry: Entry, refresh: () => void): Promise<void> {
  const yes = await confirmed({
    title: t(`rules.remove.${entry.kind}`),
    what: entry.text,
    text: entry.kind === "rule" ? t("rules.removeText") : t("rules.removeTextOther"),
    action: t("action.remove"),
  });
  if (!yes) return;
  await act("contexture.knowledge.delete", { ...chosenRoot(), id: entry.id }, t("rules.removed", { name: short(entry.text) }));
  refresh();
}

/** Stores what was said in a conversation as the person's own. */
async function keep(entry: Entry, kind: "decision" | "rule", refresh: () => void): Promise<void> {
  await act("contexture.remember", { ...chosenRoot(), kind, text: entry.text }, t("rules.stored"));
  refresh();
}

/** Accepts the candidate that the sentence is; where there is none, it becomes the person's own rule. */
async function makeRule(entry: Entry, refresh: () => void): Promise<void> {
  if (entry.candidate) await accept({ id: entry.candidate, text: entry.text }, refresh);
  else await keep(entry, "rule", refresh);
}

/** Shortens a text for a name or a message. */
export function short(text: string): string {
  const line = text.split(/\s+/).join(" ");
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
