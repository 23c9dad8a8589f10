/** The rows of the list: the items in the order of help, then what was left out; what is weak or out is folded. */
import { signal } from "@preact/signals";
import type { BundleResult, Dropped, Item } from "../../../../vscode/src/contract.gen";
import { matches } from "../../parts/find";
import { byHelp } from "./blocks";
import { pathOf } from "./state";

export type Fold = "pointers" | "leftOut";
export type Row = { kind: "item"; item: Item } | { kind: "dropped"; dropped: Dropped } | { kind: "fold"; fold: Fold; open: boolean };

/** What somebody opened; all is folded at first. */
export const opened = signal<ReadonlySet<Fold>>(new Set());
/** The fold that a key has asked for: the list scrolls to it. */
export const sought = signal<Fold | undefined>(undefined);
/** What the list is searched for. */
export const find = signal("");

export function toggle(fold: Fold, open = !opened.value.has(fold)): void {
  const now = new Set(opened.value);
  if (open) now.add(fold);
  else now.delete(fold);
  opened.value = now;
}

const fewPointers = 2; // as many stand by themselves

/** Returns the rows. A search opens what is folded, and shows only what has its words. */
export function rowsOf({ items, dropped }: Pick<BundleResult, "items" | "dropped">, query: string, open: ReadonlySet<Fold>): Row[] {
  const rowOf = (item: Item): Row => ({ kind: "item", item });
  const rowOut = (d: Dropped): Row => ({ kind: "dropped", dropped: d });
  if (query.trim()) {
    const has = (i: Item | Dropped): boolean => matches(query, [pathOf(i), i.title]);
    return [...byHelp(items).filter(has).map(rowOf), ...dropped.filter(has).map(rowOut)];
  }
  const pointers = items.filter((i) => i.format === "pointer");
  const folds = pointers.length > fewPointers;
  const rows = byHelp(folds ? items.filter((i) => i.format !== "pointer") : items).map(rowOf);
  if (folds) {
    const at = rows.findIndex((r) => r.kind === "item" && r.item.score >= 1);
    const part: Row[] = [{ kind: "fold", fold: "pointers", open: open.has("pointers") }, ...(open.has("pointers") ? byHelp(pointers).map(rowOf) : [])];
    rows.splice(at < 0 ? rows.length : at, 0, ...part);
  }
  if (dropped.length) rows.push({ kind: "fold", fold: "leftOut", open: open.has("leftOut") }, ...(open.has("leftOut") ? dropped.map(rowOut) : []));
  return rows;
}

export function keyOf(row: Row | undefined, index: number): string {
  if (!row) return String(index);
  return row.kind === "item" ? `item ${row.item.id}` : row.kind === "fold" ? row.fold : `out ${row.dropped.id} ${row.dropped.range?.start.line ?? index}`;
}
