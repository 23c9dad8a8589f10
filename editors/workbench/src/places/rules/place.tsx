/** Rules and decisions: what holds, what may hold, and what was replaced, each in the words it was said in. */
import { useState } from "preact/hooks";
import { useActions } from "../../keys";
import { Button, Select } from "../../parts/controls";
import { Find, focusList } from "../../parts/find";
import { RootSelect } from "../../parts/root";
import { Row } from "../../parts/row";
import { Sections } from "../../parts/sections";
import { revealed, Split } from "../../parts/split";
import { Answered, Empty } from "../../parts/states";
import { VirtualList } from "../../parts/virtual";
import { formatRoute, go, refine, route } from "../../route";
import { t } from "../../texts";
import { isLeaving } from "../../undo";
import { EditDialog } from "./edit";
import { filtered, kinds, states, type Entry, type Kind, type State } from "./entries";
import { EntryDetail, short } from "./entry";
import { useEntries, useFound } from "./sources";

/** The states as the address names them; the first needs no name. */
const named: Record<State, string | undefined> = { active: undefined, candidate: "candidates", replaced: "replaced" };

export function RulesPlace() {
  const { path, query } = route.value;
  const { answer, entries: stored, refresh } = useEntries();
  const [editing, setEditing] = useState<Entry | "new" | undefined>(undefined);
  useActions([{ label: t("rules.add"), keys: ["o"], icon: "add", run: () => setEditing("new") }]);
  const asked = query["q"] ?? "";
  const kind = kinds.find((k) => k === query["kind"]) ?? "";
  const found = useFound(asked);
  const entries = stored.filter((e) => !isLeaving(e.id));
  const all = filtered(entries, { kind, query: asked, found });
  const byId = new Map(entries.map((e) => [e.id, e]));
  const opened = byId.get(path[0] ?? "");
  const state = states.find((s) => named[s] === query["state"] && (s !== "active" || !opened)) ?? opened?.state ?? "active";
  const shown = all.filter((e) => e.state === state);
  const show = (id: string): void => {
    const of = byId.get(id);
    if (of) go({ place: "rules", path: [id], query: { ...query, state: named[of.state], kind: kind && kind !== of.kind ? "" : kind, q: "" } });
  };
  const list = (chosen: string | undefined) => (
    <VirtualList
      count={shown.length}
      estimate={58}
      label={t(`rules.state.${state}`)}
      keyOf={(i) => shown[i]?.id ?? ""}
      reveal={revealed(shown.findIndex((e) => e.id === chosen))}
      row={(i) => {
        const e = shown[i];
        return e && <EntryRow entry={e} isCurrent={e.id === chosen} href={formatRoute({ place: "rules", path: [e.id], query: { ...query, state: named[e.state] } })} successor={byId.get(e.replacedBy ?? "")} />;
      }}
    />
  );
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
            <Split
              opened={opened && shown.includes(opened) ? opened.id : undefined}
              first={shown[0]?.id}
              back={{ place: "rules", query: { ...query, state: named[state] } }}
              backLabel={t("place.rules")}
              label={t("rules.detail")}
              list={list}
              detail={(id) => {
                const e = byId.get(id);
                return e && <EntryDetail entry={e} isOpened={e === opened} other={(of) => byId.get(of)} edit={() => setEditing(e)} show={show} refresh={refresh} />;
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

function EntryRow({ entry: e, href, isCurrent, successor }: { entry: Entry; href: string; isCurrent: boolean; successor: Entry | undefined }) {
  const [said] = e.quotations;
  return (
    <Row
      href={href}
      isCurrent={isCurrent}
      title={e.text}
      at={e.at}
      facts={[
        t(`rules.kind.${e.kind}`),
        said?.author,
        e.quotations.length > 1 && t("rules.times", { n: e.quotations.length }),
        successor && t("rules.replacedByNamed", { name: short(successor.text) }),
        ...e.advice.map((a) => <span class="advice">{t(`rules.advice.${a.kind}`)}</span>),
      ]}
    />
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
