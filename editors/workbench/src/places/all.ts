/** The places by their names. */
import type { ComponentType } from "preact";
import type { Place } from "../route";
import { ContextPlace } from "./context/place";
import { ConversationsPlace } from "./conversations/place";
import { IndexPlace } from "./index/place";
import { ReceiptsPlace } from "./receipts/place";
import { RulesPlace } from "./rules/place";
import { SearchPlace } from "./search/place";
import { TopicsPlace } from "./topics/place";

export const placeOf: Record<Place, ComponentType> = {
  context: ContextPlace,
  search: SearchPlace,
  conversations: ConversationsPlace,
  rules: RulesPlace,
  topics: TopicsPlace,
  receipts: ReceiptsPlace,
  index: IndexPlace,
};
