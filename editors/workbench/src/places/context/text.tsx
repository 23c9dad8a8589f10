/** What the model gets, as it is. */
import { useMemo } from "preact/hooks";
import type { BundleResult } from "../../../../vscode/src/contract.gen";
import { VirtualList } from "../../parts/virtual";
import { t } from "../../texts";

export function TextView({ bundle }: { bundle: BundleResult }) {
  const lines = useMemo(() => (bundle.text ?? "").split("\n"), [bundle.text]);
  return (
    <div class="model-text">
      <VirtualList count={lines.length} estimate={20} label={t("context.viewText")} keyOf={String} row={(i) => <code dir="auto">{lines[i] || " "}</code>} />
    </div>
  );
}
