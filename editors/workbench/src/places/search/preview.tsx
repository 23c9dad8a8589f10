/** A hit in full: code with its colours, a turn as it was said. */
import type { Hit, RecallResult } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { Code } from "../../parts/code";
import { Button } from "../../parts/controls";
import { slice } from "../../parts/spans";
import { Loading, Trouble } from "../../parts/states";
import { Prose, Talk } from "../../parts/talk";
import { inner } from "../../parts/talk_text";
import { relative } from "../../session";
import { t } from "../../texts";
import { openHit, titleOf, whereOf } from "./open";

interface PreviewProps {
  hit: Hit;
  words: readonly string[];
  /** Shows the hit's title above it. */
  titled?: boolean;
}

const mostTokens = 6000;
const movingRest = 60; // ms; who moves through the list does not want each

export function Preview({ hit, words, titled = false }: PreviewProps) {
  const answer = useAnswer("contexture.recall", { expand: hit.id, budget: mostTokens }, { rest: movingRest });
  const text = textOf(answer.value, hit.id);
  const path = hit.uri?.startsWith("file:") ? relative(hit.uri) : undefined;
  const talks = hit.turnId !== undefined;
  return (
    <div class="preview">
      {titled && (
        <div class="preview-head">
          <h2 dir={path ? "ltr" : "auto"} title={whereOf(hit)}>
            {path ? whereOf(hit) : titleOf(hit).title}
          </h2>
          <OpenButton hit={hit} />
        </div>
      )}
      {hit.symbols && hit.symbols.length > 0 && (
        <p class="symbols" aria-label={t("search.defines")}>
          {hit.symbols.slice(0, mostSymbols).map((s) => (
            <code key={s}>{s}</code>
          ))}
        </p>
      )}
      {answer.error && <Trouble error={answer.error} retry={answer.refresh} />}
      {!answer.value && answer.loading && <Loading />}
      {text === undefined && answer.value && !answer.loading && <p class="quiet">{t("search.gone")}</p>}
      {text !== undefined && (talks ? <Talk body={text} words={words} /> : path ? <Code text={text} path={path} {...firstLine(hit, text)} words={words} label={whereOf(hit)} /> : <Prose text={text} words={words} />)}
      {!titled && <OpenButton hit={hit} />}
    </div>
  );
}

const mostSymbols = 12;

function OpenButton({ hit }: { hit: Hit }) {
  const inFile = hit.uri !== undefined;
  return (
    <Button
      icon={inFile ? "open" : "turn"}
      label={t(inFile ? "action.open" : hit.turnId ? "action.openTurn" : "search.show")}
      {...(inFile ? { name: t("action.openFile", { name: whereOf(hit) }) } : {})}
      onClick={() => openHit(hit)}
    />
  );
}

/** Returns the text of one item of an answer; undefined while the answer is that of another. */
function textOf(answer: RecallResult | undefined, id: string): string | undefined {
  const item = answer?.items.find((i) => i.id === id);
  return item && answer ? inner(item.span ? slice(answer.text, item.span) : answer.text) : undefined;
}

/** Numbers the lines where the text is the file's own, line by line. */
function firstLine(hit: Hit, text: string): { firstLine?: number } {
  if (!hit.range) return {};
  const inFile = hit.range.end.line - hit.range.start.line + (hit.range.end.character > 0 ? 1 : 0);
  return text.replace(/\n$/, "").split("\n").length === inFile ? { firstLine: hit.range.start.line + 1 } : {};
}
