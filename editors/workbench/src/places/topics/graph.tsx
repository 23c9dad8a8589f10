/** The graph of topics, entities and files. It moves for a second at most, and is still then. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { GraphNode, GraphResult } from "../../../../vscode/src/contract.gen";
import { noteReading, useAnswer } from "../../answer";
import { Button } from "../../parts/controls";
import { openFile } from "../../parts/open";
import { chosenRoot } from "../../parts/root";
import { Answered, Empty } from "../../parts/states";
import { go } from "../../route";
import { memoryChanges, uriOf } from "../../session";
import { t } from "../../texts";
import { onePerName } from "./subjects";
import { fit, isArrow, labelled, layout, settle, toward, zoomed, type Layout, type Point, type View } from "./layout";

const mostNodes = 200;

export function Graph() {
  const answer = useAnswer("contexture.knowledge.graph", { ...chosenRoot(), limit: mostNodes }, { changes: memoryChanges });
  const drawn = useMemo(() => answer.value && withoutTwins(answer.value), [answer.value]);
  return (
    <Answered answer={{ ...answer, value: drawn }}>
      {(graph) =>
        graph.nodes.length ? (
          <Drawing graph={graph} />
        ) : (
          <Empty icon="topics" title={t("topics.none")}>
            <p>{t("topics.noneText")}</p>
          </Empty>
        )
      }
    </Answered>
  );
}

/** Draws a name that is a topic as well once, with the edges of both. */
function withoutTwins(graph: GraphResult): GraphResult {
  const nodes = onePerName(graph.nodes, (n) => (n.kind === "file" ? n.id : n.label), (n) => n.turnCount);
  const byName = new Map(nodes.map((n) => [n.label.toLocaleLowerCase(), n.id]));
  const drawn = new Map(graph.nodes.map((n) => [n.id, n.kind === "file" ? n.id : (byName.get(n.label.toLocaleLowerCase()) ?? n.id)]));
  const edges = graph.edges.map((e) => ({ ...e, from: drawn.get(e.from) ?? e.from, to: drawn.get(e.to) ?? e.to }));
  return { ...graph, nodes, edges: edges.filter((e, i) => edges.findIndex((o) => (o.from === e.from && o.to === e.to) || (o.from === e.to && o.to === e.from)) === i) };
}

const ticksAhead = 150; // of about 300: the nodes only come to rest before the person's eyes
const ticksOfFrame = 4;
/** Where the nodes stood last, by their ids. */
let places = new Map<string, { x: number; y: number }>();

