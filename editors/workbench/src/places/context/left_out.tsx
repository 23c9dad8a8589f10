/** What was left out of a bundle, and why; one press takes it in. */
import { signal } from "@preact/signals";
import type { BundleResult, Dropped } from "../../../../vscode/src/contract.gen";
import { Button, Score } from "../../parts/controls";
import { Icon } from "../../parts/icon";
import { VirtualList } from "../../parts/virtual";
import { relative } from "../../session";
import { chance, percent, t } from "../../texts";
import { change } from "./state";

const open = signal(false);

export function LeftOut({ bundle }: { bundle: BundleResult }) {
  const { dropped } = bundle;
  if (!dropped.length) return <p class="quiet left-out-none">{t("context.leftOutNone")}</p>;
  return (
    <section class="layer left-out">
      <h2>
        <button type="button" class="fold" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
          <Icon name="chevron" />
          <span>{t("context.leftOut", { n: dropped.length })}</span>
          <span class="quiet count">{summary(dropped)}</span>
        </button>
      </h2>
      {open.value && (
        <VirtualList
          count={dropped.length}
          estimate={44}
          label={t("context.leftOut", { n: dropped.length })}
          keyOf={(i) => `${dropped[i]?.id ?? ""} ${i}`}
          row={(i) => {
            const d = dropped[i];
            return d && <LeftOutRow dropped={d} />;
          }}
        />
      )}
    </section>
  );
}

function LeftOutRow({ dropped: d }: { dropped: Dropped }) {
  const path = d.uri?.startsWith("file:") ? relative(d.uri) : undefined;
  const title = d.title ?? path ?? d.id;
  const mayCome = ["redundant", "budget", "threshold", "filtered", "duplicate"].includes(d.reason);
  return (
    <div class="left-out-row">
      <div class="left-out-text" title={t(`kind.${d.kind}`)}>
        <span class="item-title" dir="auto">
          {title}
        </span>
        <span class="quiet">
          {t(`context.reason.${d.reason}`)}
          {d.needed !== undefined && d.needed < 1 && ` · ${t("context.needed", { share: chance(d.score ?? 0), needed: chance(d.needed) })}`}
        </span>
      </div>
      {d.score !== undefined && <Score share={d.score} label={t("context.score", { share: percent(d.score) })} />}
      {mayCome && <Button icon="check" label={t("context.take")} name={t("context.takeNamed", { name: title })} onClick={() => change("include", d.id, title)} />}
    </div>
  );
}

/** Says the commonest reasons with their numbers. */
function summary(dropped: readonly Dropped[]): string {
  const counts = new Map<Dropped["reason"], number>();
  for (const d of dropped) counts.set(d.reason, (counts.get(d.reason) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 3)
    .map(([reason, n]) => `${t(`context.reason.${reason}`)}: ${n}`)
    .join(" · ");
}
