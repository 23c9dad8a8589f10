/** A list of any length: only what is in view is in the document. */
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { noteReading } from "../answer";

interface VirtualListProps {
  count: number;
  /** The height of a row that was not measured yet, in pixels. */
  estimate: number;
  label: string;
  /** Stays the same for a row while the list changes. */
  keyOf: (index: number) => string;
  row: (index: number) => ComponentChildren;
  /** Is called when the last rows come into view. */
  onEnd?: () => void;
  /** The row to scroll to when it changes, unless one sees it. */
  reveal?: number | undefined;
  /** What the row is scrolled to for. With it the row is scrolled to when this changes, not when rows before it come or go. */
  revealFor?: string;
  class?: string;
}

/** The rows that are drawn beyond those in view, before and behind. */
const overscan = 8;

/**
 * A list whose rows scroll with the place. Up and Down, k and j, Home and End move the keyboard from row to row: to the
 * first control of each.
 */
export function VirtualList({ count, estimate, label, keyOf, row, onEnd, reveal, revealFor, class: kind }: VirtualListProps) {
  const list = useRef<HTMLUListElement>(null);
  const [, draw] = useState(0);
  const virtualizer = useRef<Virtualizer<HTMLElement, HTMLElement>>();
  const options = {
    count,
    estimateSize: () => estimate,
    getItemKey: keyOf,
    overscan,
    getScrollElement: () => list.current?.closest<HTMLElement>("[data-scroller]") ?? null,
    scrollMargin: offset(list.current),
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    initialRect: { width: 800, height: 800 },
    onChange: (_: unknown, sync: boolean) => {
      if (sync) noteReading();
      draw((n) => n + 1);
    },
  };
  const v = (virtualizer.current ??= new Virtualizer(options));
  v.setOptions(options);
  useLayoutEffect(() => v._didMount(), []);
  useLayoutEffect(() => v._willUpdate());
  const rows = v.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;
  useEffect(() => {
    if (count && last >= count - 1) onEnd?.();
  }, [last, count]);
  useLayoutEffect(() => {
    const ul = list.current;
    if (!ul || reveal === undefined || reveal < 0) return;
    return whenStill(ul, () => {
      if (!isInView(ul, reveal)) v.scrollToIndex(reveal, { align: "start" });
    });
  }, [revealFor ?? reveal, reveal !== undefined && reveal >= 0]);
  const move = (event: TargetedKeyboardEvent<HTMLUListElement>): void => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLSelectElement) return;
    const at = Number((event.target as HTMLElement).closest<HTMLElement>("li")?.dataset["index"] ?? NaN);
    const to = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, End: count - 1 }[event.key];
    if (to === undefined || Number.isNaN(to) || to < 0 || to >= count) return;
    event.preventDefault();
    noteReading();
    v.scrollToIndex(to, { align: "auto" });
    const focus = (tries: number): void => {
      const control = list.current?.querySelector<HTMLElement>(`li[data-index="${to}"] :is(button, a, input, select, [tabindex="0"])`);
      if (control) control.focus();
      else if (tries) requestAnimationFrame(() => focus(tries - 1)); // it is drawn after the scrolling
    };
    focus(20);
  };
  return (
    <ul ref={list} class={`virtual ${kind ?? ""}`} aria-label={label} role="list" style={{ blockSize: `${v.getTotalSize()}px` }} onKeyDown={move}>
      {rows.map((r) => (
        <li
          key={r.key as string}
          data-index={r.index}
          aria-setsize={count}
          aria-posinset={r.index + 1}
          ref={(element) => v.measureElement(element)}
          style={{ transform: `translateY(${r.start - v.options.scrollMargin}px)` }}
        >
          {row(r.index)}
        </li>
      ))}
    </ul>
  );
}

/**
 * Calls back once nothing in the scroller is being read and every row is placed below the one before it: what is read
 * above a row moves it away. The list is busy until then. A person who does anything meanwhile goes where they want.
 */
function whenStill(list: HTMLElement, then: () => void): () => void {
  const end = new AbortController();
  const scroller = list.closest("[data-scroller]") ?? list;
  const look = (): void => {
    if (end.signal.aborted) return;
    if (scroller.querySelector(".loading, [aria-busy=true]:not(.virtual)") || !isPlaced(list)) {
      requestAnimationFrame(look);
      return;
    }
    then();
    end.abort();
  };
  list.ariaBusy = "true";
  end.signal.addEventListener("abort", () => list.removeAttribute("aria-busy"));
  for (const kind of ["wheel", "keydown", "pointerdown", "touchstart"]) window.addEventListener(kind, () => end.abort(), { capture: true, passive: true, signal: end.signal });
  requestAnimationFrame(look);
  return () => end.abort();
}

/** Reports whether rows are where their heights put them: a row that has grown is measured, and the others placed, a while later. */
function isPlaced(list: HTMLElement): boolean {
  const rows = [...list.children].map((row) => row.getBoundingClientRect());
  return rows.every((row, i) => i === 0 || Math.abs(row.top - (rows[i - 1]?.bottom ?? 0)) <= 1); // heights are measured in whole pixels
}

function rowOf(list: HTMLElement, row: number): Element | null {
  return list.querySelector(`:scope > li[data-index="${row}"]`);
}

/** Reports whether a row begins in the upper part of its scroller, so that there is room for what it shows, or fills its middle. */
function isInView(list: HTMLElement, row: number): boolean {
  const seen = list.closest<HTMLElement>("[data-scroller]")?.getBoundingClientRect();
  const at = rowOf(list, row)?.getBoundingClientRect();
  if (!seen || !at) return false;
  const middle = seen.top + seen.height / 2;
  return (at.top >= seen.top && at.top < seen.top + 0.6 * seen.height) || (at.top < middle && at.bottom > middle);
}

/** Returns how far a list begins below its scroller's content. */
function offset(list: HTMLElement | null): number {
  const scroller = list?.closest<HTMLElement>("[data-scroller]");
  if (!list || !scroller) return 0;
  return list.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
}
