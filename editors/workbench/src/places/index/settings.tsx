/** The settings that hold, and where each comes from. */
import { useAnswer } from "../../answer";
import { Find, matches } from "../../parts/find";
import { chosenRoot } from "../../parts/root";
import { Answered, Empty } from "../../parts/states";
import { refine, route } from "../../route";
import { t } from "../../texts";

export function SettingsSection() {
  const answer = useAnswer("contexture.config", chosenRoot());
  const asked = route.value.query["q"] ?? "";
  return (
    <section>
      <h2 class="unseen">{t("index.section.settings")}</h2>
      <div class="list-filters">
        <Find label={t("index.findSetting")} value={asked} onInput={(q) => refine({ q })} />
      </div>
      <Answered answer={answer}>
        {(value) => {
          const shown = value.settings.filter((s) => matches(asked, [s.key, JSON.stringify(s.value), s.source]));
          if (!shown.length) return <Empty icon="settings" title={t("index.noneFound")} />;
          return (
            <div class="table-scroll" tabIndex={0} role="region" aria-label={t("index.section.settings")}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t("index.key")}</th>
                    <th scope="col">{t("index.value")}</th>
                    <th scope="col">{t("index.origin")}</th>
                  </tr>
                </thead>
                <tbody>
                  {shown.map((s) => (
                    <tr key={s.key} class={s.source === "default" ? "quiet" : ""}>
                      <th scope="row" class="mono">
                        {s.key}
                      </th>
                      <td class="mono">{JSON.stringify(s.value)}</td>
                      <td>{s.source}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          );
        }}
      </Answered>
    </section>
  );
}
