/** What can be done by a key or from the palette: one table, which the handler, the help and the palette all read. */
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusList } from "./parts/find";
import type { IconName } from "./parts/icon";
import { go, places } from "./route";
import { indexChanges, memoryChanges } from "./session";
import { t } from "./texts";

export interface Action {
  /** What it does, in words. */
  label: string;
  /** The keys that run it, each as it is typed: `a`, or `]]` for two in a row. */
  keys: readonly string[];
  icon?: IconName;
  run: () => void;
}

/** What lies over the place, one at a time. */
export const overlay = signal<"palette" | "keys" | "settings" | undefined>(undefined);
/** Whether single keys run actions while nobody types. */
export const shortcuts = signal(true);

const tables = new Set<{ current: readonly Action[] }>();

/** Offers actions while the component is drawn, from its first drawing on. They may be other ones after each. */
export function useActions(actions: readonly Action[]): void {
  const table = useRef(actions);
  table.current = actions;
  useLayoutEffect(() => {
    tables.add(table);
    return () => void tables.delete(table);
  }, []);
}

/** Returns what the place that is shown offers. */
export function actionsHere(): Action[] {
  return [...tables].flatMap((table) => table.current);
}

/** Returns what every place offers. The keys of a place go before them. */
export function actionsEverywhere(): Action[] {
  return [
    ...places.map((place, i): Action => ({ label: t(`place.${place}`), keys: [String(i + 1)], icon: place, run: () => go({ place }) })),
    { label: t("keys.field"), keys: ["/", "s"], icon: "search", run: () => document.querySelector<HTMLElement>("[data-main-field]")?.focus() },
    { label: t("keys.next"), keys: ["j"], run: () => move("ArrowDown") },
    { label: t("keys.previous"), keys: ["k"], run: () => move("ArrowUp") },
    { label: t("keys.reload"), keys: ["R"], icon: "refresh", run: reload },
    { label: t("keys.help"), keys: ["?", "g?"], icon: "doc", run: () => (overlay.value = "keys") },
    { label: t("app.settings"), keys: [","], icon: "settings", run: () => (overlay.value = "settings") },
  ];
}

function reload(): void {
  indexChanges.value++;
  memoryChanges.value++;
}

/** Moves the keyboard in the list that has it; into the first one where none has. */
function move(key: string): void {
  const at = document.activeElement;
  if (at?.closest("ul.virtual")) at.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  else focusList();
}

/** The key that opens the palette, as people know it. */
export function paletteKey(): string {
  return /Mac|iP(hone|ad)/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K";
}

/**
 * Returns what a key means after those that were typed before it: an action to run, or the beginning of longer keys.
 * Of two actions with the same keys the first one has them.
 */
export function meaning(actions: readonly Action[], before: string, key: string): { run?: Action; typed: string } {
  for (const typed of before ? [before + key, key] : [key]) {
    const run = actions.find((a) => a.keys.includes(typed));
    if (run) return { run, typed: "" };
    if (actions.some((a) => a.keys.some((k) => k.startsWith(typed)))) return { typed };
  }
  return { typed: "" };
}

/** Returns the keys that run an action, where actions before it have taken some. */
export function keysOf(actions: readonly Action[], action: Action): readonly string[] {
  return action.keys.filter((key) => actions.find((a) => a.keys.includes(key)) === action);
}

const sequenceRest = 1000; // ms between the keys of one action

/** Follows the keyboard until the returned function is called. */
export function followKeys(): () => void {
  let [before, at] = ["", 0];
  const pressed = (event: KeyboardEvent): void => {
    if (event.isComposing || event.defaultPrevented) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      if (overlay.value === "palette") overlay.value = undefined;
      else if (!document.querySelector("dialog[open]")) overlay.value = "palette";
      return;
    }
    const typing = event.target instanceof HTMLElement && (event.target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName));
    if (!shortcuts.value || typing || event.ctrlKey || event.altKey || event.metaKey || event.key.length > 1 || document.querySelector("dialog[open]")) return;
    const { run, typed } = meaning([...actionsHere(), ...actionsEverywhere()], event.timeStamp - at < sequenceRest ? before : "", event.key);
    [before, at] = [typed, event.timeStamp];
    if (!run) return;
    event.preventDefault();
    run.run();
  };
  window.addEventListener("keydown", pressed);
  return () => window.removeEventListener("keydown", pressed);
}
