/** Rules, decisions, lessons and notes as one list: from what is stored, from episodes and from open conversations. */
import type { Decision, KnowledgeItem, Quotation, Recommendation } from "../../../../vscode/src/contract.gen";
import { matches } from "../../parts/find";

export const kinds = ["rule", "decision", "lesson", "note"] as const;
export type Kind = (typeof kinds)[number];
export const states = ["active", "candidate", "replaced"] as const;
export type State = (typeof states)[number];

/** What a person should do about an entry. */
export interface Advice {
  kind: "accept" | "contradiction" | "outdated";
  /** The entry that contradicts this one. */
  other?: string;
  quotations: Quotation[];
}

export interface Entry {
  id: string;
  kind: Kind;
  state: State;
  text: string;
  quotations: Quotation[];
  /** When it was said or changed last. */
  at: string;
  /** What is stored; none for a decision that is only in a conversation. */
  item?: KnowledgeItem;
  replacedBy?: string;
  /** The candidate for a rule that consists of the same sentence. */
  candidate?: string;
  replaces: string[];
  advice: Advice[];
}

interface Sources {
  items: readonly KnowledgeItem[];
  episodes: readonly KnowledgeItem[];
  /** Decisions of conversations that the learning has not read yet. */
  fresh: readonly { conversationId: string; at: string; decisions: readonly Decision[] }[];
  recommendations: readonly Recommendation[];
}

/** Returns all entries, the newest first; those that somebody should see to before them. */
export function entriesOf({ items, episodes, fresh, recommendations }: Sources): Entry[] {
  const stored = items.flatMap((item) => storedEntry(item) ?? []);
  const byPlace = new Map(stored.flatMap((e) => e.quotations.map((q) => [placeOf(q), e] as const)));
  const said = saidEntries(episodes, fresh);
  const decisions = said.flatMap((d) => {
    const same = d.quotations[0] && byPlace.get(placeOf(d.quotations[0]));
    if (!same) return [d];
    if (d.state === "replaced" && same.replacedBy && same.state !== "replaced") return [{ ...d, replacedBy: same.replacedBy }];
    if (same.state === "candidate" && same.kind === "rule") return [{ ...d, candidate: same.id }];
    return same.state === d.state ? [] : [d]; // the same sentence stands once in each state
  });
  const all = [...stored, ...decisions];
  const byId = new Map(all.map((e) => [e.id, e]));
  for (const e of all) if (e.replacedBy) byId.get(e.replacedBy)?.replaces.push(e.id);
  for (const r of recommendations) advise(byId, r);
  return all.sort((a, b) => b.advice.length - a.advice.length || b.at.localeCompare(a.at) || a.id.localeCompare(b.id));
}

function storedEntry(item: KnowledgeItem): Entry | undefined {
  const kind = item.kind === "reference" ? item.label : item.kind === "rule" || item.kind === "lesson" ? item.kind : undefined;
  if (!kind) return undefined; // what the learning wrote together belongs to its topics
  return {
    id: item.id,
    kind,
    state: item.state === "confirmed" ? "active" : item.state === "superseded" ? "replaced" : "candidate",
    text: item.content.trim() || item.title,
    quotations: item.quotations,
    at: item.updatedAt,
    item,
    ...(item.supersededBy ? { replacedBy: item.supersededBy } : {}),
    replaces: [],
    advice: [],
  };
}

/** Decisions as they were said. Each line of an episode says what the quotation of the same number is. */
function saidEntries(episodes: Sources["episodes"], fresh: Sources["fresh"]): Entry[] {
  const found = new Map<string, Entry>();
  const add = (quotation: Quotation, state: State, at: string): void => {
    const id = placeOf(quotation);
    if (!found.has(id)) found.set(id, { id, kind: "decision", state, text: quotation.text, quotations: [quotation], at, replaces: [], advice: [] });
  };
  for (const episode of episodes) {
    const lines = episode.content.split("\n");
    lines.forEach((line, i) => {
      const quotation = episode.quotations[i];
      const said = /^(decided|replaced): /.exec(line)?.[1];
      if (quotation && said) add(quotation, said === "decided" ? "active" : "replaced", quotation.at ?? episode.updatedAt);
    });
  }
  for (const { conversationId, at, decisions } of fresh) {
    for (const d of decisions) add({ conversationId, turnId: d.turnId, messageId: "", text: d.text, at }, "active", at);
  }
  return [...found.values()];
}

/** Names the place of a quotation; the same for the same words of the same turn. */
function placeOf(q: Quotation): string {
  return `${q.conversationId} ${q.turnId} ${q.text.split(/\s+/).join(" ")}`;
}

/** Adds a recommendation to the entries that it is about. The ids are in the command and in the reason. */
function advise(byId: ReadonlyMap<string, Entry>, r: Recommendation): void {
  if (r.kind !== "accept" && r.kind !== "contradiction" && r.kind !== "outdated") return;
  const named = [...new Set([...r.command, ...r.reason.split(/[\s:,;]+/)])].flatMap((word) => byId.get(word) ?? []);
  for (const entry of named) {
    const other = named.find((e) => e !== entry);
    entry.advice.push({ kind: r.kind, quotations: r.quotations, ...(other && r.kind === "contradiction" ? { other: other.id } : {}) });
  }
}

export interface Filter {
  kind: Kind | "";
  query: string;
  /** Turns that were found by meaning, `conversation turn`. */
  found?: ReadonlySet<string>;
}

/** Returns the entries that a person asked for: those with their words first, then those that were found by meaning. */
export function filtered(entries: readonly Entry[], { kind, query, found }: Filter): Entry[] {
  const of = entries.filter((e) => !kind || e.kind === kind);
  const literal = of.filter((e) => matches(query, [e.text, e.item?.title, e.item?.scope, e.item?.topics.join(" "), ...e.quotations.map((q) => `${q.text} ${q.author ?? ""}`)]));
  if (!query.trim() || !found?.size) return literal;
  const has = new Set(literal);
  return [...literal, ...of.filter((e) => !has.has(e) && e.quotations.some((q) => found.has(`${q.conversationId} ${q.turnId}`)))];
}
