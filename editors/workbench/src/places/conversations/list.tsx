/** All conversations, the latest first, and the one that is chosen. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { useActions } from "../../keys";
import { usePages } from "../../pages";
import { Button, Field, Select } from "../../parts/controls";
import { Icon } from "../../parts/icon";
import { Marked, wordsOf } from "../../parts/marked";
import { Row } from "../../parts/row";
import { Split } from "../../parts/split";
import { Empty, Loading, Trouble } from "../../parts/states";
import { VirtualList } from "../../parts/virtual";
import { formatRoute, go, refine, route } from "../../route";
import { memoryChanges } from "../../session";
import { t } from "../../texts";
import { ConversationView } from "./conversation";
import { noteConversations } from "./known";
import { sourceName } from "./names";

const page = 100;
const typingRest = 80; // ms without a key before it is asked
const rowHeight = 58;

export function Talks() {
  const { path, query } = route.value;
  const { q = "", source = "", fork = "" } = query;
  const [opened] = path;
  const args = { limit: page, ...(q.trim() ? { query: q.trim() } : {}), ...(source ? { source } : {}), ...(fork ? { forkOf: fork } : {}) };
  const talks = usePages("contexture.conversation.list", args, {
    rowsOf: (p) => p.conversations,
    keyOf: (c) => c.id,
    nextOf: (p) => p.next,
    from: (a, before) => ({ ...a, before }),
    orderOf: (c) => c.lastAt,
    changes: memoryChanges,
  });
  const { rows, first } = talks;
  useEffect(() => noteConversations(rows), [rows]);
  useActions([{ label: t("talks.viewSources"), keys: ["I"], icon: "settings", run: () => go({ place: "conversations", query: { view: "sources" } }) }]);
  const error = first.error ?? talks.error;
  const words = wordsOf(q);
  const filtered = q.trim() !== "" || source !== "" || fork !== "";
  const list = (chosen: string | undefined) => (
    <>
      {fork && (
        <p class="talks-fork">
          <span>{t("talks.forksOf", { name: fork })}</span>
          <Button icon="close" iconOnly label={t("talks.allConversations")} onClick={() => refine({ fork: undefined })} />
        </p>
      )}
      <p class="quiet talks-count" role="status">
        {t(talks.left ? "talks.countMore" : "talks.count", { n: rows.length })}
      </p>
      <VirtualList
        count={rows.length}
        estimate={rowHeight}
        label={t("place.conversations")}
        keyOf={(i) => rows[i]?.id ?? String(i)}
        onEnd={talks.more}
        row={(i) => rows[i] && <TalkRow conversation={rows[i]} words={words} isCurrent={rows[i].id === chosen} />}
      />
    </>
  );
  return (
    <>
      {error && <Trouble error={error} retry={first.error ? first.refresh : talks.more} />}
      {first.newer && (
        <div class="newer">
          <Button icon="refresh" label={t("action.showNewer")} onClick={first.show} />
        </div>
      )}
      {!first.value && first.loading && <Loading />}
      {(rows.length > 0 || opened !== undefined) && (
        <Split
          opened={opened}
          first={rows[0]?.id}
          back={{ place: "conversations", query: { q, source, fork } }}
          backLabel={t("place.conversations")}
          label={t("talks.detail")}
          list={list}
          detail={(id) => <ConversationView id={id} isOpened={id === opened} words={words} />}
        />
      )}
      {first.value && !first.loading && rows.length === 0 && opened === undefined && (filtered ? <NoneFound query={q} source={source} /> : <None />)}
    </>
  );
}

/** The field and the source; absent while there is nothing that they could leave out. */
export function Filter() {
  const { q: query = "", source = "" } = route.value.query;
  const [text, setText] = useState(query);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const written = useRef(query);
  const sources = useAnswer("contexture.capture.status", {}, { changes: memoryChanges });
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (query === written.current) return; // else it came by the back button or a link
    written.current = query;
    setText(query);
  }, [query]);
  const captured = (sources.value?.sources ?? []).filter((s) => s.on || s.sessions > 0 || s.source === source);
  return (
    <form class="talks-filter" role="search" onSubmit={(e) => e.preventDefault()}>
      <Field label={t("talks.search")} bare>
        {(id) => (
          <input
            id={id}
            type="search"
            data-main-field
            dir="auto"
            autocomplete="off"
            spellcheck={false}
            placeholder={t("talks.searchHint")}
            value={text}
            onInput={(e) => {
              const { value } = e.currentTarget;
              setText(value);
              clearTimeout(timer.current);
              timer.current = setTimeout(() => {
                written.current = value;
                refine({ q: value });
              }, typingRest);
            }}
            onKeyDown={(e) => {
              if (e.key !== "ArrowDown" || e.isComposing) return;
              const row = document.querySelector<HTMLElement>(".split-list a.row");
              if (!row) return;
              e.preventDefault();
              row.focus();
            }}
          />
        )}
      </Field>
      {captured.length > 0 && (
        <Select
          label={t("talks.source")}
          bare
          value={source}
          options={[{ value: "", label: t("talks.anySource") }, ...captured.map((s) => ({ value: s.source, label: sourceName(s.source) }))]}
          onChange={(v) => refine({ source: v })}
        />
      )}
    </form>
  );
}

function TalkRow({ conversation: c, words, isCurrent }: { conversation: Conversation; words: readonly string[]; isCurrent: boolean }) {
  const { q, source, fork } = route.value.query;
  return (
    <Row
      href={formatRoute({ place: "conversations", path: [c.id], query: { q, source, fork } })}
      isCurrent={isCurrent}
      title={
        <>
          {c.forkOf && <Icon name="fork" />}
          <Marked text={c.title || c.id} words={words} />
        </>
      }
      at={c.lastAt}
      facts={[t("talks.turns", { n: c.turnCount }), c.source && sourceName(c.source), c.forkOf && t("talks.forkOf", { name: c.forkOf.conversationId, turn: c.forkOf.turnId })]}
    />
  );
}

function None() {
  return (
    <Empty icon="conversations" title={t("talks.none")}>
      <p>{t("talks.noneHint")}</p>
      <p>
        <Button icon="conversations" label={t("talks.toSources")} onClick={() => go({ place: "conversations", query: { view: "sources" } })} />
      </p>
    </Empty>
  );
}

function NoneFound({ query, source }: { query: string; source: string }) {
  return (
    <Empty icon="search" title={query.trim() ? t("talks.noneFound", { query: query.trim() }) : t("talks.noneHere")}>
      <p>{t("talks.noneFoundHint")}</p>
      <ul class="examples">
        {source && (
          <li>
            <Button icon="close" label={t("talks.anySource")} onClick={() => refine({ source: undefined })} />
          </li>
        )}
        <li>
          <Button label={t("talks.allConversations")} onClick={() => go({ place: "conversations" })} />
        </li>
      </ul>
    </Empty>
  );
}
