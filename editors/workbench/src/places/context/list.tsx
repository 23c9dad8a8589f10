/** What is in the bundle, in the order of help, and what was left out. */
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { BundleResult, Dropped, Item } from "../../../../vscode/src/contract.gen";
import { Button, Score } from "../../parts/controls";
import { Find, focusList } from "../../parts/find";
import { Icon, type IconName } from "../../parts/icon";
import { openFile } from "../../parts/open";
import { VirtualList } from "../../parts/virtual";
import { chance, number, percent, t } from "../../texts";
import { Missing } from "./missing";
import { openItem } from "./open";
import { find, keyOf, opened, rowsOf, sought, toggle, type Fold } from "./rows";
import { change, changes, chosen, chosenIn, lit, past, pathOf, undo } from "./state";

const rowHeight = 48;

export function List({ bundle, children }: { bundle: BundleResult; children: ComponentChildren }) {
  const query = find.value;
  const rows = useMemo(() => rowsOf(bundle, query, opened.value), [bundle, query, opened.value]);
  const marked = chosenIn(bundle);
  const at = rows.findIndex((r) => r.kind === "item" && r.item === marked);
  const found = bundle.items.some((i) => i.layer === "L5_jit" || i.layer === "L4_conversation");
  return (
    <>
      <div class="list-find">
        <Find label={t("context.find")} value={query} onInput={(v) => (find.value = v)} onDown={focusList} />
      </div>
      <div class="list-scroll" data-scroller>
        {!found && <p class="list-note quiet">{t("context.nothing")}</p>}
        <VirtualList
          count={rows.length}
          estimate={rowHeight}
          label={t("context.list")}
          keyOf={(i) => keyOf(rows[i], i)}
          reveal={sought.value ? rows.findIndex((r) => r.kind === "fold" && r.fold === sought.value) : chosen.value?.by === "text" ? at : undefined}
          row={(i) => {
            const row = rows[i];
            if (row?.kind === "item") return <ItemRow item={row.item} marked={row.item === marked} />;
            if (row?.kind === "dropped") return <DroppedRow dropped={row.dropped} unspent={bundle.budget - bundle.tokens} />;
            return row && <FoldRow fold={row.fold} open={row.open} bundle={bundle} />;
          }}
        />
        {query.trim() !== "" && !rows.some((r) => r.kind === "item") && <Missing path={query.trim()} />}
        {!bundle.dropped.length && !query && <p class="list-note quiet">{t("context.leftOutNone")}</p>}
        {!query && children}
      </div>
      <p class="list-keys quiet" aria-hidden="true">
        {t("context.keys")
          .split(" · ")
          .map((key) => (
            <span key={key}>{key}</span>
          ))}
      </p>
    </>
  );
}

const icons: Partial<Record<Item["kind"], IconName>> = { lesson: "lesson", turn: "turn", tickler: "turn", message: "turn", arc: "turn", rule: "rules", topic: "topics", entity: "person", prompt: "edit" };

function ItemRow({ item, marked }: { item: Item; marked: boolean }) {
  const kept = changes.value.some((c) => c.kind === "include" && c.value === item.id);
  const path = pathOf(item);
  const given = path !== undefined && past.value?.receipt.names.includes(path);
  const choose = (): void => {
    sought.value = undefined;
    chosen.value = { id: item.id, by: "list" };
  };
  return (
    <div class={`item ${item.layer}${marked ? " chosen" : ""}${lit.value === item.layer ? " lit" : ""}`}>
      <button
        type="button"
        class="item-main"
        aria-current={marked ? "true" : undefined}
        onFocus={choose}
        onClick={(e) => {
          choose();
          // Where the panes are above each other, a press goes to the text; the keyboard stays in the list.
          if (e.detail) document.querySelector(".model-text")?.scrollIntoView({ block: "nearest" });
        }}
        onDblClick={() => openItem(item)}
        onKeyDown={(e) => {
          if (e.key !== "Enter") return;
          e.preventDefault();
          openItem(item);
        }}
      >
        <span class="item-line">
          {path === undefined ? (
            <>
              <Icon name={icons[item.kind] ?? "doc"} />
              <span class="item-title" dir="auto">
                {item.title || t(`kind.${item.kind}`)}
              </span>
            </>
          ) : (
            <Path path={path} line={(item.anchor ?? item.range?.start.line ?? 0) + 1} />
          )}
          {kept && <Icon name="pin" />}
          <span class="item-measures">
            {item.score < 1 && <Score share={item.score} label={t("context.score", { share: percent(item.score) })} />}
            <span class="number quiet">
              {number(item.tokens)}
              <span class="unseen"> {t("context.budgetUnit")}</span>
            </span>
          </span>
        </span>
        <span class="item-line item-second">
          {path !== undefined && (
            <span class="item-title" dir="auto">
              {item.title}
            </span>
          )}
          <span class="item-why quiet" dir="auto">
            {given && <b>{t("context.givenThen")} · </b>}
            {item.reason}
          </span>
        </span>
      </button>
    </div>
  );
}

