/** The head of the place: its name, and the choice between conversations and their sources. */
import { Choice } from "../../parts/controls";
import { go } from "../../route";
import { t } from "../../texts";

export type View = "all" | "sources";

export function Head({ view }: { view: View }) {
  return (
    <div class="place-head talks-head">
      <h1>{t("place.conversations")}</h1>
      <Choice
        label={t("talks.views")}
        value={view}
        options={[
          { value: "all", label: t("talks.viewAll") },
          { value: "sources", label: t("talks.viewSources") },
        ]}
        onChange={(v) => go({ place: "conversations", query: v === "all" ? {} : { view: v } })}
      />
    </div>
  );
}
