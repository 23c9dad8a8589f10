/** All conversations, the latest first. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { usePages } from "../../pages";
import { Button, Field, Select } from "../../parts/controls";
import { Icon } from "../../parts/icon";
import { Marked, wordsOf } from "../../parts/marked";
import { Empty, Loading, Trouble } from "../../parts/states";
import { VirtualList } from "../../parts/virtual";
import { formatRoute, go, refine, route } from "../../route";
import { memoryChanges } from "../../session";
import { ago, date, t } from "../../texts";
import { noteConversations } from "./known";
import { sourceName } from "./names";
import { Head } from "./views";

const page = 100;
const typingRest = 80; // ms without a key before it is asked
const rowHeight = 58;

export function ConversationList() {
  const { q = "", source = "", fork = "" } = route.value.query;
  const args = { limit: page, ...(q.trim() ? { query: q.trim() } : {}), ...(source ? { source } : {}), ...(fork ? { forkOf: fork } : {}) };
  const list = usePages("contexture.conversation.list", args, {
    rowsOf: (p) => p.conversations,
    keyOf: (c) => c.id,
    nextOf: (p) => p.next,
    from: (a, before) => ({ ...a, before }),
    orderOf: (c) => c.lastAt,
    changes: memoryChanges,
  });
  const { rows, first } = list;
  useEffect(() => noteConversations(rows), [rows]);
  const error = first.error ?? list.error;
  const words = wordsOf(q);
  const filtered = q.trim() !== "" || source !== "" || fork !== "";
  return (
    <div class="place talks">
      <Head view="all" />
      {(filtered || rows.length > 0) && <Filter query={q} source={source} busy={first.loading} />}
      {fork && (
        <p class="talks-fork">
          <span>{t("talks.forksOf", { name: fork })}</span>
          <Button icon="close" iconOnly label={t("talks.allConversations")} onClick={() => refine({ fork: undefined })} />
        </p>
      )}
      {error && <Trouble error={error} retry={first.error ? first.refresh : list.more} />}
      {first.newer && (
        <div class="newer">
          <Button icon="refresh" label={t("action.showNewer")} onClick={first.show} />
        </div>
      )}
      {!first.value && first.loading && <Loading />}
      {rows.length > 0 && (
        <>
          <p class="quiet talks-count" role="status">
            {t(list.left ? "talks.countMore" : "talks.count", { n: rows.length })}
          </p>
          <VirtualList count={rows.length} estimate={rowHeight} label={t("place.conversations")} keyOf={(i) => rows[i]?.id ?? String(i)} onEnd={list.more} class="talk-rows" row={(i) => rows[i] && <Row conversation={rows[i]} words={words} />} />
        </>
      )}
      {first.value && !first.loading && rows.length === 0 && (filtered ? <NoneFound query={q} source={source} /> : <None />)}
    </div>
  );
}

function Filter({ query, source, busy }: { query: string; source: string; busy: boolean }) {
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
    <form class="talks-filter" role="search" aria-busy={busy} onSubmit={(e) => e.preventDefault()}>
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
              const row = document.querySelector<HTMLElement>(".talk-rows a");
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

function Row({ conversation: c, words }: { conversation: Conversation; words: readonly string[] }) {
  return (
    <a class="talk-row" href={formatRoute({ place: "conversations", path: [c.id] })}>
      <span class="talk-row-title" dir="auto">
        {c.forkOf && <Icon name="fork" />}
        <Marked text={c.title || c.id} words={words} />
      </span>
      <time class="quiet number" dateTime={c.lastAt} title={date(c.lastAt, true)}>
        {ago(c.lastAt)}
      </time>
      <span class="talk-row-facts quiet">
        <span>{t("talks.turns", { n: c.turnCount })}</span>
        {c.source && <span>{sourceName(c.source)}</span>}
        {c.forkOf && <span dir="auto">{t("talks.forkOf", { name: c.forkOf.conversationId, turn: c.forkOf.turnId })}</span>}
      </span>
    </a>
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
