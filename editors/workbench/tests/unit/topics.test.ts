import { describe, expect, it } from "vitest";
import type { Entity, GraphEdge, GraphNode, Recommendation, Topic } from "../../../vscode/src/contract.gen";
import { points } from "../../src/parts/sparkline";
import { fit, labelled, layout, settle, strongest, toward, zoomed, type Layout } from "../../src/places/topics/layout";
import { listed, mergeOf, onePerName, subjectsOf } from "../../src/places/topics/subjects";

const node = (id: string, weight = 0.5): GraphNode => ({ id, kind: "topic", label: id, weight, turnCount: 3 });
const edge = (from: string, to: string, weight = 1): GraphEdge => ({ from, to, weight });

function graph(size: number): Layout {
  const nodes = Array.from({ length: size }, (_, i) => node(`n${i}`, 1 / (1 + i)));
  return layout(nodes, nodes.slice(1).map((n, i) => edge(n.id, `n${Math.floor(i / 3)}`)));
}
const places = (of: Layout): string => of.points.map((p) => `${p.id} ${p.x.toFixed(3)} ${p.y.toFixed(3)}`).join("\n");

describe("the layout of the graph", () => {
  it("is the same every time, and comes to rest", () => {
    const [a, b] = [graph(200), graph(200)];
    settle(a);
    settle(b);
    expect(places(a)).toBe(places(b));
    expect(a.simulation.alpha()).toBeLessThanOrEqual(a.simulation.alphaMin());
    expect(a.points.every((p) => Number.isFinite(p.x) && Number.isFinite(p.y))).toBe(true);
  });

  it("leaves nodes near where they were when one comes", () => {
    const before = graph(30);
    settle(before);
    const nodes = [...before.points.map((p) => p.node), node("new", 0.1)];
    const edges = before.lines.map((l) => edge(l.source.id, l.target.id));
    const after = layout(nodes, [...edges, edge("new", "n0")], new Map(before.points.map((p) => [p.id, { x: p.x, y: p.y }])));
    settle(after);
    const moved = before.points.map((p, i) => Math.hypot(p.x - (after.points[i]?.x ?? 0), p.y - (after.points[i]?.y ?? 0)));
    expect(moved.reduce((a, b) => a + b, 0) / moved.length).toBeLessThan(40);
  });

  it("draws the strongest edges of each node, none to itself, and none to what is not there", () => {
    const edges = [edge("a", "b", 5), edge("a", "c", 4), edge("a", "d", 3), edge("c", "d", 2), edge("a", "a", 9)];
    expect(strongest(edges, 1).map((e) => e.from + e.to)).toEqual(["ab", "ac", "ad"]);
    expect(layout([node("a")], [edge("a", "gone")]).lines).toEqual([]);
  });

  it("fits into the window, and zooms around a point", () => {
    const made = graph(20);
    settle(made);
    const view = fit(made.points, 600, 400);
    for (const p of made.points) {
      expect(p.x * view.scale + view.x).toBeGreaterThan(0);
      expect(p.x * view.scale + view.x).toBeLessThan(600);
      expect(p.y * view.scale + view.y).toBeLessThan(400);
    }
    const near = zoomed({ scale: 1, x: 10, y: 20 }, 2, 100, 100);
    expect([(100 - 10) * near.scale + near.x, (100 - 20) * near.scale + near.y]).toEqual([190 - 90, 100]);
    expect(fit([], 600, 400)).toEqual({ scale: 1, x: 300, y: 200 });
  });

  it("shows labels that have room, the heavier first", () => {
    const { points: all } = layout([node("a", 1), node("b"), node("c")], []);
    const [a, b, c] = all;
    if (!a || !b || !c) throw new Error("no points");
    Object.assign(a, { x: 0, y: 0 });
    Object.assign(b, { x: 20, y: 2 });
    Object.assign(c, { x: 0, y: 90 });
    const names = ["payment-gateway", "billing", "harbour"];
    expect([...labelled(all, names, 1)]).toEqual([0, 2]);
    expect([...labelled(all, names, 6)]).toEqual([0, 1, 2]);
  });

  it("leads to the neighbour in the direction of the arrow, else to the nearest node there", () => {
    const made = layout([node("middle"), node("linked"), node("close"), node("left")], [edge("middle", "linked")]);
    const [middle, linked, close, left] = made.points;
    if (!middle || !linked || !close || !left) throw new Error("no points");
    Object.assign(middle, { x: 0, y: 0 });
    Object.assign(linked, { x: 100, y: 10 });
    Object.assign(close, { x: 20, y: 0 });
    Object.assign(left, { x: -50, y: 5 });
    expect(toward(made, middle, "ArrowRight")).toBe(linked);
    expect(toward(made, middle, "ArrowLeft")).toBe(left);
    expect(toward(made, middle, "ArrowUp")).toBeUndefined();
  });
});

