/** Topics and people: what conversations speak of, as a list, as a graph, and one by one. */
import { useMemo } from "preact/hooks";
import { useAnswer } from "../../answer";
import { Select } from "../../parts/controls";
import { Find, focusList } from "../../parts/find";
import { chosenRoot, RootSelect } from "../../parts/root";
import { Sections } from "../../parts/sections";
import { Split } from "../../parts/split";
import { Answered, Empty } from "../../parts/states";
import { formatRoute, refine, route } from "../../route";
import { memoryChanges } from "../../session";
import { t } from "../../texts";
import { isLeaving } from "../../undo";
import { TopicAdvice } from "./advice";
import { Graph } from "./graph";
import { LearningLine } from "./learning";
import { SubjectList } from "./list";
import { ProfileView } from "./profile";
import { groups, listed, orders, subjectsOf, type Group, type Order } from "./subjects";
import { WorkspaceFacts } from "./workspace";

const views = ["list", "graph", "workspace"] as const;

export function TopicsPlace() {
  const { path, query } = route.value;
  const topics = useAnswer("contexture.knowledge.topics", chosenRoot(), { changes: memoryChanges });
  const entities = useAnswer("contexture.knowledge.entities", chosenRoot(), { changes: memoryChanges });
  const subjects = useMemo(() => subjectsOf(topics.value?.topics ?? [], entities.value?.entities ?? []), [topics.value, entities.value]);
  const [id] = path;
  const view = id === undefined ? (views.find((v) => v === query["view"]) ?? "list") : "list";
  const asked = query["q"] ?? "";
  const group = groups.find((g) => g === query["kind"]) ?? "";
  const order = orders.find((o) => o === query["order"]) ?? "weight";
  const shown = listed(subjects, group, asked, order).filter((s) => !isLeaving(s.id));
  // Both lists are one answer: nothing is shown of it before both are there.
  const both = { ...topics, value: topics.value && entities.value && subjects, error: topics.error ?? entities.error, loading: topics.loading || entities.loading, newer: topics.newer || entities.newer,
    refresh: () => [topics, entities].forEach((a) => a.refresh()), show: () => [topics, entities].forEach((a) => a.show()) };
  return (
    <div class="place topics">
      <div class="place-head">
        <h1>{t("place.topics")}</h1>
        <LearningLine />
        <div class="place-actions">
          <RootSelect />
        </div>
      </div>
      <Sections
        label={t("topics.view")}
        items={views.map((v) => ({
          href: formatRoute({ place: "topics", query: { ...query, view: v === "list" ? "" : v } }),
          label: t(`topics.view.${v}`),
          count: v === "list" && both.value ? subjects.length : undefined,
          current: v === view,
        }))}
      />
      {view === "graph" && <Graph />}
      {view === "workspace" && <WorkspaceFacts />}
      {view === "list" && (
        <>
          <div class="list-filters">
            <Find label={t("topics.find")} value={asked} onInput={(q) => refine({ q })} onDown={focusList} />
            <Select<Group | "">
              label={t("rules.kindLabel")}
              bare
              value={group}
              options={[{ value: "", label: t("rules.kindAll") }, ...groups.map((g) => ({ value: g, label: t(`topics.group.${g}`) }))]}
              onChange={(g) => refine({ kind: g })}
            />
            <Select<Order> label={t("topics.order")} bare value={order} options={orders.map((o) => ({ value: o, label: t(`topics.order.${o}`) }))} onChange={(o) => refine({ order: o === "weight" ? "" : o })} />
          </div>
          <TopicAdvice subjects={subjects} />
          <Answered answer={both}>
            {() =>
              shown.length || id !== undefined ? (
                <Split
                  opened={id}
                  first={shown[0]?.id}
                  back={{ place: "topics", query }}
                  backLabel={t("place.topics")}
                  label={t("topics.detail")}
                  list={(chosen) => <SubjectList subjects={shown} chosen={chosen} />}
                  detail={(of) => <ProfileView id={of} isOpened={of === id} subjects={subjects} />}
                />
              ) : (
                <Empty icon="topics" title={subjects.length ? t("rules.noneFound") : t("topics.none")}>
                  {!subjects.length && <p>{t("topics.noneText")}</p>}
                </Empty>
              )
            }
          </Answered>
        </>
      )}
    </div>
  );
}
