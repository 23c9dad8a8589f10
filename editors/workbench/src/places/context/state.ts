/** What a person asks the context for, and what they have changed in it. It outlives a visit to another place. */
import { computed, signal } from "@preact/signals";
import type { BundleArgs, BundleResult, Item, Layer, PromptReceipt } from "../../../../vscode/src/contract.gen";
import { chosenRoot } from "../../parts/root";
import { indexChanges, memoryChanges, relative, uriOf } from "../../session";
import { byHelp } from "./blocks";

export const defaultBudget = 12_000;

export const prompt = signal("");
/** In tokens; undefined leaves it to the settings. */
export const budget = signal<number | undefined>(undefined);
/** The conversation that the prompt continues; "" is none, until the person chooses one. */
export const conversation = signal("");
/** The path of the file in view, relative to the root. */
export const file = signal("");

/** A real prompt of an assistant's conversation, with what it was given and what came of it. */
export interface Past {
  conversationId: string;
  receipt: PromptReceipt;
}
/** The real prompt that is shown, while the prompt is its text. */
export const past = signal<Past | undefined>(undefined);

/** The item that the list and the text mark, and where it was chosen: the other one scrolls to it. */
export const chosen = signal<{ id: string; by: "list" | "text" } | undefined>(undefined);
/** What the pane beside the text lists: the bundle's items, or real prompts. */
export const side = signal<"items" | "lately">("items");
/** The layer that the budget's bar points at. */
export const lit = signal<Layer["layer"] | undefined>(undefined);

/** Returns the item that is marked: the one that somebody chose, else the one that helps most. */
export function chosenIn(bundle: BundleResult): Item | undefined {
  return bundle.items.find((i) => i.id === chosen.value?.id) ?? byHelp(bundle.items)[0];
}

/** Returns the path of what comes from a file of the workspace. */
export function pathOf({ uri }: { uri?: string }): string | undefined {
  return uri?.startsWith("file:") ? relative(uri) : undefined;
}

/** What a person has changed: an item taken in or left out, or a file left out. */
export interface Change {
  kind: "include" | "omit" | "exclude";
  /** An item's id, or a glob. */
  value: string;
  title: string;
}
export const changes = signal<readonly Change[]>([]);

export function change(kind: Change["kind"], value: string, title: string): void {
  changes.value = [...changes.value.filter((c) => c.value !== value), { kind, value, title }];
}

export function undo(value: string): void {
  changes.value = changes.value.filter((c) => c.value !== value);
}

/** A glob that matches the path and no other; of a folder, which ends in a slash, all that is in it. */
export function exactly(path: string): string {
  return path.replace(/[\\*?[\]{}]/g, "\\$&").replace(/\/$/, "/**");
}

/** What is asked; undefined without a prompt. */
export const request = computed<BundleArgs | undefined>(() => {
  if (!prompt.value.trim()) return undefined;
  const of = (kind: Change["kind"]): string[] => changes.value.filter((c) => c.kind === kind).map((c) => c.value);
  const [include, omit, exclude] = [of("include"), of("omit"), of("exclude")];
  const told = past.value && past.value.conversationId === conversation.value;
  return {
    ...chosenRoot(),
    prompt: prompt.value,
    ...(told ? { layers: { L6_message_history: { min: 0, ideal: 0, max: 0 } } } : {}), // the assistant has its history itself
    ...(conversation.value ? { conversationId: conversation.value } : {}),
    ...(budget.value === undefined ? {} : { budget: budget.value }),
    ...(file.value.trim() ? { textDocument: { uri: uriOf(file.value.trim(), chosenRoot().workspace) } } : {}),
    ...(include.length ? { include } : {}),
    ...(omit.length ? { omit } : {}),
    ...(exclude.length ? { exclude } : {}),
  };
});

/** Counts what may change the answer. */
export const sourcesChanged = computed(() => indexChanges.value + memoryChanges.value);

/** The bundle before the one that is shown; what is shown is compared with it. */
export const previous = signal<BundleResult | undefined>(undefined);
let latest: { key: string; bundle: BundleResult } | undefined;

/** Notes the bundle that is shown for a request. The same request again leaves the comparison as it is. */
export function shown(of: BundleArgs, bundle: BundleResult): void {
  const key = JSON.stringify(of);
  if (latest && latest.key !== key) previous.value = latest.bundle;
  latest = { key, bundle };
}

export interface Difference {
  added: Item[];
  removed: Item[];
  resized: { item: Item; before: number }[];
}

/** Compares two bundles by their items. */
export function difference(before: BundleResult, after: BundleResult): Difference {
  const old = new Map(before.items.map((i) => [i.id, i]));
  const now = new Set(after.items.map((i) => i.id));
  const asked = (i: Item): boolean => i.kind === "prompt";
  return {
    added: after.items.filter((i) => !old.has(i.id) && !asked(i)),
    removed: before.items.filter((i) => !now.has(i.id) && !asked(i)),
    resized: after.items.flatMap((item) => {
      const was = old.get(item.id);
      return was && was.tokens !== item.tokens && !asked(item) ? [{ item, before: was.tokens }] : [];
    }),
  };
}
