/**
 * Where in the workbench a person is: a place and what is chosen in it. It is after the address's `#`, so that it
 * survives a reload, works with the back button, and never reaches a server's log.
 */
import { signal } from "@preact/signals";

export const places = ["context", "search", "conversations", "rules", "topics", "receipts", "index"] as const;
export type Place = (typeof places)[number];

export interface Route {
  place: Place;
  /** What is open in the place, such as a conversation's id and a turn; empty for the place itself. */
  path: string[];
  /** What is chosen beside it: a query, filters. */
  query: Record<string, string>;
}

/** Reads an address. An unknown place is the first one. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split("?", 2);
  const parts = path.split("/").map(decode).filter(Boolean);
  const place = places.find((p) => p === parts[0]) ?? "context";
  return { place, path: parts.slice(1), query: Object.fromEntries(new URLSearchParams(query)) };
}

/** Writes an address. Empty values of the query are left out. */
export function formatRoute(route: { place: Place; path?: readonly string[]; query?: Record<string, string | undefined> }): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(route.query ?? {})) if (value) query.set(key, value);
  const text = query.toString();
  return `#/${[route.place, ...(route.path ?? [])].map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // somebody typed it
  }
}

/** Where the person is now. */
export const route = signal<Route>(parseRoute(""));

/** Follows the address from now on. */
export function followAddress(): void {
  const read = (): void => void (route.value = parseRoute(window.location.hash));
  window.addEventListener("hashchange", read);
  read();
}

/** Goes to an address, as a step that the back button takes back; `replace` changes the current step instead. */
export function go(to: Parameters<typeof formatRoute>[0], how: "push" | "replace" = "push"): void {
  const hash = formatRoute(to);
  if (hash === formatRoute(route.value)) return;
  if (how === "push") history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
  route.value = parseRoute(hash);
}

/** Changes the query of the current place; typing replaces the step, so that the back button leaves the place. */
export function refine(query: Record<string, string | undefined>): void {
  const { place, path } = route.value;
  go({ place, path, query: { ...route.value.query, ...query } }, "replace");
}
