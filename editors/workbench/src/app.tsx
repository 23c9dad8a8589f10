/** The workbench's frame: the places, how the index stands, and what was done last. */
import { effect } from "@preact/signals";
import { placeOf } from "./places/all";
import { Button } from "./parts/controls";
import { Confirmation } from "./parts/question";
import { KeyHelp } from "./key_help";
import { overlay, paletteKey } from "./keys";
import { Palette } from "./palette";
import { Icon } from "./parts/icon";
import { Trouble } from "./parts/states";
import { places, route, formatRoute } from "./route";
import { announcement, connected, host, learning, statuses } from "./session";
import { Settings, SettingsButton } from "./settings";
import { language, number, percent, t } from "./texts";
import { openedTitle } from "./visits";
import type { ComponentChildren } from "preact";
import { undoFor } from "./undo";
import { useEffect, useErrorBoundary } from "preact/hooks";

export function App() {
  const { place } = route.value;
  useEffect(() => effect(() => document.documentElement.setAttribute("lang", language.value)), []);
  useEffect(() => void (document.title = `${openedTitle.value ?? t(`place.${place}`)} · ${t("app.name")}`), [place, language.value, openedTitle.value]);
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
        <button type="button" class="palette-button" aria-keyshortcuts="Control+K Meta+K" title={`${t("palette.name")} (${paletteKey()})`} onClick={() => (overlay.value = "palette")}>
          <Icon name="search" />
          <span>{t("palette.open")}</span>
          <kbd>{paletteKey()}</kbd>
        </button>
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
      {overlay.value === "palette" && <Palette />}
      {overlay.value === "keys" && <KeyHelp />}
      {overlay.value === "settings" && <Settings />}
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
    const timer = setTimeout(() => (announcement.value = undefined), said?.undo ? undoFor : shownFor);
    return () => clearTimeout(timer);
  }, []);
  return said ? (
    <div class={`announcement ${said.kind}`}>
      <p dir="auto">{said.text}</p>
      {said.undo && <Button label={t("app.undo")} onClick={said.undo} />}
    </div>
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
