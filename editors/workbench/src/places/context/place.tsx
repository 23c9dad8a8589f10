/** The context of a prompt: beside each other what is in it and why, and the text that a model gets. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { BundleResult } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { Button, Choice } from "../../parts/controls";
import { Empty, Trouble } from "../../parts/states";
import { parseRoute, refine, route } from "../../route";
import { t } from "../../texts";
import { Aside } from "./aside";
import { BudgetBar } from "./budget";
import { ChosenItem } from "./chosen";
import { CopyAs } from "./copy_as";
import { DifferenceView } from "./difference";
import { GivenView, hasText } from "./given";
import { PromptForm } from "./head";
import { onKey } from "./keys";
import { Lately, Receipt } from "./lately";
import { List } from "./list";
import { budget, changes, conversation, file, past, prompt, request, shown, side, sourcesChanged, undo } from "./state";
import { TextPane } from "./text";

const typingRest = 80; // ms without a key before it is asked

export function ContextPlace() {
  useAddress();
  const asked = request.value;
  const answer = useAnswer("contexture.bundle", asked, { changes: sourcesChanged, rest: typingRest });
  const bundle = asked ? answer.value : undefined;
  useEffect(() => {
    if (asked && bundle) shown(asked, bundle);
  }, [bundle]);
  useEarly(bundle, answer.refresh);
  const given = hasText(past.value?.receipt) ? past.value?.receipt : undefined;
  const asView = route.value.query["view"];
  const view = asView === "given" && !given ? "text" : asView === "given" || asView === "difference" ? asView : "text";
  return (
    <div class="context">
      <div class="context-frame" onKeyDown={(e) => bundle && onKey(e, bundle)}>
        <h1 class="unseen">{t("place.context")}</h1>
        <div class="context-head">
          <PromptForm busy={answer.loading} />
          {past.value && <Receipt of={past.value} />}
          <Changes />
          {answer.error && <Trouble error={answer.error} retry={answer.refresh} />}
          {answer.newer && (
            <div class="newer">
              <Button icon="refresh" label={t("action.showNewer")} onClick={answer.show} />
            </div>
          )}
          {bundle && <Degraded bundle={bundle} />}
          {bundle && <BudgetBar bundle={bundle} />}
        </div>
        <div class="panes" hidden={answer.error !== undefined && !bundle}>
          <div class="pane">
            {bundle && (
              <div class="pane-head">
                <Choice
                  label={t("context.list")}
                  value={side.value}
                  options={[
                    { value: "items", label: t("context.items", { n: bundle.items.length }) },
                    { value: "lately", label: t("context.lately") },
                  ]}
                  onChange={(v) => (side.value = v)}
                />
              </div>
            )}
            {asked && side.value === "items" ? (
              bundle && (
                <List bundle={bundle}>
                  <Aside />
                </List>
              )
            ) : (
              <Lately titled={!bundle} />
            )}
          </div>
          <div class="pane">
            {bundle && (
              <div class="pane-head">
                <Choice
                  label={t("context.views")}
                  value={view}
                  options={[
                    { value: "text", label: t("context.viewText") },
                    { value: "difference", label: t("context.viewDifference") },
                    ...(given ? ([{ value: "given", label: t("context.viewGiven") }] as const) : []),
                  ]}
                  onChange={(v) => refine({ view: v === "text" ? undefined : v })}
                />
                <CopyAs bundle={bundle} />
              </div>
            )}
            {bundle && given && view === "given" && <GivenView receipt={given} />}
            {bundle && view === "difference" && <DifferenceView bundle={bundle} />}
            {bundle && view === "text" && (
              <>
                <ChosenItem bundle={bundle} />
                <TextPane bundle={bundle} />
              </>
            )}
            {!prompt.value.trim() && <Start />}
          </div>
        </div>
      </div>
    </div>
  );
}

/** What of the address is this place's own, as one value to compare. */
function asked(query: Record<string, string>): string {
  return JSON.stringify(["q", "file", "budget", "conversation"].map((k) => query[k] ?? ""));
}

const writingRest = 300; // ms without a change before the address follows

/** Reads what is asked from the address, and writes it there: it can be shared, and survives a reload. */
function useAddress(): void {
  const { query } = route.value;
  const written = useRef<string>();
  const inAddress = asked(query);
  useLayoutEffect(() => { // before a key can be pressed, which would be lost
    if (inAddress === written.current) return; // else it came by the back button, a link or a reload
    written.current = inAddress;
    if (!Object.keys(query).length) return; // a visit to the place itself goes on with what was asked
    prompt.value = query["q"] ?? "";
    file.value = query["file"] ?? "";
    budget.value = Number(query["budget"]) || undefined;
    conversation.value = query["conversation"] ?? "";
    past.value = undefined;
  }, [inAddress]);
  useEffect(() => {
    const timer = setTimeout(() => {
      const { place, query } = parseRoute(window.location.hash);
      if (place !== "context" || asked(query) !== written.current) return; // the address is newer than what is shown
      refine({ q: prompt.value, conversation: conversation.value, file: file.value, budget: budget.value?.toString() });
      written.current = asked(route.value.query);
    }, writingRest);
    return () => clearTimeout(timer);
  }, [prompt.value, conversation.value, file.value, budget.value]);
}

/** How long an answer that came while files were read stands before it is asked again, in ms: at first and at most. */
const earlyRest = { first: 1500, most: 60_000 };

/** Asks again what was answered while files were read, and waits twice as long each time. */
function useEarly(bundle: BundleResult | undefined, refresh: () => void): void {
  const rest = useRef(0);
  useEffect(() => {
    // Vectors of a model server may take an hour; the answer is good without them.
    const early = bundle?.degraded.some((d) => d.reason === "indexing" && d.stage !== "vector") ?? false;
    rest.current = early ? Math.min(rest.current ? 2 * rest.current : earlyRest.first, earlyRest.most) : 0;
    if (!early) return;
    const timer = setTimeout(refresh, rest.current);
    return () => clearTimeout(timer);
  }, [bundle]);
}

function Start() {
  return (
    <Empty icon="context" title={t("context.start")}>
      <p>{t("context.startHint")}</p>
      <p class="quiet">{t("context.examples")}</p>
      <ul class="examples">
        {(["context.exampleWhere", "context.exampleDecide", "context.exampleHow"] as const).map((key) => (
          <li key={key}>
            <Button label={t(key)} onClick={() => (prompt.value = t(key))} />
          </li>
        ))}
      </ul>
    </Empty>
  );
}

/** What the answer lacks, and why. */
function Degraded({ bundle }: { bundle: BundleResult }) {
  if (!bundle.degraded.length) return null;
  return (
    <div class="degraded" role="note">
      <strong>{t("context.lacks")}</strong>
      <ul>
        {bundle.degraded.map((d) => (
          <li key={`${d.stage} ${d.reason}`}>
            {d.stage}: {d.detail ?? d.reason}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What the person has changed, each with a way back. */
function Changes() {
  if (!changes.value.length) return null;
  const verb = { include: t("context.kept"), omit: t("context.leave"), exclude: t("context.leave") };
  return (
    <ul class="changes" aria-label={t("context.changes")}>
      {changes.value.map((c) => (
        <li key={c.value} class={c.kind}>
          <span>
            {verb[c.kind]}: <b dir="auto">{c.title}</b>
          </span>
          <Button icon="close" iconOnly label={t("context.undoNamed", { name: c.title })} onClick={() => undo(c.value)} />
        </li>
      ))}
    </ul>
  );
}
