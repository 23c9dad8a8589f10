/** What was given, always with what it spared, or that this is not known. */
import type { Receipt } from "../../../../vscode/src/contract.gen";
import { signed, t } from "../../texts";

/** The most conversations, and the most prompts of one, that are shown: the contract's limit. */
export const mostShown = 200;

const momentNames = ["atStart", "beforePrompt", "beforeEdit", "afterFailure", "beforeSubagent", "afterCompaction", "asked"] as const;

export function momentName(moment: string): string {
  const name = momentNames.find((n) => n === moment);
  return name ? t(`receipts.moment.${name}`) : moment;
}

/** Returns the parts of a balance. Nothing but what was given is known of a conversation whose log is not in memory. */
export function balanceOf({ given, spared }: Pick<Receipt, "given" | "spared">, isKnown: boolean): string[] {
  const cost = t("receipts.given", { n: given });
  return isKnown ? [cost, t("receipts.spared", { n: spared }), t("receipts.net", { net: signed(spared - given) })] : [cost, t("receipts.unknown")];
}

export function Balance({ of, isKnown }: { of: Receipt; isKnown: boolean }) {
  return (
    <span class="row-facts">
      {balanceOf(of, isKnown).map((part) => (
        <span key={part}>{part}</span>
      ))}
    </span>
  );
}
