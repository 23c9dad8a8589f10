/** What a person asks the context for, and what they have changed in it. It outlives a visit to another place. */
import { computed, signal } from "@preact/signals";
import type { BundleArgs, BundleResult, Item } from "../../../../vscode/src/contract.gen";
import { indexChanges, memoryChanges, uriOf } from "../../session";

export const defaultBudget = 12_000;

export const prompt = signal("");
/** In tokens; undefined leaves it to the settings. */
export const budget = signal<number | undefined>(undefined);
/** The conversation that the prompt continues; "" is none, until the person chooses one. */
export const conversation = signal("");
/** The path of the file in view, relative to the root. */
export const file = signal("");

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

/** A glob that matches the path and no other. */
export function exactly(path: string): string {
  return path.replace(/[\\*?[\]{}]/g, "\\$&");
}

/** What is asked; undefined without a prompt. */
export const request = computed<BundleArgs | undefined>(() => {
  if (!prompt.value.trim()) return undefined;
  const of = (kind: Change["kind"]): string[] => changes.value.filter((c) => c.kind === kind).map((c) => c.value);
  const [include, omit, exclude] = [of("include"), of("omit"), of("exclude")];
  return {
    prompt: prompt.value,
    ...(conversation.value ? { conversationId: conversation.value } : {}),
    ...(budget.value === undefined ? {} : { budget: budget.value }),
    ...(file.value.trim() ? { textDocument: { uri: uriOf(file.value.trim()) } } : {}),
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
