/** Receipts: what hooks gave to conversations, what it cost, and what came of it. */
import type { ReceiptsResult } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { Choice, Measure } from "../../parts/controls";
import { chosenRoot, RootSelect } from "../../parts/root";
import { Row } from "../../parts/row";
import { Split } from "../../parts/split";
import { Answered, Empty } from "../../parts/states";
import { VirtualList } from "../../parts/virtual";
import { formatRoute, refine, route } from "../../route";
import { memoryChanges } from "../../session";
import { milliseconds, number, signed, t } from "../../texts";
import { balanceOf, momentName, mostShown } from "./balance";
import { ConversationReceipt } from "./conversation";

const mostDays = 30; // that receipts are kept

export function ReceiptsPlace() {
  const { path, query } = route.value;
  const [id] = path;
  const days = query["days"] === "7" ? 7 : mostDays;
  const answer = useAnswer("contexture.receipts", { ...chosenRoot(), days, limit: mostShown }, { changes: memoryChanges });
  return (
    <div class="place receipts">
      <div class="place-head">
        <h1>{t("place.receipts")}</h1>
        <p class="quiet">{t("receipts.about")}</p>
        <div class="place-actions">
          <RootSelect />
          <Choice
            label={t("receipts.days")}
            value={String(days)}
            options={[
              { value: "7", label: t("receipts.days.7") },
              { value: "30", label: t("receipts.days.30") },
            ]}
            onChange={(v) => refine({ days: v === "7" ? v : undefined })}
          />
        </div>
      </div>
      <Answered answer={answer}>
        {(receipts) => {
          const { conversations } = receipts;
          if (!id && !conversations.length) return days < mostDays ? <p class="quiet">{t("receipts.nothingGiven")}</p> : <None />;
          return (
            <>
              {conversations.length > 0 && <Total receipts={receipts} />}
              <Split
                opened={id}
                first={conversations[0]?.conversationId}
                back={{ place: "receipts", query }}
                backLabel={t("place.receipts")}
                label={t("receipts.detail")}
                list={(chosen) => <Conversations receipts={receipts} chosen={chosen} />}
                detail={(of) => <ConversationReceipt id={of} days={days} />}
              />
            </>
          );
        }}
      </Answered>
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

function Total({ receipts: { total, conversations, unseen, moments } }: { receipts: ReceiptsResult }) {
  const seen = conversations.filter((c) => c.seen);
  // Not the total's: it counts the files that were named to conversations of which nothing else is known.
  const [opened, named] = [seen.reduce((n, c) => n + c.opened, 0), seen.reduce((n, c) => n + c.named, 0)];
  return (
    <section class="receipts-total" aria-label={t("receipts.total")}>
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
      <Moments moments={moments} />
      <div class="receipts-notes">
        {unseen > 0 && (
          <p class="receipts-note">
            {t("receipts.unseen", { n: unseen })} <SourcesLink />
          </p>
        )}
        <p class="receipts-note quiet">{t("receipts.how")}</p>
      </div>
    </section>
  );
}

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
          {moments.map((m) => (
            <tr key={m.moment}>
              <th scope="row">{momentName(m.moment)}</th>
              <td class="number">{number(m.times)}</td>
              <td class="number">{t("context.tokens", { n: m.given })}</td>
              <td class="number">{milliseconds(m.milliseconds / m.times)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const rowHeight = 58;

function Conversations({ receipts: { conversations }, chosen }: { receipts: ReceiptsResult; chosen: string | undefined }) {
  const { query } = route.value;
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
              <Row
                href={formatRoute({ place: "receipts", path: [c.conversationId], query })}
                isCurrent={c.conversationId === chosen}
                title={c.title || c.conversationId}
                at={c.at}
                facts={balanceOf(c, c.seen)}
              />
            )
          );
        }}
      />
    </section>
  );
}
