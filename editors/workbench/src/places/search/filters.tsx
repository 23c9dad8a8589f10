/** What a search keeps to. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Chips } from "../../parts/chips";
import { Button, Field, Select } from "../../parts/controls";
import { statuses } from "../../session";
import { t } from "../../texts";
import { change, filtersOf, groupKey, groupNames, search } from "./state";

export function Filters() {
  const s = search.value;
  const languages = languagesOf(s.language);
  return (
    <div class="filters">
      <Chips label={t("search.kinds")} chosen={s.groups} options={groupNames.map((g) => ({ value: g, label: t(groupKey(g)) }))} onChange={(chosen) => change({ groups: chosen })} />
      <Chips label={t("search.how")} chosen={s.symbols ? ["symbol"] : []} options={[{ value: "symbol", label: t("search.symbols") }]} onChange={(chosen) => change({ symbols: chosen.length > 0 })} />
      {languages.length > 0 && (
        <Select
          label={t("search.language")}
          bare
          value={s.language}
          options={[{ value: "", label: t("search.anyLanguage") }, ...languages.map((l) => ({ value: l, label: l }))]}
          onChange={(language) => change({ language })}
        />
      )}
      <Path />
      {filtersOf(s).length > 0 && <Button icon="close" label={t("search.dropAll")} onClick={() => change({ groups: [], language: "", path: "", symbols: false })} />}
    </div>
  );
}

const typingRest = 250; // ms; a half-typed path finds nothing

function Path() {
  const inAddress = search.value.path;
  const [text, setText] = useState(inAddress);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => setText(inAddress), [inAddress]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <Field label={t("search.path")} bare>
      {(id) => (
        <input
          id={id}
          class="path-field"
          type="text"
          spellcheck={false}
          autocomplete="off"
          placeholder={t("search.pathHint")}
          value={text}
          onInput={(e) => {
            const { value } = e.currentTarget;
            setText(value);
            clearTimeout(timer.current);
            timer.current = setTimeout(() => change({ path: value }), typingRest);
          }}
        />
      )}
    </Field>
  );
}

/** The languages of the workspace, the commonest first, and the one that is chosen. */
function languagesOf(chosen: string): string[] {
  const files = new Map<string, number>();
  for (const status of statuses.value.values()) {
    for (const l of (status as { languages?: { language: string; files: number }[] }).languages ?? []) files.set(l.language, (files.get(l.language) ?? 0) + l.files);
  }
  if (chosen && !files.has(chosen)) files.set(chosen, 0);
  return [...files].sort((a, b) => b[1] - a[1]).map(([l]) => l);
}
