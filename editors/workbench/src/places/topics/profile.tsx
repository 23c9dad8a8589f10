/** What is known of a topic, a person or a thing: what was said, byte for byte, and what goes with it. */
import { useState } from "preact/hooks";
import type { KnowledgeItem, Profile, Statement } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { useActions, type Action } from "../../keys";
import { Button, Facts } from "../../parts/controls";
import { openFile } from "../../parts/open";
import { Quote } from "../../parts/quote";
import { chosenRoot } from "../../parts/root";
import { Answered } from "../../parts/states";
import { openTurn } from "../../parts/turn";
import { formatRoute, go } from "../../route";
import { memoryChanges, uriOf } from "../../session";
import { date, t } from "../../texts";
import { useOpened } from "../../visits";
import { forget, MergeDialog, pin, RenameDialog } from "./steer";
import { groupOf, type Subject } from "./subjects";

interface ProfileProps {
  id: string;
  /** Whether the address names it. */
  isOpened: boolean;
  subjects: readonly Subject[];
}

export function ProfileView({ id, isOpened, subjects }: ProfileProps) {
  const answer = useAnswer("contexture.knowledge.profile", { ...chosenRoot(), id }, { changes: memoryChanges });
  useOpened(answer.value?.profile.label, isOpened);
  return <Answered answer={answer}>{({ profile }) => <Shown profile={profile} subjects={subjects} refresh={answer.refresh} />}</Answered>;
}

function Shown({ profile: p, subjects, refresh }: { profile: Profile; subjects: readonly Subject[]; refresh: () => void }) {
  const [dialog, setDialog] = useState<"rename" | "merge" | undefined>(undefined);
  const others = subjects.filter((s) => s.id !== p.id && (p.kind === "topic" ? s.kind === "topic" : groupOf(s) !== "topic"));
  const close = (): void => setDialog(undefined);
  const actions: Action[] = [
    { label: p.pinned ? t("topics.unpin") : t("topics.pin"), keys: ["p"], icon: "pin", run: () => void pin(p, !p.pinned).then(refresh) },
    { label: t("topics.rename"), keys: ["c"], icon: "edit", run: () => setDialog("rename") },
    ...(others.length > 0 ? [{ label: t("topics.mergeMore"), keys: ["m"], icon: "fork" as const, run: () => setDialog("merge") }] : []),
    { label: t("topics.forget"), keys: ["d"], icon: "trash", run: () => forget(p) },
  ];
  useActions(actions);
  return (
    <article class="profile">
      <header>
        <div class="detail-head">
          <h2 dir="auto">{p.label}</h2>
          <Facts>
            {actions.map(({ run, ...a }) => (
              <Button key={a.label} {...a} onClick={run} />
            ))}
          </Facts>
        </div>
        <p class="row-facts quiet">
          <span>{t(`topics.kind.${p.kind}`)}</span>
          <span>{t("topics.turns", { n: p.turnCount })}</span>
          <span>{t("topics.since", { from: date(p.firstAt), to: date(p.lastEngagedAt) })}</span>
          <span>{t(`topics.trend.${p.trend}`)}</span>
        </p>
        {p.names.length > 0 && (
          <p class="profile-names">
            <span class="quiet">{t(p.kind === "topic" ? "topics.words" : "topics.alsoCalled")}</span> <span dir="auto">{p.names.join(", ")}</span>
          </p>
        )}
      </header>
      <div class="profile-body">
        <div class="profile-said">
          <Statements statements={p.statements} />
          <Items label={p.label} kind="reference" />
          <Items label={p.label} kind="episode" />
        </div>
        <Aside profile={p} subjects={subjects} />
      </div>
      {dialog === "rename" && (
        <RenameDialog
          of={p}
          onClose={close}
          onDone={() => {
            close();
            refresh();
          }}
        />
      )}
      {dialog === "merge" && (
        <MergeDialog
          of={p}
          others={others}
          onClose={close}
          onDone={(into) => {
            close();
            go({ place: "topics", path: [into.id] }, "replace");
          }}
        />
      )}
    </article>
  );
}

/** What was said of it, each with its day, the latest first. */
function Statements({ statements }: { statements: readonly Statement[] }) {
  const inOrder = [...statements].sort((a, b) => (b.quotation.at ?? "").localeCompare(a.quotation.at ?? ""));
  return (
    <>
      {inOrder.map(({ part, quotation: q }) => (
        <Quote key={`${part} ${q.conversationId} ${q.turnId} ${q.text}`} quotation={q} {...(part === "what" ? {} : { name: t(`topics.part.${part}`) })} />
      ))}
    </>
  );
}

const mostItems = 10;

/** References on a topic, or what was done about it, folded: the quotations above say the most. */
function Items({ label, kind }: { label: string; kind: "reference" | "episode" }) {
  const answer = useAnswer("contexture.knowledge.list", { ...chosenRoot(), kind, topic: label }, { changes: memoryChanges });
  const items = (answer.value?.items ?? []).slice(0, mostItems);
  if (!items.length) return null;
  return (
    <section>
      <h2>{t(`topics.items.${kind}`)}</h2>
      {items.map((item) => (
        <Item key={item.id} item={item} />
      ))}
    </section>
  );
}

function Item({ item }: { item: KnowledgeItem }) {
  return (
    <details class="profile-item">
      <summary>
        <span dir="auto">{item.title}</span> <span class="quiet">{date(item.updatedAt)}</span>
      </summary>
      {item.quotations.length ? item.quotations.map((q) => <Quote key={`${q.conversationId} ${q.turnId} ${q.path ?? ""} ${q.line ?? 0} ${q.text}`} quotation={q} />) : <p dir="auto">{item.content}</p>}
    </details>
  );
}

const mostTurns = 20;

function Aside({ profile: p, subjects }: { profile: Profile; subjects: readonly Subject[] }) {
  const turns = p.turns.slice(-mostTurns).reverse();
  return (
    <aside class="profile-aside">
      {p.related.length > 0 && (
        <section>
          <h2>{t("topics.related")}</h2>
          <ul>
            {p.related.map((name) => {
              const found = subjects.find((s) => s.label === name && s.id !== p.id);
              return (
                <li key={name} dir="auto">
                  {found ? <a href={formatRoute({ place: "topics", path: [found.id] })}>{name}</a> : name}
                </li>
              );
            })}
          </ul>
        </section>
      )}
      {p.files.length > 0 && (
        <section>
          <h2>{t("topics.files")}</h2>
          <ul>
            {p.files.map((path) => (
              <li key={path}>
                <button type="button" class="link mono" dir="ltr" aria-label={t("action.openFile", { name: path })} onClick={() => openFile(uriOf(path))}>
                  {path}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {turns.length > 0 && (
        <section>
          <h2>{t("topics.latestTurns")}</h2>
          <ul>
            {turns.map((turn) => {
              const at = turn.lastIndexOf("/");
              const [conversation, id] = [turn.slice(0, at), turn.slice(at + 1)];
              return (
                <li key={turn}>
                  <button type="button" class="link" dir="auto" title={t("quote.openTurn", { turn: id, name: conversation })} onClick={() => openTurn(conversation, id)}>
                    {conversation} {id}
                  </button>
                </li>
              );
            })}
          </ul>
        </section>
      )}
    </aside>
  );
}
