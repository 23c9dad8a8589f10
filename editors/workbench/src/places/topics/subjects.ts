/** Topics and entities as one list. */
import type { Entity, Recommendation, Topic } from "../../../../vscode/src/contract.gen";
import { matches } from "../../parts/find";

export const groups = ["topic", "person", "thing"] as const;
export type Group = (typeof groups)[number];
export const orders = ["weight", "latest", "turns", "name"] as const;
export type Order = (typeof orders)[number];

export interface Subject {
  id: string;
  kind: "topic" | Entity["kind"];
  label: string;
  names: string[];
  weight: number;
  trend: Topic["trend"];
  history: number[];
  turnCount: number;
  lastAt: string;
  pinned: boolean;
}

export function subjectsOf(topics: readonly Topic[], entities: readonly Entity[]): Subject[] {
  const common = ({ id, names, weight, trend, history, turnCount, lastEngagedAt, pinned }: Topic | Entity) => ({ id, names, weight, trend, history, turnCount, lastAt: lastEngagedAt, pinned: pinned ?? false });
  const all = [
    ...entities.map((entity): Subject => ({ ...common(entity), kind: entity.kind, label: entity.name })),
    ...topics.map((topic): Subject => ({ ...common(topic), kind: "topic", label: topic.topic })),
  ];
  return onePerName(all, (s) => s.label, (s) => s.turnCount);
}

/** Returns what has a name of its own: a name that is a topic as well is one, which most was said of. */
export function onePerName<T>(all: readonly T[], nameOf: (of: T) => string, turnsOf: (of: T) => number): T[] {
  const most = new Map<string, T>();
  for (const of of all) {
    const name = nameOf(of).toLocaleLowerCase();
    const known = most.get(name);
    if (!known || turnsOf(of) > turnsOf(known)) most.set(name, of);
  }
  return [...most.values()];
}

export function groupOf({ kind }: Pick<Subject, "kind">): Group {
  return kind === "topic" || kind === "person" ? kind : "thing";
}

const compare: Record<Order, (a: Subject, b: Subject) => number> = {
  weight: (a, b) => Number(b.pinned) - Number(a.pinned) || b.weight - a.weight,
  latest: (a, b) => b.lastAt.localeCompare(a.lastAt),
  turns: (a, b) => b.turnCount - a.turnCount,
  name: (a, b) => a.label.localeCompare(b.label),
};

/** Returns the subjects of a group that have the words of a query, in an order. */
export function listed(subjects: readonly Subject[], group: Group | "", query: string, order: Order): Subject[] {
  return subjects
    .filter((s) => (!group || groupOf(s) === group) && matches(query, [s.label, ...s.names]))
    .sort((a, b) => compare[order](a, b) || a.label.localeCompare(b.label) || a.id.localeCompare(b.id));
}

/** Two topics that may be one, and which is to stay. */
export interface Merge {
  from: Subject;
  into: Subject;
}

/** Returns the topics that a recommendation wants merged. Its command ends with their names. */
export function mergeOf(r: Recommendation, subjects: readonly Subject[]): Merge | undefined {
  if (r.kind !== "merge") return undefined;
  const [from, into] = r.command.slice(-2).map((label) => subjects.find((s) => s.kind === "topic" && s.label === label));
  return from && into && from !== into ? { from, into } : undefined;
}
