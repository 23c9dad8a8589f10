/** A list and, beside it, what is chosen in it. Where there is little room, what is opened takes the list's place. */
import type { ComponentChildren, TargetedFocusEvent } from "preact";
import { useRef } from "preact/hooks";
import { useActions } from "../keys";
import { formatRoute, go, parseRoute } from "../route";
import { t } from "../texts";
import { Icon } from "./icon";
import { useWide } from "./wide";

interface SplitProps {
  /** What the address names; undefined where nothing is opened. */
  opened: string | undefined;
  /** What is shown beside the list while nothing is opened. */
  first: string | undefined;
  /** The address of the list, and what it is called. */
  back: Parameters<typeof formatRoute>[0];
  backLabel: string;
  /** What the part beside the list is called. */
  label: string;
  list: (chosen: string | undefined) => ComponentChildren;
  detail: (chosen: string) => ComponentChildren;
}

export function Split({ opened, first, back, backLabel, label, list, detail }: SplitProps) {
  const box = useRef<HTMLDivElement>(null);
  const beside = useWide(box);
  const chosen = opened ?? (beside ? first : undefined);
  useActions(opened !== undefined && !beside ? [{ label: t("keys.back"), keys: ["q"], icon: "back", run: () => go(back) }] : []);
  return (
    <div ref={box} class={`split${beside ? " beside" : ""}${opened !== undefined ? " opened" : ""}`}>
      {(beside || opened === undefined) && (
        <div class="split-list" {...(beside ? { "data-scroller": true } : {})} onFocusCapture={beside ? follow : undefined}>
          {list(chosen)}
        </div>
      )}
      {chosen !== undefined && (
        <section key={chosen} class="split-detail" aria-label={label} {...(beside ? { "data-scroller": true } : {})}>
          {!beside && (
            <a class="back" href={formatRoute(back)}>
              <Icon name="chevron" />
              {backLabel}
            </a>
          )}
          {detail(chosen)}
        </section>
      )}
    </div>
  );
}

/** Returns the row that a list should show, unless the keyboard is in the list: then it is where the person looks. */
export function revealed(row: number): number | undefined {
  return document.activeElement?.closest(".split-list") ? undefined : row;
}

const movingRest = 80; // ms; who moves through the list does not want each
let moving: ReturnType<typeof setTimeout> | undefined;

/** Shows the row that the keyboard is at. */
function follow(event: TargetedFocusEvent<HTMLDivElement>): void {
  clearTimeout(moving);
  const row = event.target;
  if (!(row instanceof HTMLAnchorElement) || !row.matches(".row:focus-visible")) return;
  moving = setTimeout(() => document.activeElement === row && go(parseRoute(row.hash), "replace"), movingRest);
}
