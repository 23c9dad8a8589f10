/** What is known of a topic, a person or a thing: what was said, byte for byte, and what goes with it. */
import { useState } from "preact/hooks";
import type { KnowledgeItem, Profile, Statement } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { Button, Facts } from "../../parts/controls";
import { openFile } from "../../parts/open";
import { Quote } from "../../parts/quote";
import { chosenRoot } from "../../parts/root";
import { Answered } from "../../parts/states";
import { openTurn } from "../../parts/turn";
import { formatRoute, go, route } from "../../route";
import { memoryChanges, uriOf } from "../../session";
import { date, t } from "../../texts";
import { forget, MergeDialog, pin, RenameDialog } from "./steer";
import { groupOf, type Subject } from "./subjects";

interface ProfileProps {
  id: string;
  subjects: readonly Subject[];
}

const parts: Statement["part"][] = ["what", "decision", "rule", "question", "event"];

export function ProfileView({ id, subjects }: ProfileProps) {
  const answer = useAnswer("contexture.knowledge.profile", { ...chosenRoot(), id }, { changes: memoryChanges });
  const { query } = route.value;
  return (
    <>
      <p class="back">
        <a href={formatRoute({ place: "topics", query })}>{t("topics.all")}</a>
      </p>
      {!answer.value && <h1 class="unseen">{t("place.topics")}</h1>}
      <Answered answer={answer}>{({ profile }) => <Shown profile={profile} subjects={subjects} refresh={answer.refresh} />}</Answered>
    </>
  );
}

function Shown({ profile: p, subjects, refresh }: { profile: Profile; subjects: readonly Subject[]; refresh: () => void }) {
  const [dialog, setDialog] = useState<"rename" | "merge" | undefined>(undefined);
  const others = subjects.filter((s) => s.id !== p.id && (p.kind === "topic" ? s.kind === "topic" : groupOf(s) !== "topic"));
  const close = (): void => setDialog(undefined);
  return (
    <article class="profile">
      <header class="place-head">
        <h1 dir="auto">{p.label}</h1>
        <p class="quiet">
          {t(`topics.kind.${p.kind}`)} · {t("topics.turns", { n: p.turnCount })} · {t("topics.since", { from: date(p.firstAt), to: date(p.lastEngagedAt) })} · {t(`topics.trend.${p.trend}`)}
        </p>
      </header>
      <Facts>
        <Button icon="pin" label={p.pinned ? t("topics.unpin") : t("topics.pin")} onClick={() => void pin(p, !p.pinned).then(refresh)} />
        <Button icon="edit" label={t("topics.rename")} onClick={() => setDialog("rename")} />
        {others.length > 0 && <Button icon="fork" label={t("topics.mergeMore")} onClick={() => setDialog("merge")} />}
        <Button icon="trash" label={t("topics.forget")} onClick={() => void forget(p).then((gone) => gone && go({ place: "topics" }, "replace"))} />
      </Facts>
      {p.names.length > 0 && (
        <p class="profile-names">
          <span class="quiet">{t(p.kind === "topic" ? "topics.words" : "topics.alsoCalled")}</span> <span dir="auto">{p.names.join(", ")}</span>
        </p>
      )}
      <div class="profile-body">
        <div class="profile-said">
          {!p.statements.length && <p class="quiet">{t("topics.nothingSaid")}</p>}
          {parts.map((part) => (
            <Statements key={part} part={part} statements={p.statements.filter((s) => s.part === part)} />
          ))}
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

function Statements({ part, statements }: { part: Statement["part"]; statements: readonly Statement[] }) {
  if (!statements.length) return null;
  return (
    <section>
      <h2>{t(`topics.part.${part}`)}</h2>
      {statements.map(({ quotation: q }) => (
        <Quote key={`${q.conversationId} ${q.turnId} ${q.text}`} quotation={q} />
      ))}
    </section>
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
                  <button type="button" class="link" dir="auto" aria-label={t("quote.openTurn", { turn: id, name: conversation })} onClick={() => openTurn(conversation, id)}>
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