/** A path: its folders give way where there is little room, the name of the file and the line stay. */
export function Path({ path, line }: { path: string; line: number }) {
  const at = path.lastIndexOf("/") + 1;
  return (
    <span class="path" dir="ltr">
      {at > 0 && <span class="path-folder quiet">{path.slice(0, at)}</span>}
      <span class="path-name">
        {path.slice(at)}
        <span class="quiet">:{line}</span>
      </span>
    </span>
  );
}

function FoldRow({ fold, open, bundle: { items, dropped } }: { fold: Fold; open: boolean; bundle: BundleResult }) {
  const pointers = items.filter((i) => i.format === "pointer");
  return (
    <button type="button" class="fold list-fold" data-fold={fold} aria-expanded={open} onClick={() => toggle(fold)}>
      <Icon name="chevron" />
      <span>{fold === "pointers" ? t("context.pointers", { n: pointers.length }) : t("context.leftOut", { n: dropped.length })}</span>
      <span class="quiet list-fold-note">{fold === "pointers" ? t("context.tokens", { n: pointers.reduce((sum, i) => sum + i.tokens, 0) }) : summary(dropped)}</span>
    </button>
  );
}

/** The reasons that a candidate may be taken in from all the same. */
const mayCome: readonly Dropped["reason"][] = ["redundant", "budget", "threshold", "filtered", "duplicate"];

function DroppedRow({ dropped: d, unspent }: { dropped: Dropped; unspent: number }) {
  const path = pathOf(d);
  const title = d.title ?? path ?? d.id;
  const own = changes.value.find((c) => c.value === d.id && c.kind === "omit");
  return (
    <div class="left-out-row" title={t(`kind.${d.kind}`)}>
      <div class="left-out-text">
        <span class="item-line">
          {path === undefined ? (
            <span class="item-title" dir="auto">
              {title}
            </span>
          ) : (
            <button type="button" class="left-out-path" aria-label={t("action.openFile", { name: path })} onClick={() => openFile(d.uri ?? "", d.range)}>
              <Path path={path} line={(d.range?.start.line ?? 0) + 1} />
            </button>
          )}
        </span>
        <span class="item-line item-second">
          {path !== undefined && (
            <span class="item-title" dir="auto">
              {title}
            </span>
          )}
          <span class="item-why quiet">{missedBy(d, unspent)}</span>
        </span>
      </div>
      {own && <Button icon="refresh" iconOnly label={t("context.undoNamed", { name: title })} onClick={() => undo(own.value)} />}
      {mayCome.includes(d.reason) && <Button icon="add" iconOnly label={t("context.takeNamed", { name: title })} onClick={() => change("include", d.id, title)} />}
    </div>
  );
}

/** Says why a candidate was left out, and how much it missed. */
function missedBy(d: Dropped, unspent: number): string {
  const parts = [t(`context.reason.${d.reason}`)];
  if (d.needed !== undefined && d.needed < 1) parts.push(t("context.needed", { share: chance(d.score ?? 0), needed: chance(d.needed) }));
  else if (d.reason === "budget" && d.tokens) parts.push(t("context.tooLong", { n: d.tokens, left: Math.max(0, unspent) }));
  else if (d.score !== undefined) parts.push(percent(d.score));
  return parts.join(" · ");
}

/** Says the commonest reasons with their numbers. */
function summary(dropped: readonly Dropped[]): string {
  const counts = new Map<Dropped["reason"], number>();
  for (const d of dropped) counts.set(d.reason, (counts.get(d.reason) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 3)
    .map(([reason, n]) => `${t(`context.reason.${reason}`)}: ${number(n)}`)
    .join(" · ");
}