function Drawing({ graph }: { graph: GraphResult }) {
  const svg = useRef<SVGSVGElement>(null);
  const world = useRef<SVGGElement>(null);
  const view = useRef<View>({ scale: 1, x: 0, y: 0 });
  const moved = useRef(false); // the person has chosen the view
  const [chosen, setChosen] = useState(0); // the node that Tab leads to
  const [active, setActive] = useState<Point | undefined>(undefined);
  const drawn = useMemo<Layout>(() => {
    const made = layout(graph.nodes, graph.edges, places);
    if (places.size) settle(made);
    else for (let i = 0; i < ticksAhead; i++) made.simulation.tick();
    return made;
  }, [graph]);
  const labels = useMemo(() => labelsOf(drawn.points.map((p) => p.node)), [drawn]);
  const near = useMemo(() => new Set(active ? drawn.lines.flatMap((l) => (l.source === active ? [l.target] : l.target === active ? [l.source] : [])) : []), [active, drawn]);

  const look = (to: View): void => {
    const moves = to.scale === view.current.scale; // then the labels have the room that they had
    view.current = to;
    world.current?.setAttribute("transform", `translate(${to.x} ${to.y}) scale(${to.scale})`);
    svg.current?.style.setProperty("--zoom", String(1 / to.scale)); // labels stay as large as text
    if (!moves) label();
  };
  const label = (): void => {
    const shown = labelled(drawn.points, labels, view.current.scale);
    world.current?.querySelectorAll(".node").forEach((e, i) => e.classList.toggle("labelled", shown.has(i)));
  };
  const whole = (): void => {
    const box = svg.current?.getBoundingClientRect();
    if (box?.width) look(fit(drawn.points, box.width, box.height));
  };
  const place = (): void => {
    const group = world.current;
    if (!group) return;
    group.querySelectorAll<SVGElement>(".node").forEach((e, i) => e.setAttribute("transform", `translate(${drawn.points[i]?.x ?? 0} ${drawn.points[i]?.y ?? 0})`));
    group.querySelectorAll("line").forEach((e, i) => {
      const line = drawn.lines[i];
      if (line) for (const [name, value] of Object.entries({ x1: line.source.x, y1: line.source.y, x2: line.target.x, y2: line.target.y })) e.setAttribute(name, value.toFixed(1));
    });
    if (!moved.current) whole();
  };
  useLayoutEffect(() => {
    let frame = 0;
    const rest = (): void => {
      label();
      places = new Map(drawn.points.map((p) => [p.id, { x: p.x, y: p.y }]));
    };
    const step = (): void => {
      for (let i = 0; i < ticksOfFrame; i++) drawn.simulation.tick();
      place();
      if (drawn.simulation.alpha() > drawn.simulation.alphaMin()) frame = requestAnimationFrame(step);
      else rest();
    };
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) settle(drawn);
    place();
    if (drawn.simulation.alpha() > drawn.simulation.alphaMin()) frame = requestAnimationFrame(step);
    else rest();
    return () => cancelAnimationFrame(frame);
  }, [drawn]);
  useEffect(() => {
    const element = svg.current;
    if (!element) return;
    const sized = new ResizeObserver(() => moved.current || whole());
    sized.observe(element);
    // With the keyboard's help only: the wheel alone scrolls the place. Preact's listeners could not prevent the zoom of the page.
    const wheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = element.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => {
      sized.disconnect();
      element.removeEventListener("wheel", wheel);
    };
  }, [drawn]);

  useLayoutEffect(() => label()); // redrawing removes the classes

  const zoom = (factor: number, x?: number, y?: number): void => {
    const box = svg.current?.getBoundingClientRect();
    moved.current = true;
    look(zoomed(view.current, factor, x ?? (box?.width ?? 0) / 2, y ?? (box?.height ?? 0) / 2));
  };
  const shift = (x: number, y: number): void => {
    moved.current = true;
    look({ ...view.current, x: view.current.x + x, y: view.current.y + y });
  };
  const focus = (point: Point | undefined): void => {
    if (!point) return;
    const at = drawn.points.indexOf(point);
    setChosen(at);
    world.current?.querySelectorAll<SVGElement>(".node")[at]?.focus();
    const box = svg.current?.getBoundingClientRect();
    const { scale, x, y } = view.current;
    const [px, py] = [point.x * scale + x, point.y * scale + y];
    if (box && (px < 20 || py < 20 || px > box.width - 20 || py > box.height - 20)) shift(box.width / 2 - px, box.height / 2 - py);
  };
  const key = (event: KeyboardEvent): void => {
    const at = drawn.points[chosen];
    const inOrder: Record<string, number> = { Home: 0, End: drawn.points.length - 1, PageDown: chosen + 1, PageUp: chosen - 1 };
    const step = inOrder[event.key];
    if (isArrow(event.key) && event.shiftKey) shift(event.key === "ArrowLeft" ? 60 : event.key === "ArrowRight" ? -60 : 0, event.key === "ArrowUp" ? 60 : event.key === "ArrowDown" ? -60 : 0);
    else if (isArrow(event.key) && at) focus(toward(drawn, at, event.key));
    else if (step !== undefined) focus(drawn.points[step]);
    else if (event.key === "+" || event.key === "=") zoom(1.3);
    else if (event.key === "-") zoom(1 / 1.3);
    else if (event.key === "0") reset();
    else if ((event.key === "Enter" || event.key === " ") && at) open(at);
    else return;
    noteReading();
    event.preventDefault();
    event.stopPropagation();
  };
  const reset = (): void => {
    moved.current = false;
    whole();
  };
  const drag = useRef<{ x: number; y: number; far: boolean } | undefined>(undefined);
  return (
    <div class="graph">
      <div class="graph-tools" role="group" aria-label={t("topics.view")}>
        <Button icon="add" iconOnly label={t("topics.nearer")} onClick={() => zoom(1.3)} />
        <Button icon="minus" iconOnly label={t("topics.farther")} onClick={() => zoom(1 / 1.3)} />
        <Button icon="whole" iconOnly label={t("topics.whole")} onClick={reset} />
      </div>
      <svg
        ref={svg}
        class={active ? "has-active" : undefined}
        role="group"
        aria-label={t("topics.graphAbout", { n: graph.nodes.length })}
        onPointerDown={(e) => (drag.current = { x: e.clientX, y: e.clientY, far: false })}
        onPointerMove={(e) => {
          const from = drag.current;
          if (!from) return;
          const [x, y] = [e.clientX - from.x, e.clientY - from.y];
          if (!from.far && Math.hypot(x, y) < 4) return;
          if (!from.far) e.currentTarget.setPointerCapture(e.pointerId);
          shift(x, y);
          drag.current = { x: e.clientX, y: e.clientY, far: true };
        }}
        onPointerUp={() => (drag.current = undefined)}
        onPointerCancel={() => (drag.current = undefined)}
      >
        <g ref={world} onKeyDown={key}>
          <g aria-hidden="true">
            {drawn.lines.map((l) => (
              <line key={`${l.source.id} ${l.target.id}`} class={active && (l.source === active || l.target === active) ? "near" : undefined} stroke-width={1 + Math.min(2, Math.log2(1 + l.weight) / 2)} />
            ))}
          </g>
          {drawn.points.map((p, i) => (
            <g
              key={p.id}
              class={`node kind-${p.node.kind}${p === active ? " active" : near.has(p) ? " near" : ""}`}
              role="link"
              tabIndex={i === Math.min(chosen, drawn.points.length - 1) ? 0 : -1}
              aria-label={nodeName(drawn, p)}
              onClick={() => open(p)}
              onFocus={() => {
                setChosen(i);
                setActive(p);
              }}
              onBlur={() => setActive(undefined)}
              onPointerEnter={() => setActive(p)}
              onPointerLeave={() => setActive(undefined)}
            >
              <circle r={p.radius} />
              <text y={p.radius + 3} aria-hidden="true">
                {labels[i]}
              </text>
            </g>
          ))}
        </g>
      </svg>
      <p class="graph-help quiet">
        {legend.map((kind) => (
          <span key={kind} class="graph-key">
            <span class={`swatch kind-${kind}`} aria-hidden="true" /> {t(`topics.kind.${kind}`)}
          </span>
        ))}
        <span>{t("topics.graphHelp")}</span>
        {graph.left > 0 && <span>{t("topics.graphLeft", { n: graph.left })}</span>}
      </p>
    </div>
  );
}

