/** Conversations: the list of them, one of them turn by turn, and where they come from. */
import { route } from "../../route";
import { ConversationList } from "./list";
import { ConversationView } from "./conversation";
import { Sources } from "./sources";

export function ConversationsPlace() {
  const { path, query } = route.value;
  const [id] = path;
  if (id) return <ConversationView key={id} id={id} />;
  return query["view"] === "sources" ? <Sources /> : <ConversationList />;
}
