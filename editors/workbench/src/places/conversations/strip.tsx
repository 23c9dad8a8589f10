/** Where in a conversation its marks are, from its beginning above to its end below; a press jumps there. */
import type { TargetedKeyboardEvent, TargetedPointerEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { TimelineTurn } from "../../../../vscode/src/contract.gen";
import { t } from "../../texts";
import { markKinds, type MarkKind } from "./timeline";

export interface Tick {
  /** The row's place in the list. */
  row: number;
  kind: MarkKind;
}

/** Marks nearer to each other than this share of the strip are one. */
const slots = 240;

/** Returns the ticks of a list of rows, one a kind and slot. */
export function ticksOf(turns: readonly (TimelineTurn | undefined)[]): Tick[] {
  const out: Tick[] = [];
  const taken = new Set<string>();
  turns.forEach((turn, row) => {
    for (const mark of turn?.marks ?? []) {
      const slot = `${mark.kind} ${Math.floor((slots * row) / turns.length)}`;
      if (taken.has(slot)) continue;
      taken.add(slot);
      out.push({ row, kind: mark.kind });
    }
  });
  return out;
}

/** Returns the row with a mark that is nearest to a row; itself where there is none. */
export function nearest(ticks: readonly Tick[], row: number): number {
  let best: number | undefined;
  for (const tick of ticks) if (best === undefined || Math.abs(tick.row - row) < Math.abs(best - row)) best = tick.row;
  return best ?? row;
}

/** Returns the next row with a mark, forward or back; undefined where there is none. */
export function stepTo(ticks: readonly Tick[], row: number, forward: boolean): number | undefined {
  const rows = ticks.map((tick) => tick.row).filter((r) => (forward ? r > row : r < row));
  return rows.length ? (forward ? Math.min(...rows) : Math.max(...rows)) : undefined;
}

interface StripProps {
  ticks: readonly Tick[];
  count: number;
  /** The row that was jumped to last. */
  at: number;
  /** What a row is called. */
  nameOf: (row: number) => string;
  onJump: (row: number, how: "look" | "go") => void;
}

/** A press this near to a mark means the mark, as a share of the strip. */
const grip = 0.03;

export function Strip({ ticks, count, at, nameOf, onJump }: StripProps) {
  const strip = useRef<HTMLDivElement>(null);
  const view = useRef<HTMLSpanElement>(null);
  useView(strip, view, count);
  const press = (event: TargetedPointerEvent<HTMLDivElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const row = Math.min(count - 1, Math.max(0, Math.floor(((event.clientY - box.top) / box.height) * count)));
    const mark = nearest(ticks, row);
    onJump(Math.abs(mark - row) <= Math.max(1, grip * count) ? mark : row, "look");
  };
  const keys = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const step = { ArrowDown: true, ArrowRight: true, ArrowUp: false, ArrowLeft: false }[event.key];
    const to = step !== undefined ? stepTo(ticks, at, step) : event.key === "Home" ? 0 : event.key === "End" ? count - 1 : event.key === "Enter" ? at : undefined;
    if (step === undefined && to === undefined) return;
    event.preventDefault();
    if (to !== undefined) onJump(to, event.key === "Enter" ? "go" : "look");
  };
  return (
    <div
      ref={strip}
      class="strip"
      role="slider"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t("talks.overview")}
      aria-valuemin={1}
      aria-valuemax={count}
      aria-valuenow={at + 1}
      aria-valuetext={nameOf(at)}
      title={t("talks.overview")}
      onPointerDown={press}
      onKeyDown={keys}
    >
      <span class="strip-view" ref={view} />
      {ticks.map((tick) => (
        <span key={`${tick.kind} ${tick.row}`} class={`tick ${tick.kind}`} data-lane={markKinds.indexOf(tick.kind)} style={{ insetBlockStart: `${(100 * (tick.row + 0.5)) / count}%` }} />
      ))}
    </div>
  );
}

/** Shows which rows are in view, without redrawing anything. */
function useView(strip: { current: HTMLElement | null }, view: { current: HTMLElement | null }, count: number): void {
  useEffect(() => {
    const scroller = strip.current?.closest<HTMLElement>("[data-scroller]");
    const list = strip.current?.parentElement?.querySelector<HTMLElement>(".virtual");
    if (!scroller || !list) return;
    let frame = 0;
    const follow = (): void => {
      frame = 0;
      const box = scroller.getBoundingClientRect();
      let [from, to] = [count, -1];
      for (const row of list.children) {
        const { top, bottom } = row.getBoundingClientRect();
        if (bottom < box.top || top > box.bottom) continue;
        const index = Number((row as HTMLElement).dataset["index"]);
        from = Math.min(from, index);
        to = Math.max(to, index);
      }
      if (!view.current || to < 0) return;
      view.current.hidden = from === 0 && to === count - 1;
      view.current.style.insetBlockStart = `${(100 * from) / count}%`;
      view.current.style.blockSize = `${(100 * (to - from + 1)) / count}%`;
    };
    const soon = (): void => void (frame ||= requestAnimationFrame(follow));
    scroller.addEventListener("scroll", soon, { passive: true });
    soon();
    const settled = setTimeout(soon, 200); // rows are measured after they are drawn
    return () => {
      scroller.removeEventListener("scroll", soon);
      cancelAnimationFrame(frame);
      clearTimeout(settled);
    };
  }, [count]);
}