const legend = ["topic", "person", "service", "file"] as const;
const mostSpoken = 5; // neighbours that a node's name tells

/** Returns the labels of nodes: of a file its name, with as much of its folder as another one's takes. */
function labelsOf(nodes: readonly GraphNode[]): string[] {
  const taken = new Set(nodes.flatMap((n) => (n.kind === "file" ? [] : [n.label.toLocaleLowerCase()])));
  const paths = nodes.filter((n) => n.kind === "file").map((n) => n.label.split("/"));
  const ending = (path: readonly string[], parts: number): string => path.slice(-parts).join("/");
  return nodes.map((n) => {
    let name = n.label;
    if (n.kind === "file") {
      const path = n.label.split("/");
      let parts = 1;
      while (parts < path.length && (taken.has(ending(path, parts).toLocaleLowerCase()) || paths.filter((p) => ending(p, parts) === ending(path, parts)).length > 1)) parts++;
      name = ending(path, parts);
    }
    return name.length > mostLetters ? `${name.slice(0, mostLetters - 1)}…` : name;
  });
}
const mostLetters = 28;

/** Says what a node is and what it goes with. */
function nodeName({ lines }: Layout, p: Point): string {
  const near = lines.flatMap((l) => (l.source === p ? [l.target] : l.target === p ? [l.source] : []));
  const what = `${p.node.label}, ${t(`topics.kind.${p.node.kind}`)}, ${t("topics.turns", { n: p.node.turnCount })}`;
  return near.length ? `${what}. ${t("topics.goesWith", { names: near.slice(0, mostSpoken).map((n) => n.node.label).join(", ") })}` : what;
}

function open({ node }: Point): void {
  if (node.kind === "file") openFile(uriOf(node.id.replace(/^file:/, "")));
  else go({ place: "topics", path: [node.id] });
}
