/** The receipt of one conversation, prompt by prompt. */
import type { PromptReceipt } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { chosenRoot } from "../../parts/root";
import { Answered } from "../../parts/states";
import { VirtualList } from "../../parts/virtual";
import { formatRoute } from "../../route";
import { memoryChanges } from "../../session";
import { date, milliseconds, t } from "../../texts";
import { Balance, mostShown } from "./balance";

const rowHeight = 84;

export function ConversationReceipt({ id, days }: { id: string; days: number }) {
  const answer = useAnswer("contexture.receipts", { ...chosenRoot(), conversationId: id, days, limit: mostShown }, { changes: memoryChanges });
  return (
    <section>
      <Answered answer={answer}>
        {({ conversations: [of], prompts = [] }) => {
          if (!of) return <p class="quiet">{t("receipts.nothingGiven")}</p>;
          const title = of.title || of.conversationId;
          return (
            <>
              <h2 dir="auto">{of.seen ? <a href={formatRoute({ place: "conversations", path: [id] })}>{title}</a> : title}</h2>
              {!of.seen && <p class="receipts-note">{t("receipts.unseenOne")}</p>}
              {prompts.length >= mostShown && <p class="receipts-note">{t("receipts.latest", { n: mostShown })}</p>}
              <VirtualList
                count={prompts.length}
                estimate={rowHeight}
                label={t("receipts.promptsOf", { name: title })}
                keyOf={(i) => `${prompts[i]?.turnId ?? ""} ${prompts[i]?.at ?? i}`}
                row={(i) => prompts[i] && <Prompt of={prompts[i]} conversation={id} />}
              />
            </>
          );
        }}
      </Answered>
    </section>
  );
}

function Prompt({ of: p, conversation }: { of: PromptReceipt; conversation: string }) {
  const isKnown = p.turnId !== "";
  const names = [...new Set(p.names)].join(", ");
  return (
    <div class="row">
      <span class="row-title" dir="auto">
        {isKnown ? <a href={formatRoute({ place: "conversations", path: [conversation, p.turnId] })}>{p.prompt || p.turnId}</a> : p.prompt || t("receipts.noPrompt")}
      </span>
      <time class="quiet number" dateTime={p.at}>
        {date(p.at, true)}
      </time>
      <Balance of={p} isKnown={isKnown} />
      <span class="row-facts quiet">
        {isKnown && p.named > 0 && <span>{t("receipts.opened", { n: p.named, opened: p.opened })}</span>}
        {isKnown && p.looks > 0 && <span>{t("receipts.lookups", { n: p.looks, needless: p.needless })}</span>}
        <span>{milliseconds(p.milliseconds)}</span>
      </span>
      {names && (
        <span class="receipt-names mono quiet" dir="ltr" title={names}>
          {names}
        </span>
      )}
    </div>
  );
}