const topic = (of: Partial<Topic> & { topic: string }): Topic => ({ id: `topic-${of.topic}`, weight: 0.5, trend: "steady", lastEngagedAt: "2026-01-05T00:00:00Z", names: [], turnCount: 3, history: [], ...of });
const entity = (of: Partial<Entity> & { name: string }): Entity => ({ id: `entity-${of.name}`, kind: "person", weight: 0.5, trend: "steady", lastEngagedAt: "2026-01-05T00:00:00Z", names: [], turnCount: 3, history: [], ...of });

describe("topics and people", () => {
  const all = subjectsOf(
    [topic({ topic: "retries", weight: 0.9 }), topic({ topic: "backup", weight: 0.2, pinned: true, names: ["snapshots"] })],
    [entity({ name: "Olga", turnCount: 9 }), entity({ name: "ledger", kind: "service", lastEngagedAt: "2026-02-01T00:00:00Z" })],
  );
  const names = (...args: Parameters<typeof listed> extends [unknown, ...infer R] ? R : never): string[] => listed(all, ...args).map((s) => s.label);

  it("are listed in the order that was asked for, pinned ones first among the important", () => {
    expect(names("", "", "weight")).toEqual(["backup", "retries", "ledger", "Olga"]);
    expect(names("", "", "latest")[0]).toBe("ledger");
    expect(names("", "", "turns")[0]).toBe("Olga");
    expect(names("", "", "name")).toEqual(["backup", "ledger", "Olga", "retries"]);
  });

  it("are found by kind, and by other names", () => {
    expect(names("person", "", "weight")).toEqual(["Olga"]);
    expect(names("thing", "", "weight")).toEqual(["ledger"]);
    expect(names("", "SNAP", "weight")).toEqual(["backup"]);
  });

  it("know what a suggestion wants merged, unless one of both is gone", () => {
    const r: Recommendation = { kind: "merge", topic: "backup", reason: "", action: "", command: ["contexture", "knowledge", "merge", "backup", "retries"], evidence: [], quotations: [] };
    expect(mergeOf(r, all)).toMatchObject({ from: { label: "backup" }, into: { label: "retries" } });
    expect(mergeOf({ ...r, command: [...r.command.slice(0, 4), "gone"] }, all)).toBeUndefined();
    expect(mergeOf({ ...r, kind: "document" }, all)).toBeUndefined();
  });
});

describe("the line of weeks", () => {
  it("touches the upper edge with the most, and the lower one with nothing", () => {
    expect(points([0, 2, 4])).toBe("2,16 32,9 62,2");
    expect(points([0, 0])).toBe("2,16 62,16");
    expect(points([])).toBe("");
  });
});

describe("a name that is a topic as well", () => {
  it("is one, of which most was said", () => {
    const all = [{ id: "n1", name: "Olga", turns: 5 }, { id: "t1", name: "olga", turns: 7 }, { id: "t2", name: "Retries", turns: 1 }];
    expect(onePerName(all, (a) => a.name, (a) => a.turns).map((a) => a.id)).toEqual(["t1", "t2"]);
  });
});
