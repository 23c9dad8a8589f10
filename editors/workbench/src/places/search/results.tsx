/** The hits, and the chosen one in full: beside them where there is room, else in its row. */
import type { TargetedKeyboardEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Hit } from "../../../../vscode/src/contract.gen";
import { Icon, type IconName } from "../../parts/icon";
import { Marked } from "../../parts/marked";
import { VirtualList } from "../../parts/virtual";
import { useWide } from "../../parts/wide";
import { date, t } from "../../texts";
import { openHit, titleOf, whereOf } from "./open";
import { Preview } from "./preview";
import { why } from "./state";

interface ResultsProps {
  hits: readonly Hit[];
  words: readonly string[];
  onEnd: () => void;
}

const rowHeight = 92;

export function Results({ hits, words, onEnd }: ResultsProps) {
  const box = useRef<HTMLDivElement>(null);
  const beside = useWide(box);
  const [chosen, setChosen] = useState<string>();
  const found = hits.find((h) => h.id === chosen);
  const shown = found ?? (beside ? hits[0] : undefined);
  const keys = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const first = (event.target as HTMLElement).closest("li")?.dataset["index"] === "0";
    if (event.key !== "Escape" && !(event.key === "ArrowUp" && first)) return;
    event.preventDefault();
    document.querySelector<HTMLElement>("[data-main-field]")?.focus();
  };
  return (
    <div class={`split${beside ? " beside" : ""}`} ref={box}>
      <div class="split-list hits" onKeyDown={keys} {...(beside ? { "data-scroller": true } : {})}>
        <VirtualList
          count={hits.length}
          estimate={rowHeight}
          label={t("search.results")}
          keyOf={(i) => hits[i]?.id ?? String(i)}
          onEnd={onEnd}
          row={(i) => {
            const hit = hits[i];
            return hit && <HitRow hit={hit} words={words} chosen={hit === shown} inRow={!beside} onChoose={() => setChosen(hit.id)} onFold={() => setChosen(undefined)} />;
          }}
        />
      </div>
      {beside && shown && (
        <section key={shown.id} class="split-detail" aria-label={t("search.preview")} data-scroller>
          <Preview hit={shown} words={words} titled />
        </section>
      )}
    </div>
  );
}

const icons: Partial<Record<Hit["kind"], IconName>> = { code: "code", doc: "doc", lesson: "lesson", reference: "doc", message: "turn", turn: "turn", rule: "rules" };

interface HitRowProps {
  hit: Hit;
  words: readonly string[];
  chosen: boolean;
  inRow: boolean;
  onChoose: () => void;
  onFold: () => void;
}

const linesInRow = 3;

function HitRow({ hit, words, chosen, inRow, onChoose, onFold }: HitRowProps) {
  const where = whereOf(hit);
  const fromFile = hit.uri !== undefined;
  const open = inRow && chosen;
  const named = titleOf(hit);
  const snippet = excerpt(hit.snippet, words, linesInRow);
  const said = snippet.replace(/…$/, "");
  return (
    <div class={`hit${chosen ? " chosen" : ""}`}>
      <button
        type="button"
        class="hit-main"
        aria-current={chosen ? "true" : undefined}
        aria-expanded={inRow ? open : undefined}
        aria-keyshortcuts="Enter"
        onFocus={() => !inRow && onChoose()}
        onClick={(e) => {
          if (e.detail === 0 && !inRow) openHit(hit); // by the keyboard
          else if (open) onFold();
          else onChoose();
        }}
        onDblClick={() => openHit(hit)}
        onKeyDown={(e) => {
          if (e.key !== "Enter") return;
          e.preventDefault();
          openHit(hit);
        }}
      >
        <span class="hit-head">
          <Icon name={icons[hit.kind] ?? "doc"} />
          <span class="hit-title" dir="auto">
            <Marked text={named.title} words={words} />
          </span>
          <span class="unseen">{t(`kind.${hit.kind}`)}</span>
          {!fromFile && <span class="hit-where quiet">{[where, named.date && date(named.date)].filter(Boolean).join(" · ")}</span>}
        </span>
        {fromFile && (
          <span class="hit-path quiet" dir="ltr">
            <Marked text={where} words={words} />
          </span>
        )}
        {!open && !hit.title.startsWith(said) && (
          <span class={fromFile ? "hit-snippet code-text" : "hit-snippet"} dir={fromFile ? "ltr" : "auto"}>
            <Marked text={snippet} words={words} />
          </span>
        )}
        <span class="hit-why quiet">{why(hit.signals).join(" · ")}</span>
      </button>
      {open && <Preview hit={hit} words={words} />}
    </div>
  );
}

/** Returns the lines of a snippet to show in a row: from the one before the first with a word that was asked for. */
export function excerpt(snippet: string, words: readonly string[], lines: number): string {
  const all = snippet.split("\n").filter((l) => l.trim() && !l.startsWith("```"));
  const at = all.findIndex((l) => words.some((w) => l.toLowerCase().includes(w)));
  const from = Math.max(0, Math.min(at < 0 ? 0 : at - 1, all.length - lines));
  const shown = all.slice(from, from + lines).map((l) => l.replace(/\t/g, "  "));
  const indent = Math.min(...shown.map((l) => l.search(/\S/)));
  return shown.map((l) => l.slice(indent)).join("\n");
}
