/** What changed against the bundle before. */
import type { BundleResult, Item } from "../../../../vscode/src/contract.gen";
import { Empty } from "../../parts/states";
import { t, type Key } from "../../texts";
import { difference, previous } from "./state";

export function DifferenceView({ bundle }: { bundle: BundleResult }) {
  const before = previous.value;
  if (!before) return <Empty icon="context" title={t("context.differenceNone")} />;
  const { added, removed, resized } = difference(before, bundle);
  return (
    <div class="difference">
      <p>{t("context.differenceTokens", { before: before.tokens, after: bundle.tokens })}</p>
      {!added.length && !removed.length && !resized.length && <p>{t("context.differenceSame")}</p>}
      <Part title="context.added" sign="+" items={added} />
      <Part title="context.removed" sign="−" items={removed} />
      {resized.length > 0 && (
        <section>
          <h2>{t("context.resized")}</h2>
          <ul>
            {resized.map(({ item, before: was }) => (
              <li key={item.id}>
                <span dir="auto">{item.title}</span> <span class="number quiet">{t("context.differenceTokens", { before: was, after: item.tokens })}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Part({ title, sign, items }: { title: Key; sign: string; items: readonly Item[] }) {
  if (!items.length) return null;
  return (
    <section class={sign === "+" ? "added" : "removed"}>
      <h2>{t(title)}</h2>
      <ul>
        {items.map((i) => (
          <li key={i.id}>
            <span class="sign" aria-hidden="true">
              {sign}
            </span>
            <span dir="auto">{i.title}</span> <span class="number quiet">{t("context.tokens", { n: i.tokens })}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
