/** One rule or decision: its words, where they come from, what replaced what, and what can be done. */
import { act } from "../../answer";
import { useActions, type Action } from "../../keys";
import { Button, Facts } from "../../parts/controls";
import { Quote } from "../../parts/quote";
import { chosenRoot } from "../../parts/root";
import { host } from "../../session";
import { date, t } from "../../texts";
import { leave } from "../../undo";
import { useOpened } from "../../visits";
import type { Advice, Entry } from "./entries";
import { why } from "./why";

interface EntryProps {
  entry: Entry;
  isOpened: boolean;
  /** Returns another entry, which this one replaced or contradicts. */
  other: (id: string) => Entry | undefined;
  edit: () => void;
  show: (id: string) => void;
  refresh: () => void;
}

export function EntryDetail({ entry, isOpened, other, edit, show, refresh }: EntryProps) {
  const { item, state, text } = entry;
  const isCandidate = state === "candidate";
  useOpened(short(text), isOpened);
  const actions: (Action & { name: string; kind?: "primary" })[] = [
    ...(isCandidate ? [{ label: t("rules.accept"), name: t("rules.acceptNamed", { name: short(text) }), keys: ["a"], icon: "check" as const, kind: "primary" as const, run: () => void accept(entry, refresh) }] : []),
    ...(item ? [{ label: t(isCandidate ? "rules.reject" : "action.remove"), name: t(isCandidate ? "rules.rejectNamed" : "rules.removeNamed", { name: short(text) }), keys: ["d"], icon: "trash" as const, run: () => remove(entry, refresh) }] : []),
    ...(item && state !== "replaced" ? [{ label: t("action.edit"), name: t("rules.editNamed", { name: short(text) }), keys: ["e", "s"], icon: "edit" as const, run: edit }] : []),
    ...(!item && state === "active"
      ? [
          { label: t("rules.keep"), name: t("rules.keep"), keys: ["p"], icon: "pin" as const, run: () => void keep(entry, "decision", refresh) },
          { label: t("rules.makeRule"), name: t("rules.makeRule"), keys: ["a"], icon: "rules" as const, run: () => void makeRule(entry, refresh) },
        ]
      : []),
  ];
  useActions(actions);
  const successor = entry.replacedBy ? other(entry.replacedBy) : undefined;
  const predecessors = entry.replaces.flatMap((id) => other(id) ?? []);
  return (
    <article class="entry">
      <header class="detail-head">
        <h2 dir="auto">{text}</h2>
        <Facts>
          {actions.map(({ run, ...a }) => (
            <Button key={a.label} {...a} keys={a.keys.slice(0, 1)} onClick={run} />
          ))}
        </Facts>
      </header>
      <p class="quiet">
        {[t(`rules.kind.${entry.kind}`), why(entry), item && !entry.quotations.length && date(item.createdAt)].filter(Boolean).join(" · ")}
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
    </article>
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
          <Button icon="check" label={t("rules.keepThis")} onClick={() => remove(other, refresh)} />
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

function remove({ id, text }: Entry, refresh: () => void): void {
  const args = { ...chosenRoot(), id };
  leave(id, t("rules.removed", { name: short(text) }), async () => {
    await host().execute("contexture.knowledge.delete", args);
    refresh();
  });
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
