/** Topics and entities as rows; the equivalent of the graph for those who do not see it. */
import { Score } from "../../parts/controls";
import { Icon } from "../../parts/icon";
import { Sparkline } from "../../parts/sparkline";
import { VirtualList } from "../../parts/virtual";
import { formatRoute, route } from "../../route";
import { ago, date, number, percent, t } from "../../texts";
import type { Subject } from "./subjects";

export function SubjectList({ subjects }: { subjects: readonly Subject[] }) {
  return (
    <VirtualList
      count={subjects.length}
      estimate={42}
      label={t("place.topics")}
      keyOf={(i) => subjects[i]?.id ?? ""}
      row={(i) => {
        const subject = subjects[i];
        return subject && <SubjectRow subject={subject} />;
      }}
    />
  );
}

function SubjectRow({ subject: s }: { subject: Subject }) {
  return (
    <a class="subject" href={formatRoute({ place: "topics", path: [s.id], query: { root: route.value.query["root"] } })}>
      <span class={`swatch kind-${s.kind}`} aria-hidden="true" />
      <span class="subject-name">
        <span class="subject-label" dir="auto">
          {s.label}
        </span>{" "}
        {s.pinned && (
          <span class="subject-pin" title={t("topics.isPinned")}>
            <Icon name="pin" />
            <span class="unseen">{t("topics.isPinned")}</span>
          </span>
        )}{" "}
        <span class="quiet">{t(`topics.kind.${s.kind}`)}</span>
      </span>{" "}
      <span class="subject-trend">
        <Sparkline values={s.history} label={trendText(s)} />
      </span>{" "}
      <Score share={s.weight} label={t("topics.weight", { share: percent(s.weight) })} />{" "}
      <span class="subject-turns number quiet">{t("topics.turns", { n: s.turnCount })}</span>{" "}
      <span class="subject-last quiet" title={date(s.lastAt, true)}>
        {ago(s.lastAt)}
      </span>
    </a>
  );
}

/** Says a trend in words, with the turns of the last weeks. */
export function trendText({ trend, history }: Pick<Subject, "trend" | "history">): string {
  const latest = history.slice(-4).map(number).join(", ");
  return latest ? t("topics.trendWeeks", { trend: t(`topics.trend.${trend}`), turns: latest }) : t(`topics.trend.${trend}`);
}
