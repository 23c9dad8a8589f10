/** Rules and decisions: what holds, what may hold, and what was replaced, each in the words it was said in. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Button, Select } from "../../parts/controls";
import { Find, focusList } from "../../parts/find";
import { RootSelect } from "../../parts/root";
import { Sections } from "../../parts/sections";
import { Answered, Empty } from "../../parts/states";
import { VirtualList } from "../../parts/virtual";
import { formatRoute, go, refine, route } from "../../route";
import { t } from "../../texts";
import { EditDialog } from "./edit";
import { filtered, kinds, states, type Entry, type Kind, type State } from "./entries";
import { EntryRow } from "./row";
import { useEntries, useFound } from "./sources";

/** The states as the address names them; the first needs no name. */
const named: Record<State, string | undefined> = { active: undefined, candidate: "candidates", replaced: "replaced" };

export function RulesPlace() {
  const { path, query } = route.value;
  const { answer, entries, refresh } = useEntries();
  const [editing, setEditing] = useState<Entry | "new" | undefined>(undefined);
  const asked = query["q"] ?? "";
  const kind = kinds.find((k) => k === query["kind"]) ?? "";
  const found = useFound(asked);
  const all = filtered(entries, { kind, query: asked, found });
  const byId = new Map(entries.map((e) => [e.id, e]));
  const opened = byId.get(path[0] ?? "");
  const state = states.find((s) => named[s] === query["state"]) ?? "active";
  const shown = all.filter((e) => e.state === state);
  const show = (id: string): void => {
    const of = byId.get(id);
    if (of) go({ place: "rules", path: [id], query: { ...query, state: named[of.state], kind: kind && kind !== of.kind ? "" : kind, q: "" } });
  };
  const seen = useRef<string>(); // what is opened by hand is in view already
  useEffect(() => {
    if (answer.value) seen.current = opened?.id;
  }, [opened?.id, answer.value]);
  const toggle = (e: Entry): void => {
    seen.current = e.id;
    go({ place: "rules", path: e === opened ? [] : [e.id], query });
  };
  return (
    <div class="place rules">
      <div class="place-head">
        <h1>{t("place.rules")}</h1>
        <p class="quiet">{t(`rules.about.${state}`)}</p>
        <div class="place-actions">
          <RootSelect />
          <Button icon="add" label={t("rules.add")} onClick={() => setEditing("new")} />
        </div>
      </div>
      <Sections
        label={t("rules.states")}
        items={states.map((s) => ({
          href: formatRoute({ place: "rules", query: { ...query, state: named[s] } }),
          label: t(`rules.state.${s}`),
          count: answer.value && all.filter((e) => e.state === s).length,
          current: s === state,
        }))}
      />
      <div class="list-filters">
        <Find label={t("rules.find")} value={asked} onInput={(q) => refine({ q })} onDown={focusList} />
        <Select<Kind | "">
          label={t("rules.kindLabel")}
          bare
          value={kind}
          options={[{ value: "", label: t("rules.kindAll") }, ...kinds.map((k) => ({ value: k, label: t(`rules.kinds.${k}`) }))]}
          onChange={(k) => refine({ kind: k })}
        />
      </div>
      <Answered answer={answer}>
        {() =>
          shown.length ? (
            <VirtualList
              count={shown.length}
              estimate={58}
              label={t(`rules.state.${state}`)}
              keyOf={(i) => shown[i]?.id ?? ""}
              reveal={opened && opened.id !== seen.current ? shown.indexOf(opened) : undefined}
              row={(i) => {
                const entry = shown[i];
                return entry && <EntryRow entry={entry} open={entry === opened} other={(id) => byId.get(id)} toggle={() => toggle(entry)} edit={() => setEditing(entry)} show={show} refresh={refresh} />;
              }}
            />
          ) : (
            <Nothing state={state} filtered={Boolean(asked || kind)} add={() => setEditing("new")} />
          )
        }
      </Answered>
      {editing && (
        <EditDialog
          entry={editing === "new" ? undefined : editing}
          kind={kind || "rule"}
          onClose={() => setEditing(undefined)}
          onStored={(id) => {
            setEditing(undefined);
            refresh();
            if (editing === "new") go({ place: "rules", path: [id] });
          }}
        />
      )}
    </div>
  );
}

function Nothing({ state, filtered: isFiltered, add }: { state: State; filtered: boolean; add: () => void }) {
  if (isFiltered) {
    return (
      <Empty icon="rules" title={t("rules.noneFound")}>
        <Button label={t("action.clear")} onClick={() => refine({ q: "", kind: "" })} />
      </Empty>
    );
  }
  return (
    <Empty icon="rules" title={t(`rules.none.${state}`)}>
      <p>{t(`rules.noneText.${state}`)}</p>
      {state === "active" && <Button icon="add" label={t("rules.add")} onClick={add} />}
    </Empty>
  );
}
