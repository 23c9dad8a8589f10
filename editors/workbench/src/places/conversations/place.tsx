/** Conversations: the list of them and, beside it, one of them as a whole; and where they come from. */
import { Choice } from "../../parts/controls";
import { go, route } from "../../route";
import { t } from "../../texts";
import { Filter, Talks } from "./list";
import { Sources } from "./sources";

export function ConversationsPlace() {
  const view = route.value.query["view"] === "sources" ? "sources" : "all";
  return (
    <div class="place talks">
      <div class="place-head">
        <h1>{t("place.conversations")}</h1>
        {view === "all" ? <Filter /> : <p class="quiet">{t("sources.lead")}</p>}
        <div class="place-actions">
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
      </div>
      {view === "all" ? <Talks /> : <Sources />}
    </div>
  );
}
