/** What is left out of the index, and which rule in which file and line decides that. */
import { useEffect, useRef } from "preact/hooks";
import type { SkippedArgs, SkippedFile } from "../../../../vscode/src/contract.gen";
import { act, useAnswer } from "../../answer";
import { usePages } from "../../pages";
import { Button, Select } from "../../parts/controls";
import { Find, focusList } from "../../parts/find";
import { Icon } from "../../parts/icon";
import { chosenRoot } from "../../parts/root";
import { Answered, Empty, Trouble } from "../../parts/states";
import { VirtualList } from "../../parts/virtual";
import { refine, route } from "../../route";
import { indexChanges, uriOf } from "../../session";
import { t } from "../../texts";

const reasons = ["ignored", "excluded", "vendored", "binary", "tooLarge", "generated", "minified", "link", "unreadable", "special"] as const;
type Reason = (typeof reasons)[number];

const pageSize = 200;
const typingRest = 150; // ms
const ownFile = ".contextureignore";

export function LeftOutSection({ exclude }: { exclude: (pattern: string) => void }) {
  const { query } = route.value;
  const asked = query["q"] ?? "";
  const reason = reasons.find((r) => r === query["reason"]);
  const args: SkippedArgs = { ...chosenRoot(), limit: pageSize, ...(asked ? { query: asked } : {}), ...(reason ? { reason } : {}) };
  const field = useRef<HTMLDivElement>(null);
  useEffect(() => field.current?.querySelector<HTMLElement>("input")?.focus(), []); // a path is what one comes for
  const { rows, first, more, error, left } = usePages("contexture.index.skipped", args, {
    rowsOf: (page) => page.files,
    keyOf: (f: SkippedFile) => f.path,
    nextOf: (page) => page.next,
    from: (a, after) => ({ ...a, after }),
    orderOf: () => "",
    changes: indexChanges,
    rest: typingRest,
  });
  return (
    <section>
      <h2 class="unseen">{t("index.section.leftout")}</h2>
      <div class="list-filters" ref={field}>
        <Find label={t("index.find")} value={asked} onInput={(q) => refine({ q })} onDown={focusList} />
        <Select<Reason | "">
          label={t("index.reasonLabel")}
          bare
          value={reason ?? ""}
          options={[{ value: "", label: t("index.reasonAll") }, ...reasons.map((r) => ({ value: r, label: t(`index.reason.${r}`) }))]}
          onChange={(r) => refine({ reason: r })}
        />
      </div>
      {asked && <Why path={asked} />}
      <Answered answer={first}>
        {() =>
          rows.length ? (
            <VirtualList
              count={rows.length}
              estimate={52}
              label={t("index.section.leftout")}
              keyOf={(i) => rows[i]?.path ?? ""}
              onEnd={more}
              row={(i) => {
                const f = rows[i];
                return f && <Row file={f} refresh={first.refresh} />;
              }}
            />
          ) : left ? null : (
            <Empty icon="index" title={t(asked || reason ? "index.noneFound" : "index.noneLeftOut")}>
              {!asked && !reason && <Button icon="out" label={t("index.exclude")} onClick={() => exclude("")} />}
            </Empty>
          )
        }
      </Answered>
      {error && <Trouble error={error} retry={more} />}
      {!rows.length && left && <Button label={t("action.more")} onClick={more} />}
    </section>
  );
}

function Row({ file: f, refresh }: { file: SkippedFile; refresh: () => void }) {
  const kind = reasons.find((r) => r === f.reason);
  const own = f.source?.endsWith(ownFile) && f.rule;
  const { rule } = f;
  return (
    <div class="skipped">
      <Icon name={f.folder ? "index" : "doc"} />
      <div class="skipped-text" tabIndex={0}>
        <span class="mono" dir="ltr">
          {f.path}
          {f.folder && "/"}
        </span>
        <span class="quiet">
          {kind ? t(`index.reason.${kind}`) : f.reason}
          {f.rule && (
            <>
              {" · "}
              <span class="mono" dir="ltr">
                {f.rule}
              </span>
            </>
          )}
          {f.source && ` · ${f.source}${f.line ? `:${f.line}` : ""}`}
        </span>
      </div>
      {own && rule && (
        <Button
          label={t("index.include")}
          name={t("index.includeNamed", { name: rule })}
          onClick={() => void act("contexture.index.exclude", { ...chosenRoot(), pattern: rule, remove: true }, t("index.included", { pattern: rule })).then(refresh)}
        />
      )}
    </div>
  );
}

/** Says of one path whether it is indexed and why, as soon as what was typed is one. */
function Why({ path }: { path: string }) {
  const why = useAnswer("contexture.index.why", { ...chosenRoot(), textDocument: { uri: uriOf(path) } }, { changes: indexChanges, rest: typingRest }).value;
  if (!why || (!why.indexed && !why.rule)) return null;
  const source = why.source ? `${why.source}${why.line ? `:${why.line}` : ""}` : "";
  return (
    <p class={`why ${why.indexed ? "in" : "out"}`} role="status">
      <Icon name={why.indexed ? "check" : "out"} />
      <span dir="auto">{why.indexed ? t("index.isIndexed", { path }) : t("index.isNot", { path, rule: why.rule ?? "", source })}</span>
    </p>
  );
}
