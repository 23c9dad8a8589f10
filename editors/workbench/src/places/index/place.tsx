/** The index and the program's health: what is there, what is left out and why, how fast answers are, what failed. */
import { useState } from "preact/hooks";
import { act, useAnswer } from "../../answer";
import { useActions } from "../../keys";
import { Button } from "../../parts/controls";
import { chosenRoot, RootSelect } from "../../parts/root";
import { Sections } from "../../parts/sections";
import { Answered } from "../../parts/states";
import { formatRoute, go, route } from "../../route";
import { indexChanges } from "../../session";
import { t } from "../../texts";
import { ExcludeDialog } from "./exclude";
import { LeftOutSection } from "./left_out";
import { Overview } from "./overview";
import { SecretsSection } from "./secrets";
import { SettingsSection } from "./settings";
import { SpeedSection } from "./speed";

const sections = ["overview", "leftout", "secrets", "speed", "settings"] as const;

export function IndexPlace() {
  const { query } = route.value;
  const section = sections.find((s) => s === query["section"]) ?? "overview";
  const status = useAnswer("contexture.index.status", chosenRoot(), { changes: indexChanges });
  const [excluding, setExcluding] = useState<string | undefined>(undefined);
  useActions([
    { label: t("index.exclude"), keys: ["x"], icon: "out", run: () => setExcluding("") },
    { label: t("index.why"), keys: ["w"], icon: "search", run: () => go({ place: "index", query: { ...query, section: "leftout" } }) },
    { label: t("index.rebuild"), keys: [], icon: "refresh", run: () => void rebuild(status.refresh) },
  ]);
  const root = query["root"] ? { root: query["root"] } : {};
  return (
    <div class="place index">
      <div class="place-head">
        <h1>{t("place.index")}</h1>
        <p class="quiet">{t(`index.about.${section}`)}</p>
        <div class="place-actions">
          <RootSelect />
          <Button icon="out" label={t("index.exclude")} onClick={() => setExcluding("")} />
          <Button icon="refresh" label={t("index.rebuild")} onClick={() => void rebuild(status.refresh)} />
        </div>
      </div>
      <Sections
        label={t("index.sections")}
        items={sections.map((s) => ({ href: formatRoute({ place: "index", query: { ...root, section: s === "overview" ? undefined : s } }), label: t(`index.section.${s}`), current: s === section }))}
      />
      {section === "overview" && <Answered answer={status}>{(value) => <Overview status={value} />}</Answered>}
      {section === "leftout" && <LeftOutSection exclude={setExcluding} />}
      {section === "secrets" && <SecretsSection />}
      {section === "speed" && <SpeedSection />}
      {section === "settings" && <SettingsSection />}
      {excluding !== undefined && <ExcludeDialog pattern={excluding} onClose={() => setExcluding(undefined)} />}
    </div>
  );
}

/** The old index answers until the new one is there: nothing is lost, so nobody is asked. */
async function rebuild(refresh: () => void): Promise<void> {
  await act("contexture.index.rebuild", chosenRoot(), t("index.rebuilding"));
  refresh();
}
