/** What is searched for, as encoded in the address. */
import { computed, signal } from "@preact/signals";
import type { Hit, SearchArgs } from "../../../../vscode/src/contract.gen";
import { go, refine, route } from "../../route";
import { indexChanges, memoryChanges } from "../../session";
import { t, type Key } from "../../texts";

/** Kinds of hits, by the names that people choose them by. */
export const groups = {
  code: ["code"],
  docs: ["doc"],
  turns: ["message"],
  rules: ["rule"],
  lessons: ["lesson", "reference"],
} as const satisfies Record<string, readonly Hit["kind"][]>;
export type Group = keyof typeof groups;
export const groupNames = Object.keys(groups) as Group[];

/** Groups that come from the workspace; the others come from memory. */
const ofWorkspace: readonly Group[] = ["code", "docs"];

export interface Search {
  query: string;
  groups: readonly Group[];
  language: string;
  path: string;
  symbols: boolean;
}

export function parseSearch(query: Record<string, string>): Search {
  const named = (query["kind"] ?? "").split(",");
  return {
    query: query["q"] ?? "",
    groups: groupNames.filter((g) => named.includes(g)),
    language: query["lang"] ?? "",
    path: query["path"] ?? "",
    symbols: query["mode"] === "symbol",
  };
}

/** Writes a search as the query of an address; what is not chosen is undefined. */
export function formatSearch(s: Search): Record<string, string | undefined> {
  return {
    q: s.query || undefined,
    kind: s.groups.join(",") || undefined,
    lang: s.language || undefined,
    path: s.path || undefined,
    mode: s.symbols ? "symbol" : undefined,
  };
}

export const search = computed(() => parseSearch(route.value.query));

/** Changes the search in the address. */
export function change(part: Partial<Search>): void {
  refine(formatSearch({ ...search.value, ...part }));
}

/** A path as people type it: a glob is taken as it is, "name/" is a folder, else a part of a name is enough. */
export function globsOf(path: string): string[] {
  const plain = path.trim().replace(/^\.?\//, "");
  if (/[*?[\]{}]/.test(plain)) return [plain];
  const folder = plain.replace(/\/$/, "");
  return plain.endsWith("/") ? [folder, `**/${folder}`] : [`${plain}*`, `**/*${plain}*`]; // what matches a folder takes all below it
}

/** What is asked; undefined without a query. */
export function argumentsOf(s: Search, limit: number): SearchArgs | undefined {
  if (!s.query.trim()) return undefined;
  return {
    query: s.query,
    limit,
    ...(s.symbols ? { mode: "symbol" as const } : {}),
    ...(s.groups.length ? { kinds: s.groups.flatMap((g) => [...groups[g]]) } : {}),
    ...(s.language ? { languages: [s.language] } : {}),
    ...(s.path.trim() ? { paths: globsOf(s.path) } : {}),
  };
}

/** Whether memory is left out: it has no symbols, languages or paths. */
export function withoutMemory(s: Search): boolean {
  return s.symbols || s.language !== "" || s.path.trim() !== "";
}

/** Whether nothing can be found: only memory is asked for, by what it does not have. */
export function contradicts(s: Search): boolean {
  return withoutMemory(s) && s.groups.length > 0 && !s.groups.some((g) => ofWorkspace.includes(g));
}

/** A filter that is on, with what drops it. */
export interface Filter {
  label: string;
  drop: Partial<Search>;
}

export function filtersOf(s: Search): Filter[] {
  return [
    ...(s.groups.length ? [{ label: s.groups.map((g) => t(groupKey(g))).join(", "), drop: { groups: [] } }] : []),
    ...(s.language ? [{ label: t("search.inLanguage", { language: s.language }), drop: { language: "" } }] : []),
    ...(s.path.trim() ? [{ label: t("search.inPath", { path: s.path.trim() }), drop: { path: "" } }] : []),
    ...(s.symbols ? [{ label: t("search.symbols"), drop: { symbols: false } }] : []),
  ];
}

export function groupKey(group: Group): Key {
  return `search.group.${group}`;
}

/** How a signal is shown to people. */
const known: Record<string, Key> = {
  keyword: "search.why.keyword",
  file: "search.why.file",
  path: "search.why.path",
  history: "search.why.history",
  vector: "search.why.vector",
  symbol: "search.why.symbol",
  literal: "search.why.literal",
  memory: "search.why.memory",
  knowledge: "search.why.knowledge",
};
/** How far down a ranker's list a hit may be for the ranker to be a reason, and how many reasons are shown. */
const [reasonRank, mostReasons] = [10, 3];

/** Says why a hit was found, the strongest reason first. */
export function why(signals: Hit["signals"]): string[] {
  const ranked = Object.entries(signals).sort((a, b) => a[1].rank - b[1].rank);
  const strong = ranked.filter(([, s]) => s.rank <= reasonRank);
  return (strong.length ? strong : ranked.slice(0, 1)).slice(0, mostReasons).map(([name]) => {
    const key = known[name];
    return key ? t(key) : name;
  });
}

/** Counts what may change the answer. */
export const sourcesChanged = computed(() => indexChanges.value + memoryChanges.value);

const mostRecent = 8;
/** What was searched for and led somewhere, the latest first; for this visit only. */
export const recent = signal<readonly Search[]>([]);

export function remember(s: Search): void {
  if (!s.query.trim()) return;
  const key = JSON.stringify(s);
  // What was typed on the way to it is no search of its own.
  const others = recent.value.filter((r) => JSON.stringify(r) !== key && !s.query.startsWith(r.query));
  recent.value = [s, ...others].slice(0, mostRecent);
}

export function again(s: Search): void {
  go({ place: "search", query: formatSearch(s) });
}
