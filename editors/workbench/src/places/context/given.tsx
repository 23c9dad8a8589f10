/** What a model got for a real prompt, word by word, as far as it is kept. */
import type { PromptReceipt } from "../../../../vscode/src/contract.gen";
import { date, t } from "../../texts";
import { momentName } from "../receipts/balance";

export function hasText(receipt: PromptReceipt | undefined): boolean {
  return receipt?.deliveries.some((d) => d.text) ?? false;
}

export function GivenView({ receipt }: { receipt: PromptReceipt }) {
  return (
    <div class="model-text given" data-scroller tabIndex={0} role="region" aria-label={t("context.viewGiven")}>
      {receipt.deliveries.map((d) => (
        <section key={d.at}>
          <h3>
            {momentName(d.moment)} · <time dateTime={d.at}>{date(d.at, true)}</time> · <span class="number">{t("context.tokens", { n: d.given })}</span>
          </h3>
          {d.text ? <pre dir="auto">{d.text}</pre> : <p class="quiet">{t("context.givenGone")}</p>}
        </section>
      ))}
    </div>
  );
}
