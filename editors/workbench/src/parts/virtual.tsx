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
  class?: string;
}

/** The rows that are drawn beyond those in view, before and behind. */
const overscan = 8;

/**
 * A list whose rows scroll with the place. Up and Down, k and j, Home and End move the keyboard from row to row: to the
 * first control of each.
 */
export function VirtualList({ count, estimate, label, keyOf, row, onEnd, reveal, class: kind }: VirtualListProps) {
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
  useEffect(() => {
    if (reveal !== undefined && reveal >= 0 && !isInView(list.current, reveal)) v.scrollToIndex(reveal, { align: "start" });
  }, [reveal]);
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

/** Reports whether a row begins in the upper part of its scroller, so that there is room for what it shows. */
function isInView(list: HTMLElement | null, row: number): boolean {
  const seen = list?.closest<HTMLElement>("[data-scroller]")?.getBoundingClientRect();
  const at = list?.querySelector(`li[data-index="${row}"]`)?.getBoundingClientRect();
  return seen !== undefined && at !== undefined && at.top >= seen.top && at.top < seen.top + 0.6 * seen.height;
}

/** Returns how far a list begins below its scroller's content. */
function offset(list: HTMLElement | null): number {
  const scroller = list?.closest<HTMLElement>("[data-scroller]");
  if (!list || !scroller) return 0;
  return list.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
}
