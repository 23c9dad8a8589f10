/** The budget as one bar, a part for each layer and in it one for each item. It points at the layer's parts in the list and the text. */
import type { BundleResult, Layer } from "../../../../vscode/src/contract.gen";
import { number, t } from "../../texts";
import { byHelp } from "./blocks";
import { chosen, chosenIn, lit } from "./state";

export function BudgetBar({ bundle }: { bundle: BundleResult }) {
  const used = bundle.layers.filter((l) => l.used > 0);
  // What no layer is charged with, such as what stands between items, is a part as well: the parts make up the whole.
  const rest = Math.max(0, bundle.budget - bundle.tokens);
  const share = (n: number, of: number): string => `${(100 * n) / Math.max(1, of)}%`;
  const marked = chosenIn(bundle);
  const pointing = (layer: Layer["layer"]) => ({
    onMouseEnter: () => (lit.value = layer),
    onMouseLeave: () => (lit.value = undefined),
    onClick: () => {
      const first = byHelp(bundle.items).find((i) => i.layer === layer);
      if (first) chosen.value = { id: first.id, by: "list" };
    },
  });
  return (
    <section class="budget" aria-label={t("context.byLayer")}>
      <p class="budget-total">
        <strong>{t("context.used", { used: bundle.tokens, budget: bundle.budget })}</strong>
        <span class="quiet">{t("context.unspent", { n: rest })}</span>
      </p>
      <div class="budget-bar" aria-hidden="true">
        {used.map((l) => {
          const before = tokensBefore(bundle, l, marked?.id);
          return (
            <span key={l.layer} class={`${l.layer}${lit.value === l.layer ? " lit" : ""}`} style={{ inlineSize: share(l.used, bundle.budget) }} title={`${t(`layer.${l.layer}`)}: ${number(l.used)}`} {...pointing(l.layer)}>
              {marked?.layer === l.layer && <span class="budget-item" style={{ insetInlineStart: share(before, l.used), inlineSize: share(marked.tokens, l.used) }} />}
            </span>
          );
        })}
      </div>
      <ul class="budget-legend">
        {used.map((l) => (
          <li key={l.layer}>
            <button type="button" class={lit.value === l.layer ? "lit" : ""} onFocus={() => (lit.value = l.layer)} onBlur={() => (lit.value = undefined)} {...pointing(l.layer)}>
              <span class={`swatch ${l.layer}`} aria-hidden="true" />
              <span>{t(`layer.${l.layer}`)}</span>
              <span class="number quiet">{number(l.used)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the tokens of a layer before an item. */
function tokensBefore({ items }: BundleResult, { layer }: Layer, id: string | undefined): number {
  const own = items.filter((i) => i.layer === layer);
  return own.slice(0, own.findIndex((i) => i.id === id)).reduce((sum, i) => sum + i.tokens, 0);
}
