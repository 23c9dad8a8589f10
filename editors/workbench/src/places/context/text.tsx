/** What the model gets, byte for byte: each item in the colour of its layer, the lines with words of the prompt marked. */
import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { BundleResult, Item } from "../../../../vscode/src/contract.gen";
import { noteReading } from "../../answer";
import { Parts, useSyntax } from "../../parts/code";
import { cutLines } from "../../parts/spans";
import { chance, t } from "../../texts";
import { blocksOf, lineNumbers, wordsOf, type Block } from "./blocks";
import { chosen, chosenIn, lit, pathOf } from "./state";

const lineHeight = 20; // pixels, as in the style

export function TextPane({ bundle }: { bundle: BundleResult }) {
  const pane = useRef<HTMLDivElement>(null);
  const blocks = useMemo(() => blocksOf(bundle), [bundle]);
  const key = bundle.intent.identifiers.concat(bundle.intent.keywords).join("\0");
  const words = useMemo(() => wordsOf(bundle), [key]);
  const marked = chosenIn(bundle)?.id;
  useEffect(() => {
    const block = marked === undefined ? undefined : pane.current?.querySelector<HTMLElement>(`[data-item="${CSS.escape(marked)}"]`);
    const here = chosen.value?.by === "text" && chosen.value.id === marked;
    if (pane.current && block && !here) bring(pane.current, block);
  }, [marked, chosen.value, blocks]);
  const choose = (event: TargetedMouseEvent<HTMLDivElement>): void => {
    if (window.getSelection()?.type === "Range") return; // somebody marks text to copy it
    const id = (event.target as HTMLElement).closest<HTMLElement>("[data-item]")?.dataset["item"];
    if (id !== undefined) chosen.value = { id, by: "text" };
  };
  return (
    <div class="model-text" ref={pane} data-scroller tabIndex={0} role="region" aria-label={t("context.viewText")} onClick={choose} onWheel={noteReading} onTouchMove={noteReading} onKeyDown={noteReading}>
      {blocks.map((b, i) => (
        <BlockView key={b.item?.id ?? `between ${i}`} block={b} marked={b.item !== undefined && b.item.id === marked} words={words} />
      ))}
    </div>
  );
}

/** Scrolls a pane, and nothing around it, until a block is in it: to its beginning unless all of it is seen. */
function bring(pane: HTMLElement, block: HTMLElement): void {
  const top = block.offsetTop - pane.offsetTop;
  const seen = top >= pane.scrollTop && top + block.offsetHeight <= pane.scrollTop + pane.clientHeight;
  if (!seen) pane.scrollTop = top - lineHeight;
}

interface BlockProps {
  block: Block;
  marked: boolean;
  words: readonly string[];
}

function BlockView({ block, marked, words }: BlockProps) {
  const { item, open, body, close } = block;
  const box = useRef<HTMLDivElement>(null);
  const near = useNear(box);
  const lines = useMemo(() => 1 + (open + body + close).replace(/\n$/, "").split("\n").length, [block]);
  // The text is drawn again only where it is another: a bundle may hold a megabyte of it.
  const drawn = useMemo(() => (near ? <Drawn item={item} open={open} body={body} close={close} words={words} /> : <pre>{open + body + close}</pre>), [near, open, body, close, words, item?.passages]);
  return (
    <div
      ref={box}
      class={`block ${item?.layer ?? ""}${near ? "" : " far"}${marked ? " chosen" : ""}${item && lit.value === item.layer ? " lit" : ""}`}
      data-item={item?.id}
      aria-current={marked ? "true" : undefined}
      style={{ containIntrinsicBlockSize: `auto ${lines * lineHeight}px` }}
    >
      {drawn}
    </div>
  );
}

/** Whether an element is in view or near it. It stays so, as what was drawn once may stay. */
function useNear(box: { current: HTMLElement | null }): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (near || !box.current) return;
    const root = box.current.closest("[data-scroller]");
    const observer = new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && setNear(true), { root, rootMargin: "800px 0px" });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [near]);
  return near;
}

interface DrawnProps {
  item: Item | undefined;
  open: string;
  body: string;
  close: string;
  words: readonly string[];
}

/** The text of an item line by line, with its syntax, the numbers that the lines have in their file, and marks. */
function Drawn({ item, open, body, close, words }: DrawnProps): ComponentChildren {
  const path = item && pathOf(item);
  const isCode = path !== undefined && item?.format !== "pointer";
  const syntax = useSyntax(body, isCode ? path : undefined, undefined);
  const numbers = item && isCode ? lineNumbers(item, body.split("\n")) : [];
  const matched = new Set(item?.passages?.flatMap((p) => p.matched));
  const passages = new Map(item?.passages?.filter((p) => p.score && isCode).map((p) => [p.range.start.line, p]));
  const own = item?.layer === "L7_user_message";
  return (
    <pre dir={isCode ? "ltr" : "auto"}>
      {open && <span class="delimiter">{open}</span>}
      {cutLines(body, syntax, own ? [] : words).map((parts, i, all) => {
        const number = numbers[i];
        const passage = number === undefined ? undefined : passages.get(number);
        const hit = isCode && (item?.passages ? number !== undefined && matched.has(number) : parts.some((p) => p.marked));
        return (
          <span class={`line${hit ? " matched" : ""}${numbers.length && number === undefined ? " folded" : ""}`} key={i} data-line={number === undefined ? undefined : number + 1}>
            {passage && <span class="passage" data-note={t("context.needed", { share: chance(passage.score ?? 0), needed: chance(passage.price ?? 0) })} />}
            <Parts of={parts} />
            {(i + 1 < all.length || close.startsWith("\n")) && "\n"}
          </span>
        );
      })}
      {close && <span class="delimiter">{close.replace(/^\n/, "")}</span>}
    </pre>
  );
}
