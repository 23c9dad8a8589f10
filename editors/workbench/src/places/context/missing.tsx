/** Why a file is not in the bundle: it is not indexed, by which rule, or nothing in it came near. */
import { useAnswer } from "../../answer";
import { Button } from "../../parts/controls";
import { chosenRoot } from "../../parts/root";
import { indexChanges, uriOf } from "../../session";
import { chance, t } from "../../texts";
import { globsOf } from "../search/state";
import { Path } from "./list";
import { change, pathOf, prompt } from "./state";

const typingRest = 150; // ms
const shown = 5; // of each

export function Missing({ path }: { path: string }) {
  const root = chosenRoot();
  const options = { changes: indexChanges, rest: typingRest };
  const best = useAnswer("contexture.search", { ...root, query: `${prompt.value} ${path}`, paths: globsOf(path), limit: shown }, options);
  const skipped = useAnswer("contexture.index.skipped", { ...root, query: path, limit: shown }, options);
  const why = useAnswer("contexture.index.why", { ...root, textDocument: { uri: uriOf(path, root.workspace) } }, options).value;
  if (!best.value || !skipped.value || !why) return null;
  const { hits } = best.value;
  const { files } = skipped.value;
  return (
    <div class="missing" role="status">
      {hits.length > 0 && <p class="quiet">{t("context.notNear")}</p>}
      {hits.map((h) => (
        <div class="left-out-row" key={h.id}>
          <div class="left-out-text">
            <span class="item-line">
              <Path path={pathOf(h) ?? ""} line={(h.range?.start.line ?? 0) + 1} />
            </span>
            <span class="item-line item-second">
              <span class="item-title" dir="auto">
                {h.title}
              </span>
              <span class="item-why quiet">{chance(h.score)}</span>
            </span>
          </div>
          <Button icon="add" iconOnly label={t("context.takeNamed", { name: h.title })} onClick={() => change("include", h.id, h.title)} />
        </div>
      ))}
      {files.map((f) => (
        <p key={f.path}>{t("index.isNot", { path: f.folder ? `${f.path}/` : f.path, rule: f.rule ?? f.reason, source: f.source ? `${f.source}${f.line ? `:${f.line}` : ""}` : "" })}</p>
      ))}
      {!hits.length && !files.length && <p>{why.indexed ? t("index.isIndexed", { path }) : t("context.noFile", { path })}</p>}
    </div>
  );
}
