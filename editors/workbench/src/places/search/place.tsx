/** Search, as one types: code and memory together. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { TargetedKeyboardEvent } from "preact";
import { useAnswer } from "../../answer";
import { Button, Field } from "../../parts/controls";
import { wordsOf } from "../../parts/marked";
import { Empty, Trouble } from "../../parts/states";
import { t } from "../../texts";
import { Filters } from "./filters";
import { Results } from "./results";
import { again, argumentsOf, change, contradicts, filtersOf, recent, remember, search, sourcesChanged, withoutMemory, type Search } from "./state";

const typingRest = 80; // ms without a key before it is asked
const rememberRest = 2500; // ms that an answer must have been looked at to count as a search
const [firstHits, mostHits] = [50, 200];

export function SearchPlace() {
  const s = search.value;
  const [limit, setLimit] = useState(firstHits);
  const key = JSON.stringify(s);
  useEffect(() => setLimit(firstHits), [key]);
  const asked = contradicts(s) ? undefined : argumentsOf(s, limit);
  const answer = useAnswer("contexture.search", asked, { changes: sourcesChanged });
  const hits = (asked && answer.value?.hits) ?? [];
  useEffect(() => {
    if (!hits.length) return;
    const timer = setTimeout(() => remember(s), rememberRest);
    return () => clearTimeout(timer);
  }, [key, hits.length > 0]);
  return (
    <div class="place search">
      <h1 class="unseen">{t("place.search")}</h1>
      <Query busy={answer.loading} hits={hits.length} />
      <Filters />
      {asked && <Note search={s} hits={hits.length} more={hits.length >= limit} settled={!answer.loading} degraded={(answer.value?.degraded ?? []).map((d) => `${d.stage}: ${d.detail ?? d.reason}`)} />}
      {answer.error && <Trouble error={answer.error} retry={answer.refresh} />}
      {answer.newer && (
        <div class="newer">
          <Button icon="refresh" label={t("action.showNewer")} onClick={answer.show} />
        </div>
      )}
      {!s.query.trim() && <Start />}
      {hits.length > 0 && <Results hits={hits} words={wordsOf(s.query)} onEnd={() => limit < mostHits && hits.length >= limit && setLimit(mostHits)} />}
      {s.query.trim() && !hits.length && !answer.loading && !answer.error && (answer.value || contradicts(s)) && <Nothing search={s} />}
    </div>
  );
}

/** The field. What is typed rests a moment before it goes into the address, and is asked from there. */
function Query({ busy, hits }: { busy: boolean; hits: number }) {
  const field = useRef<HTMLInputElement>(null);
  const inAddress = search.value.query;
  const [text, setText] = useState(inAddress);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const written = useRef(inAddress);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (inAddress === written.current) return; // else it came by the back button or a link
    written.current = inAddress;
    clearTimeout(timer.current);
    setText(inAddress);
  }, [inAddress]);
  const write = (value: string): void => {
    clearTimeout(timer.current);
    written.current = value;
    change({ query: value });
  };
  const keys = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    if (event.isComposing) return;
    if (event.key === "Enter") write(text);
    else if (event.key === "Escape" && text) {
      setText("");
      write("");
    } else if (event.key === "ArrowDown" && hits) document.querySelector<HTMLElement>(".hits .hit-main")?.focus();
    else return;
    event.preventDefault();
  };
  return (
    <form class="search-form" role="search" aria-busy={busy} onSubmit={(e) => e.preventDefault()}>
      <Field label={t("search.field")} bare>
        {(id) => (
          <input
            id={id}
            ref={field}
            class="search-field"
            type="search"
            data-main-field
            dir="auto"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            placeholder={t("search.hint")}
            value={text}
            onKeyDown={keys}
            onInput={(e) => {
              const { value } = e.currentTarget;
              setText(value);
              clearTimeout(timer.current);
              timer.current = setTimeout(() => write(value), typingRest);
            }}
          />
        )}
      </Field>
    </form>
  );
}

interface NoteProps {
  search: Search;
  hits: number;
  more: boolean;
  settled: boolean;
  degraded: readonly string[];
}

/** How many hits there are, and what the answer lacks. */
function Note({ search: s, hits, more, settled, degraded }: NoteProps) {
  return (
    <div class="search-note quiet">
      <p role="status">{settled && hits > 0 ? t(more ? "search.hitsMore" : "search.hits", { n: hits }) : ""}</p>
      {hits > 0 && withoutMemory(s) && !s.groups.length && <p>{t("search.withoutMemory")}</p>}
      {degraded.map((d) => (
        <p key={d} class="lacking" dir="auto">
          {t("search.lacks", { what: d })}
        </p>
      ))}
    </div>
  );
}

function Start() {
  return (
    <Empty icon="search" title={t("search.start")}>
      <p>{t("search.startHint")}</p>
      {recent.value.length > 0 && (
        <section class="recent" aria-labelledby="recent-searches">
          <h2 id="recent-searches">{t("search.recent")}</h2>
          <ul>
            {recent.value.map((r) => (
              <li key={JSON.stringify(r)}>
                <button type="button" class="recent-search" onClick={() => again(r)}>
                  <span dir="auto">{r.query}</span>
                  <span class="quiet">
                    {filtersOf(r)
                      .map((f) => f.label)
                      .join(" · ")}
                  </span>
                </button>
              </li>
            ))}
          </ul>
          <Button label={t("search.forgetRecent")} onClick={() => (recent.value = [])} />
        </section>
      )}
    </Empty>
  );
}

/** Says what was searched, and offers to search more. */
function Nothing({ search: s }: { search: Search }) {
  const filters = filtersOf(s);
  return (
    <Empty icon="search" title={t("search.nothing", { query: s.query.trim() })}>
      {contradicts(s) ? <p>{t("search.contradiction")}</p> : filters.length > 0 ? <p>{t("search.searched", { where: filters.map((f) => f.label).join(" · ") })}</p> : <p>{t("search.searchedAll")}</p>}
      {filters.length > 0 && (
        <ul class="examples">
          {filters.map((f) => (
            <li key={f.label}>
              <Button icon="close" label={t("search.drop", { filter: f.label })} onClick={() => change(f.drop)} />
            </li>
          ))}
          {filters.length > 1 && (
            <li>
              <Button label={t("search.dropAll")} onClick={() => change({ groups: [], language: "", path: "", symbols: false })} />
            </li>
          )}
        </ul>
      )}
    </Empty>
  );
}

