/** Where the nodes of the graph stand. The same graph always has the same layout. */
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type Simulation, type SimulationLinkDatum, type SimulationNodeDatum } from "d3-force";
import type { GraphEdge, GraphNode } from "../../../../vscode/src/contract.gen";

export interface Point extends SimulationNodeDatum {
  id: string;
  node: GraphNode;
  radius: number;
  x: number;
  y: number;
}

export type Line = SimulationLinkDatum<Point> & { source: Point; target: Point; weight: number };

export interface Layout {
  points: Point[];
  lines: Line[];
  /** Brings the layout nearer to its rest; done at 0. Must be called until then, or never. */
  simulation: Simulation<Point, undefined>;
}

const [leastRadius, radiusOfWeight] = [4, 12];
const edgesOfNode = 4;

/** Returns the edges that are among the strongest of one of their nodes: more would cover the graph. */
export function strongest(edges: readonly GraphEdge[], most = edgesOfNode): GraphEdge[] {
  const count = new Map<string, number>();
  return [...edges]
    .sort((a, b) => b.weight - a.weight)
    .filter(({ from, to }) => {
      const [f, t] = [count.get(from) ?? 0, count.get(to) ?? 0];
      if (from === to || (f >= most && t >= most)) return false;
      count.set(from, f + 1).set(to, t + 1);
      return true;
    });
}

/** Lays out a graph. Nodes that were there before begin where they were, so that nothing jumps. */
export function layout(nodes: readonly GraphNode[], edges: readonly GraphEdge[], before: ReadonlyMap<string, { x: number; y: number }> = new Map()): Layout {
  const points = nodes.map((node): Point => {
    const at = before.get(node.id);
    const radius = leastRadius + radiusOfWeight * Math.sqrt(Math.min(1, Math.max(0, node.weight)));
    // Without a place of its own a node gets one by its number, on a spiral.
    return { id: node.id, node, radius, x: at?.x ?? NaN, y: at?.y ?? NaN };
  });
  const byId = new Map(points.map((p) => [p.id, p]));
  const lines = strongest(edges).flatMap(({ from, to, weight }): Line[] => {
    const [source, target] = [byId.get(from), byId.get(to)];
    return source && target ? [{ source, target, weight }] : [];
  });
  const heaviest = Math.max(1, ...lines.map((l) => l.weight));
  const simulation = forceSimulation(points)
    .force("link", forceLink<Point, Line>(lines).distance((l) => 46 + l.source.radius + l.target.radius).strength((l) => 0.15 + (0.5 * l.weight) / heaviest))
    .force("charge", forceManyBody<Point>().strength((p) => -90 - 9 * p.radius).distanceMax(600))
    .force("apart", forceCollide<Point>((p) => p.radius + 9))
    .force("x", forceX<Point>().strength(0.04))
    .force("y", forceY<Point>().strength(0.06))
    .stop();
  if (before.size) simulation.alpha(0.3);
  return { points, lines, simulation };
}

const mostTicks = 400;

/** Brings a layout to its rest. */
export function settle({ simulation }: Layout): void {
  for (let i = 0; i < mostTicks && simulation.alpha() > simulation.alphaMin(); i++) simulation.tick();
}

export interface View {
  scale: number;
  x: number;
  y: number;
}

/** Returns the view that shows all points in a window of a size, with an edge around them. */
export function fit(points: readonly Point[], width: number, height: number, edge = Math.min(56, width / 9)): View {
  if (!points.length) return { scale: 1, x: width / 2, y: height / 2 };
  const [left, right] = [Math.min(...points.map((p) => p.x - p.radius)), Math.max(...points.map((p) => p.x + p.radius))];
  const [top, bottom] = [Math.min(...points.map((p) => p.y - p.radius)), Math.max(...points.map((p) => p.y + p.radius))];
  const scale = Math.min(1.6, Math.max(0.05, Math.min((width - 2 * edge) / Math.max(1, right - left), (height - 2 * edge) / Math.max(1, bottom - top))));
  return { scale, x: width / 2 - (scale * (left + right)) / 2, y: height / 2 - (scale * (top + bottom)) / 2 };
}

/** Returns a view that is nearer by a factor, around a point of the window. */
export function zoomed({ scale, x, y }: View, factor: number, atX: number, atY: number): View {
  const next = Math.min(6, Math.max(0.05, scale * factor));
  const by = next / scale;
  return { scale: next, x: atX - (atX - x) * by, y: atY - (atY - y) * by };
}

const [labelHeight, letterWidth, labelGap] = [16, 6.8, 3]; // pixels

/** Returns the nodes whose labels have room at a scale: the heavier goes first, and none covers another's. */
export function labelled(points: readonly Point[], labels: readonly string[], scale: number): Set<number> {
  const shown = new Set<number>();
  const boxes: { left: number; right: number; top: number }[] = [];
  points.forEach((p, i) => {
    const half = (letterWidth * (labels[i]?.length ?? 0)) / 2;
    const top = p.y * scale + p.radius * scale + labelGap;
    const box = { left: p.x * scale - half, right: p.x * scale + half, top };
    if (boxes.some((b) => b.left < box.right && box.left < b.right && Math.abs(b.top - box.top) < labelHeight)) return;
    boxes.push(box);
    shown.add(i);
  });
  return shown;
}

const directions = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] } as const;
export type Arrow = keyof typeof directions;

export function isArrow(key: string): key is Arrow {
  return key in directions;
}

/** Returns the node that an arrow key leads to: the nearest neighbour that way, where there is none the nearest node. */
export function toward({ points, lines }: Pick<Layout, "points" | "lines">, from: Point, arrow: Arrow): Point | undefined {
  const [dx, dy] = directions[arrow];
  const linked = new Set(lines.flatMap((l) => (l.source === from ? [l.target] : l.target === from ? [l.source] : [])));
  const nearest = (among: Iterable<Point>): Point | undefined => {
    let best: { point: Point; cost: number } | undefined;
    for (const point of among) {
      const [x, y] = [point.x - from.x, point.y - from.y];
      const along = x * dx + y * dy;
      const across = Math.abs(x * dy - y * dx);
      if (point === from || along <= 0 || across > 2 * along) continue;
      const cost = along + 2 * across;
      if (!best || cost < best.cost) best = { point, cost };
    }
    return best?.point;
  };
  return nearest(linked) ?? nearest(points);
}
