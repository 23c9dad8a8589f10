/** Why an entry has its state, in the person's language. */
import { t } from "../../texts";
import type { Entry } from "./entries";

export function why({ item, state, replacedBy }: Entry): string {
  if (replacedBy) return t("rules.why.replaced");
  return t(item ? `rules.why.${item.cause}` : state === "replaced" ? "rules.why.replacedSomewhere" : "rules.why.said");
}
