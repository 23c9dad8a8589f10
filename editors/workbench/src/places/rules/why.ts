/** Why an entry has its state, in the person's language. */
import { t, type Key } from "../../texts";
import type { Entry } from "./entries";

const known: Record<string, Key> = {
  "found in what was said; not confirmed yet": "rules.why.found",
  "said in two conversations or more": "rules.why.repeated",
  accepted: "rules.why.accepted",
  "confirmed by the chat model": "rules.why.model",
  "stored on purpose": "rules.why.stored",
};

export function why(entry: Entry): string {
  if (entry.replacedBy) return t("rules.why.replaced");
  const reason = entry.item?.why;
  if (!reason) return entry.state === "replaced" ? t("rules.why.replacedSomewhere") : t("rules.why.said");
  const key = known[reason];
  return key ? t(key) : reason;
}
