/** The palette: places, actions, what was opened lately, and any symbol or conversation, by a few letters of it. */
import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Hit } from "../../vscode/src/contract.gen";
import { useAnswer } from "./answer";
import { actionsEverywhere, actionsHere, keysOf, overlay } from "./keys";
import { fuzzy } from "./parts/fuzzy";
import { Icon, type IconName } from "./parts/icon";
import { Modal } from "./parts/modal";
import { openHit, titleOf, whereOf } from "./places/search/open";
import { go, parseRoute } from "./route";
import { host } from "./session";
import { ago, t } from "./texts";
import { visits } from "./visits";

interface Choice {
  id: string;
  label: string;
  /** What tells it from others of the same name. */
  note?: string;
  icon: IconName;
  keys?: readonly string[];
  run: () => void;
}

interface Group {
  title: string;
  choices: readonly Choice[];
}

const typingRest = 120; // ms without a key before the server is asked
const [mostFound, mostMatching] = [6, 8];

export function Palette() {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const { groups, loading } = useGroups(query.trim());
  const all = groups.flatMap((g) => g.choices);
  const chosen = Math.min(at, all.length - 1);
  useEffect(() => list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }), [chosen, query]);
  const run = (choice: Choice | undefined): void => {
    if (!choice) return;
    overlay.value = undefined;
    setTimeout(choice.run); // after the keyboard has returned: what runs may take it elsewhere
  };
  const keys = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    const control = event.ctrlKey ? { n: 1, j: 1, p: -1 }[event.key] : undefined;
    if (event.key === "Enter") run(all[chosen]);
    else if (step ?? control) setAt(((chosen + (step ?? control ?? 0)) % all.length + all.length) % all.length);
    else return;
    event.preventDefault();
  };
  return (
    <Modal label={t("palette.name")} class="palette">
      <input
        type="text"
        role="combobox"
        aria-label={t("palette.name")}
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        aria-activedescendant={all[chosen] ? `${id}-${chosen}` : undefined}
        aria-busy={loading}
        dir="auto"
        autofocus
        spellcheck={false}
        autocomplete="off"
        placeholder={t("palette.hint")}
        value={query}
        onInput={(e) => {
          setQuery(e.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={keys}
      />
      <div ref={list} id={`${id}-list`} class="palette-list" role="listbox" aria-label={t("palette.found")}>
        {groups.map((g) => (
          <div key={g.title} role="group" aria-label={g.title}>
            <p class="palette-group quiet" aria-hidden="true">
              {g.title}
            </p>
            {g.choices.map((c) => {
              const n = all.indexOf(c);
              return (
                <div key={c.id} id={`${id}-${n}`} class="palette-choice" role="option" aria-selected={n === chosen} onPointerMove={() => n !== chosen && setAt(n)} onClick={() => run(c)}>
                  <Icon name={c.icon} />
                  <span class="palette-label" dir="auto">
                    {c.label}
                  </span>{" "}
                  {c.note && (
                    <span class="palette-note quiet" dir="auto">
                      {c.note}
                    </span>
                  )}
                  {c.keys?.map((k) => <kbd key={k}>{k}</kbd>)}
                </div>
              );
            })}
          </div>
        ))}
      </div>
    </Modal>
  );
}

/** Returns what there is for a query: all that can be done at first, then what matches it. */
function useGroups(query: string): { groups: Group[]; loading: boolean } {
  const symbols = useAnswer("contexture.search", query ? { query, mode: "symbol", kinds: ["code"], limit: mostFound } : undefined, { rest: typingRest });
  const talks = useAnswer("contexture.conversation.list", query ? { query, limit: mostFound } : undefined, { rest: typingRest });
  const [here, everywhere] = [actionsHere(), actionsEverywhere()];
  const actions = [...here, ...everywhere];
  const action = (a: (typeof actions)[number], i: number): Choice => ({ id: `action ${i} ${a.label}`, label: a.label, icon: a.icon ?? "chevron", keys: keysOf(actions, a), run: a.run });
  const recent = visits.value.map(({ hash, title }): Choice => ({ id: hash, label: title, note: t(`place.${parseRoute(hash).place}`), icon: parseRoute(hash).place, run: () => go(parseRoute(hash)) }));
  const listed = everywhere.filter((a) => a.icon).map(action);
  if (!query) {
    const groups = [{ title: t("palette.here"), choices: here.map(action) }, { title: t("palette.recent"), choices: recent.slice(0, mostFound) }, { title: t("palette.everywhere"), choices: listed }];
    return { groups: groups.filter((g) => g.choices.length > 0), loading: false };
  }
  const matching = [...here.map(action), ...recent, ...listed]
    .flatMap((choice) => {
      const score = fuzzy(query, choice.label);
      return score === undefined ? [] : [{ choice, score }];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, mostMatching)
    .map((m) => m.choice);
  const groups: Group[] = [
    { title: t("palette.matching"), choices: matching },
    { title: t("palette.symbols"), choices: (symbols.value?.hits ?? []).map((hit) => symbol(query, hit)) },
    {
      title: t("place.conversations"),
      choices: (talks.value?.conversations ?? []).map((c) => ({ id: `talk ${c.id}`, label: c.title || c.id, note: ago(c.lastAt), icon: "conversations", run: () => go({ place: "conversations", path: [c.id] }) })),
    },
    {
      title: t("palette.ask"),
      choices: [
        { id: "search", label: t("palette.search", { query }), icon: "search", run: () => go({ place: "search", query: { q: query } }) },
        { id: "context", label: t("palette.context", { query }), icon: "context", run: () => go({ place: "context", query: { q: query } }) },
      ],
    },
  ];
  return { groups: groups.filter((g) => g.choices.length > 0), loading: symbols.loading || talks.loading };
}

/** A symbol opens in the editor that one is in; on the page, where the editor is elsewhere, among the hits. */
function symbol(query: string, hit: Hit): Choice {
  const run = host().opens === "here" ? () => openHit(hit) : () => go({ place: "search", query: { q: query, mode: "symbol" } });
  return { id: `symbol ${hit.id}`, label: hit.symbols?.find((s) => s.toLowerCase().includes(query.toLowerCase())) ?? titleOf(hit).title, note: whereOf(hit), icon: "code", run };
}
