/** The budget as one bar, a part for each layer. */
import type { BundleResult } from "../../../../vscode/src/contract.gen";
import { number, t } from "../../texts";

export function BudgetBar({ bundle }: { bundle: BundleResult }) {
  const used = bundle.layers.filter((l) => l.used > 0);
  // What no layer is charged with, such as what stands between items, is a part as well: the parts make up the whole.
  const rest = Math.max(0, bundle.budget - bundle.tokens);
  const share = (n: number): string => `${(100 * n) / Math.max(1, bundle.budget)}%`;
  return (
    <section class="budget" aria-label={t("context.byLayer")}>
      <p class="budget-total">
        <strong>{t("context.used", { used: bundle.tokens, budget: bundle.budget })}</strong>
        <span class="quiet">{t("context.unspent", { n: rest })}</span>
      </p>
      <div class="budget-bar" aria-hidden="true">
        {used.map((l) => (
          <span key={l.layer} class={l.layer} style={{ inlineSize: share(l.used) }} title={`${t(`layer.${l.layer}`)}: ${number(l.used)}`} />
        ))}
      </div>
      <ul class="budget-legend">
        {used.map((l) => (
          <li key={l.layer}>
            <span class={`swatch ${l.layer}`} aria-hidden="true" />
            <span>{t(`layer.${l.layer}`)}</span>
            <span class="number quiet">{number(l.used)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
