/** The real prompts of assistants' conversations that something was given with lately; one of them is asked again to see why. */
import { useEffect, useState } from "preact/hooks";
import { act, useAnswer } from "../../answer";
import { Button } from "../../parts/controls";
import { Icon } from "../../parts/icon";
import { openFile } from "../../parts/open";
import { chosenRoot } from "../../parts/root";
import { Answered } from "../../parts/states";
import { inner, utterances } from "../../parts/talk_text";
import { VirtualList } from "../../parts/virtual";
import { formatRoute, refine } from "../../route";
import { failure, type Commands } from "../../host/host";
import { host, memoryChanges, uriOf } from "../../session";
import { ago, date, milliseconds, t } from "../../texts";
import { Balance } from "../receipts/balance";
import { GivenView, hasText } from "./given";
import { conversation, past, prompt, side, type Past } from "./state";

/** Conversations whose prompts are listed, and the prompts. */
const [mostConversations, mostPrompts] = [5, 50];
const rowHeight = 62;

export function Lately({ titled }: { titled: boolean }) {
  const receipts = useAnswer("contexture.receipts", { ...chosenRoot(), limit: mostConversations }, { changes: memoryChanges });
  const list = usePrompts(receipts.value);
  return (
    <>
      {titled && (
        <div class="pane-head">
          <h2>{t("context.lately")}</h2>
        </div>
      )}
      <div class="list-scroll" data-scroller>
        <Answered answer={receipts}>
          {({ conversations }) =>
            conversations.length === 0 ? (
              <p class="list-note quiet">{t("context.latelyNone")}</p>
            ) : (
              <VirtualList count={list.length} estimate={rowHeight} label={t("context.lately")} keyOf={(i) => `${list[i]?.conversationId ?? ""} ${list[i]?.receipt.at ?? i}`} row={(i) => list[i] && <PastRow of={list[i]} />} />
            )
          }
        </Answered>
      </div>
    </>
  );
}

/** Returns the prompts of the latest conversations, the latest first. */
function usePrompts(receipts: Commands["contexture.receipts"]["result"] | undefined): readonly Past[] {
  const [list, setList] = useState<readonly Past[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    const ids = receipts?.conversations.slice(0, mostConversations).map((c) => c.conversationId) ?? [];
    const promptsOf = async (conversationId: string): Promise<Past[]> => {
      const { prompts = [] } = await host().execute("contexture.receipts", { ...chosenRoot(), conversationId, limit: mostPrompts }, abort.signal);
      return prompts.map((receipt) => ({ conversationId, receipt }));
    };
    Promise.all(ids.map(promptsOf)).then(
      (all) => {
        const latest = all.flat().sort((a, b) => b.receipt.at.localeCompare(a.receipt.at));
        if (!abort.signal.aborted) setList(latest.slice(0, mostPrompts));
      },
      (thrown: unknown) => {
        if (failure(thrown)) setList([]); // a conversation was forgotten meanwhile; the change of memory asks again
      },
    );
    return () => abort.abort();
  }, [receipts]);
  return list;
}

function PastRow({ of }: { of: Past }) {
  const { receipt: r } = of;
  const isKnown = r.turnId !== "";
  const isShown = past.value?.conversationId === of.conversationId && past.value.receipt.at === r.at;
  return (
    <button type="button" class={`past${isShown ? " chosen" : ""}`} aria-current={isShown ? "true" : undefined} onClick={() => void look(of)}>
      <span class="item-line">
        <span class="item-title" dir="auto">
          {r.prompt || r.turnId || t("receipts.noPrompt")}
        </span>
        <time class="quiet number" dateTime={r.at} title={date(r.at, true)}>
          {ago(r.at)}
        </time>
      </span>
      <Balance of={r} isKnown={isKnown} />
    </button>
  );
}

/** Asks the whole of a real prompt again. */
async function look(of: Past): Promise<void> {
  const { conversationId, receipt } = of;
  const turn = receipt.turnId ? await act("contexture.conversation.turn", { ...chosenRoot(), conversationId, turnId: receipt.turnId, level: "R", pin: false }) : undefined;
  past.value = of;
  refine({ view: hasText(receipt) ? "given" : undefined });
  const kept = receipt.deliveries.find((d) => d.prompt)?.prompt;
  if (!turn && kept === undefined) return;
  prompt.value = (turn && utterances(inner(turn.text)).find((u) => u.role === "user" || u.author)?.text) ?? kept ?? receipt.prompt;
  conversation.value = turn ? conversationId : "";
  side.value = "items";
}

/** What a real prompt was given then, and what came of it. */
export function Receipt({ of: { conversationId, receipt: r } }: { of: Past }) {
  const isKnown = r.turnId !== "";
  const isAsked = isKnown || r.deliveries.some((d) => d.prompt);
  const names = [...new Set(r.names)];
  return (
    <section class="past-receipt" aria-label={t("context.past")}>
      <p>
        <Icon name="receipts" />
        <b>{t("context.givenAt", { ago: ago(r.at) })}</b>
        <Balance of={r} isKnown={isKnown} />
        <span class="receipt-facts quiet">
          {isKnown && r.named > 0 && <span>{t("receipts.opened", { n: r.named, opened: r.opened })}</span>}
          {isKnown && r.looks > 0 && <span>{t("receipts.lookups", { n: r.looks, needless: r.needless })}</span>}
          <span>{milliseconds(r.milliseconds)}</span>
        </span>
        <a href={formatRoute({ place: "receipts", path: [conversationId] })}>{t("place.receipts")}</a>
        <Button icon="close" iconOnly label={t("action.close")} onClick={() => (past.value = undefined)} />
      </p>
      {names.length > 0 && (
        <p class="past-names">
          {names.map((n) => (
            <button key={n} type="button" class="link mono" dir="ltr" aria-label={t("action.openFile", { name: n })} onClick={() => openFile(uriOf(n, chosenRoot().workspace))}>
              {n}
            </button>
          ))}
        </p>
      )}
      {!isAsked && hasText(r) && <GivenView receipt={r} />}
      {isAsked && <p class="quiet">{t("context.pastNow")}</p>}
      {!isKnown && <p class="quiet">{t("receipts.unseenOne")}</p>}
    </section>
  );
}
