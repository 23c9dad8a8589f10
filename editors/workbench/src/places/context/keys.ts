/** The keys of the list and the text: those of Neovim's panel. They hold while one of both has the keyboard. */
import type { TargetedKeyboardEvent } from "preact";
import type { BundleResult } from "../../../../vscode/src/contract.gen";
import { refine, route } from "../../route";
import { announce } from "../../session";
import { t } from "../../texts";
import { byHelp } from "./blocks";
import { isFound, isKept, pinTurns } from "./chosen";
import { copyAs } from "./copy_as";
import { openItem } from "./open";
import { find, sought, toggle } from "./rows";
import { budget, change, changes, chosen, chosenIn, conversation, exactly, pathOf, undo } from "./state";

export function onKey(event: TargetedKeyboardEvent<HTMLElement>, bundle: BundleResult): void {
  const at = event.target as HTMLElement;
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || !at.closest(".list-scroll, .model-text") || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName)) return;
  const item = chosenIn(bundle);
  const path = item && pathOf(item);
  const found = item && isFound(item) ? item : undefined;
  const inText = at.closest(".model-text") !== null;
  const none = (): void => announce(t("context.keyNothing"));
  const keys: Record<string, (() => void) | undefined> = {
    x: () => (found ? change("omit", found.id, found.title) : none()),
    X: () => (found && path !== undefined ? change("exclude", exactly(path), path) : none()),
    "+": () => (found && !isKept(found) ? change("include", found.id, found.title) : none()),
    u: () => {
      const last = changes.value.at(-1);
      if (last) undo(last.value);
      else none();
    },
    p: () => {
      if (!conversation.value) announce(t("context.pinNeeds"));
      else if (item) void pinTurns(item, bundle);
    },
    d: () => {
      find.value = "";
      toggle("leftOut", true);
      sought.value = "leftOut";
      focusFold(20);
    },
    y: () => void copyAs(bundle, "text"),
    Y: () => document.querySelector<HTMLElement>(".copy-as button")?.focus(),
    v: () => document.querySelector<HTMLElement>(".model-text")?.focus(),
    D: () => refine({ view: route.value.query["view"] === "difference" ? undefined : "difference" }),
    ">": () => (budget.value = changed(bundle.budget, 1.25)),
    "<": () => (budget.value = changed(bundle.budget, 0.8)),
    c: () => document.querySelector<HTMLElement>(".narrow select")?.focus(),
    ...(inText ? { j: () => step(bundle, 1), k: () => step(bundle, -1), Enter: () => item && openItem(item) } : {}),
  };
  keys["-"] = keys["x"];
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

/** Moves the keyboard to what was left out, as soon as it is drawn. */
function focusFold(tries: number): void {
  const fold = document.querySelector<HTMLElement>("[data-fold=leftOut]");
  if (fold) fold.focus();
  else if (tries) requestAnimationFrame(() => focusFold(tries - 1));
}

/** A quarter more or less, in round numbers. */
function changed(tokens: number, by: number): number {
  return Math.max(256, Math.round((tokens * by) / 50) * 50);
}

/** Chooses the item before or behind the one that is marked, in the order of the text. */
function step(bundle: BundleResult, by: 1 | -1): void {
  const at = bundle.items.findIndex((i) => i === chosenIn(bundle));
  const next = bundle.items[at + by] ?? byHelp(bundle.items)[0];
  if (next) chosen.value = { id: next.id, by: "list" };
}
