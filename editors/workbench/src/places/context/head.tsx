/** What is asked: the prompt, and below it the repository, and what narrows the question, each of which can be removed. */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useAnswer } from "../../answer";
import { Button, Field } from "../../parts/controls";
import { focusList } from "../../parts/find";
import { Icon, type IconName } from "../../parts/icon";
import { RootSelect } from "../../parts/root";
import { host, memoryChanges, placeInView } from "../../session";
import { number, t } from "../../texts";
import { useConversations } from "../conversations/known";
import { budget, conversation, defaultBudget, file, past, prompt } from "./state";

export function PromptForm({ busy }: { busy: boolean }) {
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => grow(area.current), [prompt.value]);
  useLayoutEffect(() => {
    if (!area.current) return;
    const { current } = area;
    let width = current.clientWidth;
    const observer = new ResizeObserver(() => {
      if (width === current.clientWidth) return;
      width = current.clientWidth;
      grow(current);
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <form class="prompt" onSubmit={(e) => e.preventDefault()} aria-busy={busy}>
      <Field label={t("context.prompt")} bare>
        {(id) => (
          <textarea
            id={id}
            ref={area}
            data-main-field
            rows={1}
            dir="auto"
            spellcheck={false}
            placeholder={t("context.promptHint")}
            value={prompt.value}
            onInput={(e) => {
              prompt.value = e.currentTarget.value;
              past.value = undefined;
            }}
            onKeyDown={(e) => {
              const { value, selectionEnd } = e.currentTarget;
              if (e.key !== "ArrowDown" || value.slice(selectionEnd).includes("\n")) return;
              e.preventDefault();
              focusList();
            }}
          />
        )}
      </Field>
      <div class="narrowing">
        <Repository />
        <ConversationChip />
        <FileChip />
        <BudgetChip />
      </div>
    </form>
  );
}

/** Makes a field as high as its text. */
function grow(area: HTMLTextAreaElement | null): void {
  if (!area) return;
  area.style.blockSize = "auto";
  area.style.blockSize = `${area.scrollHeight}px`;
}

function Repository() {
  const { roots } = host();
  const [first = ""] = roots;
  return (
    <span class="repository">
      <Icon name="index" />
      {roots.length > 1 ? <RootSelect /> : <b dir="auto">{decodeURIComponent(first.replace(/\/$/, "").split("/").at(-1) ?? "")}</b>}
    </span>
  );
}

interface NarrowProps {
  icon?: IconName;
  label: string;
  /** Takes back what is set; absent where nothing is. */
  onRemove?: (() => void) | undefined;
  children: (id: string) => ComponentChildren;
}

/** A field in the shape of a chip, with a button that empties it. */
function Narrow({ icon, label, onRemove, children }: NarrowProps) {
  const id = useId();
  return (
    <span class={`narrow${onRemove ? " set" : ""}`}>
      {icon && <Icon name={icon} />}
      <label for={id} class="unseen">
        {label}
      </label>
      {children(id)}
      {onRemove && <Button icon="close" iconOnly label={t("context.remove", { name: label })} onClick={onRemove} />}
    </span>
  );
}

const listed = 50; // conversations that can be chosen

function ConversationChip() {
  const list = useAnswer("contexture.conversation.list", { limit: listed }, { changes: memoryChanges });
  const conversations = list.value?.conversations ?? [];
  const { value } = conversation;
  const isListed = !value || conversations.some((c) => c.id === value);
  const others = useConversations(isListed || !list.value ? [] : [value]);
  return (
    <Narrow icon="turn" label={t("context.conversation")} onRemove={value ? () => (conversation.value = "") : undefined}>
      {(id) => (
        <select id={id} value={value} onChange={(e) => (conversation.value = e.currentTarget.value)}>
          <option value="">{t("context.noConversation")}</option>
          {!isListed && (
            <option value={value} selected>
              {others.get(value)?.title || value}
            </option>
          )}
          {conversations.map((c) => (
            <option key={c.id} value={c.id} selected={c.id === value}>
              {c.title || c.id} ({c.turnCount})
            </option>
          ))}
        </select>
      )}
    </Narrow>
  );
}

function FileChip() {
  if (host().kind === "vscode") {
    return (
      placeInView.value && (
        <span class="narrow" title={t("context.file")}>
          <Icon name="doc" />
          <span class="narrow-text" dir="ltr">
            {placeInView.value}
          </span>
        </span>
      )
    );
  }
  return (
    <Narrow icon="doc" label={t("context.file")} onRemove={file.value ? () => (file.value = "") : undefined}>
      {(id) => <input id={id} type="text" dir="ltr" placeholder={t("context.file")} value={file.value} spellcheck={false} autocomplete="off" onChange={(e) => (file.value = e.currentTarget.value)} />}
    </Narrow>
  );
}

function BudgetChip() {
  return (
    <Narrow label={t("context.budgetTokens")} onRemove={budget.value === undefined ? undefined : () => (budget.value = undefined)}>
      {(id) => (
        <>
          <span aria-hidden="true">{t("context.budget")}</span>
          <input
            id={id}
            type="number"
            min={256}
            max={1_000_000}
            step={100}
            placeholder={number(defaultBudget)}
            value={budget.value ?? ""}
            onInput={(e) => (budget.value = e.currentTarget.value ? Number(e.currentTarget.value) : undefined)}
          />
          <span aria-hidden="true">
            {t("context.budgetUnit")}
          </span>
        </>
      )}
    </Narrow>
  );
}
