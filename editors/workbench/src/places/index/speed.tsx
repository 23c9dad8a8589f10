/** How long the last requests took, by stage, and what failed lately. */
import { signal } from "@preact/signals";
import type { MetricsResult, RecentRequest, RecentResult } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { Choice, Measure } from "../../parts/controls";
import { Answered } from "../../parts/states";
import { bytes, date, milliseconds, number, t } from "../../texts";

const view = signal<"plot" | "table">("plot");

/** Stages have the colours of layers; what is no stage of its own is the rest. */
const colours = { classify: 0, keyword: 5, vector: 4, filter: 6, judge: 3, dedup: 1, negotiate: 2, assemble: 7 } as const;
const stageNames = Object.keys(colours) as (keyof typeof colours)[];

/** Returns a stage's name for people, where it is one of those. */
function stageName(name: string): string {
  const known = stageNames.find((s) => s === name);
  return known ? t(`index.stage.${known}`) : name;
}

function colourOf(name: string): string {
  return `var(--layer-${colours[stageNames.find((s) => s === name) ?? "classify"]})`;
}

export function SpeedSection() {
  const recent = useAnswer("contexture.metrics.recent", {});
  const metrics = useAnswer("contexture.metrics", {});
  return (
    <section class="speed">
      <Answered answer={recent}>
        {(value) => (
          <>
            <div class="toolbar">
              <h2>{t("index.latency", { n: value.requests.length })}</h2>
              <Choice
                label={t("context.views")}
                value={view.value}
                options={[
                  { value: "plot", label: t("index.plot") },
                  { value: "table", label: t("index.table") },
                ]}
                onChange={(v) => (view.value = v)}
              />
            </div>
            {view.value === "plot" ? <Plot requests={value.requests} /> : <Requests requests={value.requests} />}
            <Faults faults={value.faults} />
          </>
        )}
      </Answered>
      <Answered answer={metrics}>{(value) => <Process metrics={value} />}</Answered>
    </section>
  );
}

const plotHeight = 120; // px

/**
 * Returns the height of a part of a request's bar, in pixels for its milliseconds. The whole bar stays in the plot, also
 * where the stages overlap and their sum is longer than the request.
 */
export function barScale(staged: number, took: number, most: number): (ms: number) => string {
  const whole = Math.max(staged, took, most, 1e-9);
  return (ms) => `${(plotHeight * ms) / whole}px`;
}

function Plot({ requests }: { requests: readonly RecentRequest[] }) {
  if (!requests.length) return <p class="quiet">{t("index.noRequests")}</p>;
  const sorted = [...requests].map((r) => r.ms).sort((a, b) => a - b);
  // The slowest hundredth would make all the others flat.
  const most = Math.max(1, sorted[Math.floor(0.98 * (sorted.length - 1))] ?? 1);
  const stages = stageNames.filter((s) => requests.some((r) => r.stages.some((x) => x.name === s)));
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return (
    <figure class="plot">
      <div class="plot-scale quiet number" aria-hidden="true">
        <span>{milliseconds(most)}</span>
        <span>0</span>
      </div>
      <div class="plot-bars" role="img" aria-label={t("index.plotLabel", { n: requests.length, median: milliseconds(median), most: milliseconds(sorted.at(-1) ?? 0) })}>
        {[...requests].reverse().map((r, i) => {
          const staged = r.stages.reduce((sum, s) => sum + s.ms, 0);
          const height = barScale(staged, r.ms, most);
          return (
            <span key={i} class={`plot-bar ${r.outcome}`} title={`${r.command} ${milliseconds(r.ms)}`}>
              <span class="rest" style={{ blockSize: height(Math.max(0, r.ms - staged)) }} />
              {r.stages.map((s) => (
                <span key={s.name} style={{ blockSize: height(s.ms), background: colourOf(s.name) }} />
              ))}
            </span>
          );
        })}
      </div>
      <figcaption>
        <ul class="budget-legend">
          {stages.map((s) => (
            <li key={s}>
              <span class="swatch" style={{ background: colourOf(s) }} aria-hidden="true" />
              <span>{stageName(s)}</span>
            </li>
          ))}
          <li>
            <span class="swatch rest" aria-hidden="true" />
            <span>{t("index.rest")}</span>
          </li>
        </ul>
      </figcaption>
    </figure>
  );
}

function Requests({ requests }: { requests: readonly RecentRequest[] }) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={t("index.table")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("index.when")}</th>
            <th scope="col">{t("index.command")}</th>
            <th scope="col">{t("index.took")}</th>
            <th scope="col">{t("index.outcome")}</th>
            <th scope="col">{t("index.stages")}</th>
          </tr>
        </thead>
        <tbody>
          {requests.map((r, i) => (
            <tr key={i}>
              <td>{date(r.at, true)}</td>
              <td class="mono">{r.command}</td>
              <td class="number">{milliseconds(r.ms)}</td>
              <td>{t(`index.outcome.${r.outcome}`)}</td>
              <td class="quiet">{r.stages.map((s) => `${stageName(s.name)} ${milliseconds(s.ms)}`).join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Faults({ faults }: { faults: RecentResult["faults"] }) {
  return (
    <section>
      <h2>{t("index.faults")}</h2>
      {faults.length ? (
        <ul class="faults">
          {faults.map((f, i) => (
            <li key={i}>
              <span class="quiet">
                {date(f.at, true)} · {f.component}
              </span>
              <span dir="auto">{f.message}</span>
            </li>
          ))}
        </ul>
      ) : (
        <p class="quiet">{t("index.noFaults")}</p>
      )}
    </section>
  );
}

function Process({ metrics }: { metrics: MetricsResult }) {
  const { process: p, index, memory } = metrics;
  const facts: [string, string][] = [
    [t("index.rss"), bytes(p.rssBytes)],
    [t("index.onDisk"), bytes(index.bytes)],
    [t("index.requests"), number(p.requests)],
    [t("index.errors"), number(p.errors)],
    [t("index.sessions"), number(p.sessions)],
    [t("place.conversations"), number(memory.conversations)],
  ];
  return (
    <section>
      <h2>{t("index.process")}</h2>
      <dl class="numbers">
        {facts.map(([name, value]) => (
          <Measure key={name} name={name} value={value} />
        ))}
      </dl>
    </section>
  );
}
