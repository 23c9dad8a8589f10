/** Topics and entities as rows; the equivalent of the graph for those who do not see it. */
import { Icon } from "../../parts/icon";
import { Row } from "../../parts/row";
import { revealed } from "../../parts/split";
import { Sparkline } from "../../parts/sparkline";
import { VirtualList } from "../../parts/virtual";
import { formatRoute, route } from "../../route";
import { number, t } from "../../texts";
import type { Subject } from "./subjects";

export function SubjectList({ subjects, chosen }: { subjects: readonly Subject[]; chosen: string | undefined }) {
  return (
    <VirtualList
      count={subjects.length}
      estimate={54}
      label={t("place.topics")}
      keyOf={(i) => subjects[i]?.id ?? ""}
      reveal={revealed(subjects.findIndex((s) => s.id === chosen))}
      row={(i) => {
        const s = subjects[i];
        return s && <SubjectRow subject={s} isCurrent={s.id === chosen} />;
      }}
    />
  );
}

function SubjectRow({ subject: s, isCurrent }: { subject: Subject; isCurrent: boolean }) {
  return (
    <Row
      href={formatRoute({ place: "topics", path: [s.id], query: route.value.query })}
      isCurrent={isCurrent}
      title={
        <>
          <span class={`swatch kind-${s.kind}`} aria-hidden="true" /> {s.label}{" "}
          {s.pinned && (
            <span class="subject-pin" title={t("topics.isPinned")}>
              <Icon name="pin" />
              <span class="unseen">{t("topics.isPinned")}</span>
            </span>
          )}
        </>
      }
      at={s.lastAt}
      facts={[t(`topics.kind.${s.kind}`), t("topics.turns", { n: s.turnCount }), <Sparkline values={s.history} label={trendText(s)} />]}
    />
  );
}

/** Says a trend in words, with the turns of the last weeks. */
export function trendText({ trend, history }: Pick<Subject, "trend" | "history">): string {
  const latest = history.slice(-4).map(number).join(", ");
  return latest ? t("topics.trendWeeks", { trend: t(`topics.trend.${trend}`), turns: latest }) : t(`topics.trend.${trend}`);
}
