/** The workbench's frame: the places, how the index stands, and what was done last. */
import { effect } from "@preact/signals";
import { placeOf } from "./places/all";
import { Confirmation } from "./parts/question";
import { Icon } from "./parts/icon";
import { Trouble } from "./parts/states";
import { places, route, formatRoute } from "./route";
import { announcement, connected, host, learning, statuses } from "./session";
import { SettingsButton } from "./settings";
import { language, number, percent, t } from "./texts";
import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";

export function App() {
  const { place } = route.value;
  useEffect(() => effect(() => document.documentElement.setAttribute("lang", language.value)), []);
  useEffect(() => void (document.title = `${t(`place.${place}`)} · ${t("app.name")}`), [place, language.value]);
  const Shown = placeOf[place];
  return (
    <div class={`frame ${host().kind}`}>
      <a class="skip" href="#content" onClick={skip}>
        {t("app.skip")}
      </a>
      <header class="rail">
        <div class="brand">
          <span class="brand-mark" aria-hidden="true" />
          <span class="brand-name">{t("app.name")}</span>
        </div>
        <nav aria-label={t("app.places")}>
          <ul>
            {places.map((p) => (
              <li key={p}>
                <a href={formatRoute({ place: p })} aria-current={p === place ? "page" : undefined} title={t(`place.${p}`)}>
                  <Icon name={p} />
                  <span>{t(`place.${p}`)}</span>
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="rail-end">
          <IndexState />
          <SettingsButton />
        </div>
      </header>
      <main id="content" tabIndex={-1} data-scroller>
        {!connected.value && (
          <div class="offline" role="alert">
            <Icon name="warn" />
            <div>
              <strong>{t("app.offline")}</strong>
              <p>{t(host().kind === "vscode" ? "app.offlineEditor" : "app.offlineText")}</p>
            </div>
          </div>
        )}
        <Guarded key={place}>
          <Shown />
        </Guarded>
      </main>
      <div class="announcer" role="status" aria-live="polite">
        {announcement.value && <Announcement key={announcement.value} />}
      </div>
      <Confirmation />
    </div>
  );
}

/** Shows what failed instead of an empty page, where an answer is not what its shape promises. */
function Guarded({ children }: { children: ComponentChildren }) {
  const [thrown, reset] = useErrorBoundary((e) => console.warn(e)) as [Error | undefined, () => void];
  if (!thrown) return <>{children}</>;
  return (
    <div class="place">
      <h1>{t(`place.${route.value.place}`)}</h1>
      <Trouble error={{ message: t("state.badAnswer", { detail: thrown.message }) }} retry={reset} />
    </div>
  );
}

function skip(event: Event): void {
  event.preventDefault(); // the address's # belongs to the places
  document.getElementById("content")?.focus();
}

const shownFor = 5000; // ms that a message stays

function Announcement() {
  const said = announcement.value;
  useEffect(() => {
    const timer = setTimeout(() => (announcement.value = undefined), shownFor);
    return () => clearTimeout(timer);
  }, []);
  return said ? (
    <p class={said.kind} dir="auto">
      {said.text}
    </p>
  ) : null;
}

/** How the index and the learning stand, in a line. */
function IndexState() {
  const all = [...statuses.value.values()];
  const busy = all.find((s) => s.state !== "idle");
  const state = busy?.state ?? "idle";
  const files = all.reduce((sum, s) => sum + (s.files || 0), 0);
  const learns = learning.value?.progress;
  const text =
    state === "indexing" && busy ? t("status.progress", { done: busy.files, total: busy.filesTotal }) : state === "idle" && all.length ? t("status.files", { n: files }) : t(`status.${state}`);
  return (
    <a class={`index-state ${connected.value ? state : "unknown"}`} href={formatRoute({ place: "index" })} title={connected.value ? t(`status.${state}`) : t("app.offline")}>
      <span class="dot" aria-hidden="true" />
      <span>{learns ? t("status.learning", { share: percent(learns.share) }) : text}</span>
      {busy?.state === "indexing" && <progress max={Math.max(1, busy.filesTotal)} value={busy.files} aria-label={`${t("status.indexing")} ${number(busy.files)}`} />}
    </a>
  );
}
