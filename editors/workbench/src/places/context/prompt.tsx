/** What is asked: the prompt, the budget, the conversation that it continues, the file in view. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { useAnswer } from "../../answer";
import { Field, Select } from "../../parts/controls";
import { host, memoryChanges, placeInView } from "../../session";
import { t } from "../../texts";
import { useConversations } from "../conversations/known";
import { budget, conversation, defaultBudget, file, prompt } from "./state";

/** The slider moves over budgets in even steps of their logarithm. */
const [leastBudget, mostBudget, steps] = [256, 200_000, 100];
const toBudget = (step: number): number => {
  const exact = leastBudget * (mostBudget / leastBudget) ** (step / steps);
  const round = 10 ** Math.max(1, Math.floor(Math.log10(exact)) - 1);
  return Math.max(leastBudget, Math.round(exact / round) * round);
};
const toStep = (tokens: number): number => Math.round((steps * Math.log(tokens / leastBudget)) / Math.log(mostBudget / leastBudget));

const listed = 50; // conversations that can be chosen

export function PromptForm({ busy }: { busy: boolean }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const list = useAnswer("contexture.conversation.list", { limit: listed }, { changes: memoryChanges });
  const conversations = list.value?.conversations ?? [];
  useLayoutEffect(() => {
    if (!area.current) return;
    area.current.style.blockSize = "auto";
    area.current.style.blockSize = `${area.current.scrollHeight + 2}px`;
  }, [prompt.value]);
  const chosen = conversation.value;
  const isListed = !chosen || conversations.some((c) => c.id === chosen);
  const others = useConversations(isListed || !list.value ? [] : [chosen]);
  return (
    <form class="prompt" onSubmit={(e) => e.preventDefault()} aria-busy={busy}>
      <Field label={t("context.prompt")} bare>
        {(id) => (
          <textarea
            id={id}
            ref={area}
            data-main-field
            rows={2}
            dir="auto"
            spellcheck={false}
            placeholder={t("context.promptHint")}
            value={prompt.value}
            onInput={(e) => (prompt.value = e.currentTarget.value)}
          />
        )}
      </Field>
      <div class="prompt-row">
        <div class="budget-field">
          <Field label={t("context.budget")}>
            {(id) => (
              <input
                id={id}
                type="range"
                min={0}
                max={steps}
                value={toStep(budget.value ?? defaultBudget)}
                aria-valuetext={t("context.tokens", { n: budget.value ?? defaultBudget })}
                onInput={(e) => (budget.value = toBudget(Number(e.currentTarget.value)))}
              />
            )}
          </Field>
          <Field label={t("context.budgetTokens")} bare>
            {(id) => (
              <input
                id={id}
                type="number"
                min={256}
                max={1_000_000}
                placeholder={String(defaultBudget)}
                value={budget.value ?? ""}
                onInput={(e) => (budget.value = e.currentTarget.value ? Number(e.currentTarget.value) : undefined)}
              />
            )}
          </Field>
        </div>
        <Select
          label={t("context.conversation")}
          value={chosen}
          options={[
            { value: "", label: t("context.noConversation") },
            ...(isListed ? [] : [{ value: chosen, label: others.get(chosen)?.title || chosen }]),
            ...conversations.map((c) => ({ value: c.id, label: `${c.title || c.id} (${c.turnCount})` })),
          ]}
          onChange={(v) => (conversation.value = v)}
        />
        {host().kind === "page" ? (
          <Field label={t("context.file")}>
            {(id) => <input id={id} type="text" placeholder={t("context.fileHint")} value={file.value} spellcheck={false} onChange={(e) => (file.value = e.currentTarget.value)} />}
          </Field>
        ) : (
          <div class="field">
            <span class="label">{t("context.file")}</span>
            <span class="place-in-view">{placeInView.value ?? "–"}</span>
          </div>
        )}
      </div>
    </form>
  );
}
