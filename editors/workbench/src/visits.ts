/** What was opened lately, by its address and its name: the palette leads back to it. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { formatRoute, parseRoute, route, type Place } from "./route";

export interface Visit {
  hash: string;
  title: string;
}

const mostVisits = 12;

/** The latest first. */
export const visits = signal<readonly Visit[]>([]);
/** What is open in the place; undefined for the place itself. */
export const openedTitle = signal<string | undefined>(undefined);

/** Names what is open in the place while the component lives, and notes that it was opened. */
export function useOpened(title: string | undefined, isNoted = true): void {
  const { place, path, query } = route.value;
  const hash = formatRoute({ place, path: path.slice(0, 1), query });
  useEffect(() => {
    openedTitle.value = title;
    if (title && isNoted) visits.value = [{ hash, title }, ...visits.value.filter((v) => v.hash !== hash)].slice(0, mostVisits);
    return () => void (openedTitle.value = undefined);
  }, [title, hash, isNoted]);
}

/** Removes what was opened of a place by its id: it is no longer there. */
export function dropVisits(place: Place, id: string): void {
  visits.value = visits.value.filter((v) => {
    const to = parseRoute(v.hash);
    return to.place !== place || to.path[0] !== id;
  });
}
