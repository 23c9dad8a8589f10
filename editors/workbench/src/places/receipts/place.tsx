/** Receipts: what hooks gave to conversations, what it cost, and what came of it. */
import { useRef } from "preact/hooks";
import type { ReceiptsResult } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { Measure } from "../../parts/controls";
import { chosenRoot, RootSelect } from "../../parts/root";
import { Answered, Empty } from "../../parts/states";
import { VirtualList } from "../../parts/virtual";
import { useWide } from "../../parts/wide";
import { formatRoute, route } from "../../route";
import { memoryChanges } from "../../session";
import { ago, date, milliseconds, number, signed, t } from "../../texts";
import { Balance, mostShown } from "./balance";
import { ConversationReceipt } from "./conversation";

export function ReceiptsPlace() {
  const [id] = route.value.path;
  const answer = useAnswer("contexture.receipts", { ...chosenRoot(), limit: mostShown }, { changes: memoryChanges });
  const box = useRef<HTMLDivElement>(null);
  const beside = useWide(box);
  return (
    <div class="place receipts">
      <div class="place-head">
        <h1>{t("place.receipts")}</h1>
        <p class="quiet">{t("receipts.about")}</p>
        <div class="place-actions">
          <RootSelect />
        </div>
      </div>
      <div ref={box}>
        <Answered answer={answer}>
          {(receipts) => {
            const chosen = id ?? (beside ? receipts.conversations[0]?.conversationId : undefined);
            const isListed = receipts.conversations.length > 0 && (beside || !chosen);
            if (!chosen && !isListed) return <None />;
            return (
              <>
                {isListed && <Total receipts={receipts} beside={beside} />}
                <div class={beside ? "receipts-columns" : undefined}>
                  {isListed && <Conversations receipts={receipts} chosen={chosen} />}
                  {chosen && <ConversationReceipt key={chosen} id={chosen} alone={!isListed} />}
                </div>
              </>
            );
          }}
        </Answered>
      </div>
    </div>
  );
}

function None() {
  return (
    <Empty icon="receipts" title={t("receipts.none")}>
      <p>{t("receipts.noneText")}</p>
      <p>
        <SourcesLink />
      </p>
    </Empty>
  );
}

function SourcesLink() {
  return <a href={formatRoute({ place: "conversations", query: { view: "sources" } })}>{t("receipts.toSources")}</a>;
}

function Total({ receipts: { total, conversations, unseen, moments }, beside }: { receipts: ReceiptsResult; beside: boolean }) {
  const seen = conversations.filter((c) => c.seen);
  // Not the total's: it counts the files that were named to conversations of which nothing else is known.
  const [opened, named] = [seen.reduce((n, c) => n + c.opened, 0), seen.reduce((n, c) => n + c.named, 0)];
  return (
    <section class={beside ? "receipts-columns" : undefined} aria-label={t("receipts.total")}>
      <div>
        <dl class="numbers">
          <Measure name={t("receipts.givenName")} value={t("context.tokens", { n: total.given })} note={t("receipts.prompts", { n: total.prompts })} />
          {seen.length > 0 && (
            <>
              <Measure name={t("receipts.sparedName")} value={t("context.tokens", { n: total.spared })} note={t("receipts.lookups", { n: total.looks, needless: total.needless })} />
              <Measure name={t("receipts.netName")} value={signed(total.spared - total.given)} note={t("receipts.netNote")} />
              <Measure name={t("receipts.openedName")} value={t("topics.share", { n: opened, of: named })} {...(conversations.length < mostShown ? {} : { note: t("receipts.latest", { n: mostShown }) })} />
            </>
          )}
        </dl>
        {unseen > 0 && (
          <p class="receipts-note">
            {t("receipts.unseen", { n: unseen })} <SourcesLink />
          </p>
        )}
        <p class="receipts-note quiet">{t("receipts.how")}</p>
      </div>
      <Moments moments={moments} />
    </section>
  );
}

const momentNames = ["atStart", "beforePrompt", "beforeEdit", "afterFailure", "beforeSubagent", "afterCompaction", "asked"] as const;

function Moments({ moments }: { moments: ReceiptsResult["moments"] }) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={t("receipts.moments")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("receipts.momentName")}</th>
            <th scope="col">{t("receipts.times")}</th>
            <th scope="col">{t("receipts.givenName")}</th>
            <th scope="col">{t("receipts.each")}</th>
          </tr>
        </thead>
        <tbody>
          {moments.map((m) => {
            const name = momentNames.find((n) => n === m.moment);
            return (
              <tr key={m.moment}>
                <th scope="row">{name ? t(`receipts.moment.${name}`) : m.moment}</th>
                <td class="number">{number(m.times)}</td>
                <td class="number">{t("context.tokens", { n: m.given })}</td>
                <td class="number">{milliseconds(m.milliseconds / m.times)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const rowHeight = 58;

function Conversations({ receipts: { conversations }, chosen }: { receipts: ReceiptsResult; chosen: string | undefined }) {
  const { root } = route.value.query;
  return (
    <section>
      <h2>{conversations.length < mostShown ? t("place.conversations") : t("receipts.latest", { n: mostShown })}</h2>
      <VirtualList
        count={conversations.length}
        estimate={rowHeight}
        label={t("place.conversations")}
        keyOf={(i) => conversations[i]?.conversationId ?? String(i)}
        row={(i) => {
          const c = conversations[i];
          return (
            c && (
              <a class="receipt" href={formatRoute({ place: "receipts", path: [c.conversationId], query: { root } })} aria-current={c.conversationId === chosen ? "true" : undefined}>
                <span class="receipt-title" dir="auto">
                  {c.title || c.conversationId}
                </span>{" "}
                <time class="quiet number" dateTime={c.at} title={date(c.at, true)}>
                  {ago(c.at)}
                </time>{" "}
                <Balance of={c} isKnown={c.seen} />
              </a>
            )
          );
        }}
      />
    </section>
  );
}
