/** The items of a bundle, by layer. */
import { signal } from "@preact/signals";
import type { BundleResult, Item, Layer } from "../../../../vscode/src/contract.gen";
import { act } from "../../answer";
import { Code } from "../../parts/code";
import { Button, Facts, Score } from "../../parts/controls";
import { Icon, type IconName } from "../../parts/icon";
import { openTurn } from "../../parts/turn";
import { openFile } from "../../parts/open";
import { content } from "../../parts/spans";
import { Empty } from "../../parts/states";
import { relative } from "../../session";
import { chance, percent, t } from "../../texts";
import { source } from "./copy";
import { change, changes, conversation, exactly } from "./state";

/** The order in which people want to see the layers: what was found first, what is always there last. */
const order: Layer["layer"][] = ["L5_jit", "L4_conversation", "L2_topic", "L3_entity", "L1_global_prefs", "L6_message_history", "L0_identity", "L7_user_message"];
/** These are folded at first: they are the same for every prompt. */
const foldedAtFirst = new Set<string>(["L0_identity", "L7_user_message", "L6_message_history"]);

const folded = signal<ReadonlyMap<string, boolean>>(new Map());
/** Items that somebody opened or closed. */
const opened = signal<ReadonlyMap<string, boolean>>(new Map());

export function Items({ bundle }: { bundle: BundleResult }) {
  const found = bundle.items.filter((i) => i.layer === "L5_jit" || i.layer === "L4_conversation");
  const best = found.reduce<Item | undefined>((b, i) => (!b || i.score > b.score ? i : b), undefined);
  const words = [...bundle.intent.identifiers, ...bundle.intent.keywords].map((w) => w.toLowerCase());
  return (
    <>
      {found.length === 0 && <Empty icon="context" title={t("context.nothing")} />}
      {order.map((layer) => {
        const items = bundle.items.filter((i) => i.layer === layer);
        if (!items.length) return null;
        const isFolded = folded.value.get(layer) ?? foldedAtFirst.has(layer);
        const tokens = bundle.layers.find((l) => l.layer === layer)?.used ?? 0;
        return (
          <section class="layer" key={layer}>
            <h2>
              <button type="button" class="fold" aria-expanded={!isFolded} onClick={() => (folded.value = new Map(folded.value).set(layer, !isFolded))}>
                <Icon name="chevron" />
                <span class={`swatch ${layer}`} aria-hidden="true" />
                <span>{t(`layer.${layer}`)}</span>
                <span class="quiet count">
                  {t("context.items", { n: items.length })} · {t("context.tokens", { n: tokens })}
                </span>
              </button>
            </h2>
            {!isFolded && (
              <ul class="items">
                {items.map((item) => (
                  <ItemRow key={item.id} item={item} bundle={bundle} open={opened.value.get(item.id) ?? item === best} words={words} />
                ))}
              </ul>
            )}
          </section>
        );
      })}
    </>
  );
}

const icons: Partial<Record<Item["kind"], IconName>> = { code: "code", doc: "doc", lesson: "lesson", turn: "turn", tickler: "turn", message: "turn", arc: "turn", rule: "rules", topic: "topics", entity: "person" };

interface ItemRowProps {
  item: Item;
  bundle: BundleResult;
  open: boolean;
  words: readonly string[];
}

function ItemRow({ item, bundle, open, words }: ItemRowProps) {
  const where = source(item);
  const path = item.uri?.startsWith("file:") ? relative(item.uri) : undefined;
  const text = item.span && bundle.text ? content(bundle.text, item.span) : "";
  const kept = changes.value.some((c) => c.kind === "include" && c.value === item.id);
  const retrieved = item.layer === "L5_jit" || item.layer === "L4_conversation" || item.layer === "L2_topic" || item.layer === "L3_entity";
  return (
    <li class={`item${open ? " open" : ""}`}>
      <div class="item-head">
        <button type="button" class="fold" aria-expanded={open} onClick={() => (opened.value = new Map(opened.value).set(item.id, !open))}>
          <Icon name="chevron" />
          <Icon name={icons[item.kind] ?? "doc"} />
          <span class="item-title" dir="auto">
            {item.title || t(`kind.${item.kind}`)}
          </span>
        </button>
        <span class="item-measures">
          {item.score < 1 && <Score share={item.score} label={t("context.score", { share: percent(item.score) })} />}
          <span class="number quiet">{t("context.tokens", { n: item.tokens })}</span>
        </span>
      </div>
      <p class="item-why quiet" dir="auto">
        {where && <span class="item-where">{where}</span>}
        {where && " · "}
        {item.reason}
      </p>
      {open && (
        <div class="item-body">
          {text && <Code text={text} {...(path ? { path } : {})} {...numbered(item, text)} words={words} label={item.title} />}
          <Passages item={item} />
          <Facts>
            {path && item.uri && <Button icon="open" label={t("action.open")} name={t("action.openFile", { name: where })} onClick={() => openFile(item.uri ?? "", item.range)} />}
            {item.turnId && item.conversationId && (
              <Button icon="turn" label={t("action.openTurn")} name={t("action.openTurnNamed", { name: item.turnId })} onClick={() => openTurn(item.conversationId ?? "", item.turnId ?? "")} />
            )}
            {retrieved && !kept && <Button icon="pin" label={t("context.keep")} name={t("context.keepNamed", { name: item.title })} onClick={() => change("include", item.id, item.title)} />}
            {retrieved && (
              <Button
                icon="out"
                label={t("context.leave")}
                name={t("context.leaveNamed", { name: item.title })}
                onClick={() => (path ? change("exclude", exactly(path), path) : change("omit", item.id, item.title))}
              />
            )}
            {conversation.value && text && item.kind !== "prompt" && <Button icon="pin" label={t("context.pinTurns")} onClick={() => void pin(item, text)} />}
          </Facts>
        </div>
      )}
    </li>
  );
}

/** Says of each passage how probably it settles the prompt, what its tokens had to bring, and which lines have its words. */
function Passages({ item }: { item: Item }) {
  const judged = item.passages?.filter((p) => p.score) ?? [];
  if (!judged.length) return null;
  return (
    <ul class="item-passages quiet">
      {judged.map((p) => (
        <li key={p.range.start.line}>
          {t("context.passage", { first: p.range.start.line + 1, last: p.range.end.line, share: chance(p.score ?? 0), price: chance(p.price ?? 0) })}
          {p.matched.length > 0 && ` · ${t("context.matched", { lines: p.matched.map((n) => n + 1).join(", ") })}`}
        </li>
      ))}
    </ul>
  );
}

/** Numbers the lines where the text is the file's own, line by line. */
function numbered(item: Item, text: string): { firstLine?: number } {
  if (item.kind !== "code" || item.format !== "full" || !item.range) return {};
  const lines = text.replace(/\n$/, "").split("\n").length;
  const inFile = item.range.end.line - item.range.start.line + (item.range.end.character > 0 ? 1 : 0);
  return lines === inFile ? { firstLine: item.range.start.line + 1 } : {};
}

async function pin(item: Item, text: string): Promise<void> {
  await act("contexture.board.put", { conversationId: conversation.value, type: "note", title: item.title, content: text }, t("context.pinned"));
}
