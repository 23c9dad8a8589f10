/** The item that is marked: why it is there, and what can be done with it. */
import type { BundleResult, Item } from "../../../../vscode/src/contract.gen";
import { act } from "../../answer";
import { Button } from "../../parts/controls";
import { content } from "../../parts/spans";
import { percent, t } from "../../texts";
import { foldersOf } from "./blocks";
import { source } from "./copy";
import { openItem } from "./open";
import { change, changes, chosenIn, conversation, exactly, pathOf, undo } from "./state";

/** Reports whether an item was found for the prompt, so that one may pin it or leave it out. */
export function isFound(item: Item): boolean {
  return ["L5_jit", "L4_conversation", "L2_topic", "L3_entity"].includes(item.layer);
}

export function isKept(item: Item): boolean {
  return changes.value.some((c) => c.kind === "include" && c.value === item.id);
}

export function ChosenItem({ bundle }: { bundle: BundleResult }) {
  const item = chosenIn(bundle);
  if (!item) return null;
  const path = pathOf(item);
  const where = source(item);
  return (
    <div class={`chosen-item ${item.layer}`} role="group" aria-label={t("context.chosen")}>
      <div class="chosen-head">
        <span class={`swatch ${item.layer}`} title={t(`layer.${item.layer}`)} aria-hidden="true" />
        <h2 dir="auto">{item.title || t(`kind.${item.kind}`)}</h2>
        <div class="facts">
          {path !== undefined && <Button icon="open" label={t("action.open")} name={t("action.openFile", { name: where })} onClick={() => openItem(item)} />}
          {item.turnId && item.conversationId && <Button icon="turn" label={t("action.openTurn")} name={t("action.openTurnNamed", { name: item.turnId })} onClick={() => openItem(item)} />}
          {isFound(item) && (
            <Button icon="pin" label={t("context.keep")} name={t("context.keepNamed", { name: item.title })} pressed={isKept(item)} onClick={() => (isKept(item) ? undo(item.id) : change("include", item.id, item.title))} />
          )}
          {conversation.value && item.span && item.kind !== "prompt" && <Button icon="pin" label={t("context.pinTurns")} onClick={() => void pinTurns(item, bundle)} />}
        </div>
      </div>
      <p class="chosen-why" dir="auto">
        <span class="quiet">{t(`layer.${item.layer}`)}</span>
        {item.score < 1 && <span class="quiet"> · {t("context.score", { share: percent(item.score) })}</span>}
        {" · "}
        {item.reason}
      </p>
      {isFound(item) && <LeaveOut item={item} path={path} />}
    </div>
  );
}

/** Leaves out the item, its file, or a folder that the file is in. */
function LeaveOut({ item, path }: { item: Item; path: string | undefined }) {
  const inRoot = path !== undefined && !path.startsWith("/");
  return (
    <div class="leave">
      <Button icon="out" label={t("context.leave")} name={t("context.leaveNamed", { name: item.title })} onClick={() => change("omit", item.id, item.title)} />
      {inRoot && <span class="quiet">{t("context.leaveAll")}</span>}
      {inRoot && (
        <span class="crumbs" dir="ltr">
          {foldersOf(path).map((f) => (
            <Crumb key={f.path} name={f.name} path={f.path} />
          ))}
          <Crumb name={path.slice(path.lastIndexOf("/") + 1)} path={path} />
        </span>
      )}
    </div>
  );
}

function Crumb({ name, path }: { name: string; path: string }) {
  return (
    <button type="button" class="crumb" aria-label={t("context.leaveNamed", { name: path })} title={t("context.leaveNamed", { name: path })} onClick={() => change("exclude", exactly(path), path)}>
      {name}
    </button>
  );
}

/** Puts an item on the conversation's board, so that its next bundles hold it. */
export async function pinTurns(item: Item, { text = "" }: BundleResult): Promise<void> {
  if (!item.span) return;
  await act("contexture.board.put", { conversationId: conversation.value, type: "note", title: item.title, content: content(text, item.span) }, t("context.pinned"));
}
