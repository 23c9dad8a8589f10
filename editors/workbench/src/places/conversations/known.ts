/** Conversations that were listed, by their ids: a fork names the others by their ids only. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Conversation } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { memoryChanges } from "../../session";

const known = signal<ReadonlyMap<string, Conversation>>(new Map());

export function noteConversations(list: readonly Conversation[]): void {
  if (list.every((c) => known.value.get(c.id) === c)) return;
  const now = new Map(known.value);
  for (const c of list) now.set(c.id, c);
  known.value = now;
}

/** Drops one that was forgotten. */
export function dropConversation(id: string): void {
  const now = new Map(known.value);
  now.delete(id);
  known.value = now;
}

const looked = 1000; // conversations whose titles are searched

/** Returns what is known of conversations, and looks for those of some ids that are not. */
export function useConversations(ids: readonly string[]): ReadonlyMap<string, Conversation> {
  const list = useAnswer("contexture.conversation.list", ids.every((id) => known.value.has(id)) ? undefined : { limit: looked }, { changes: memoryChanges });
  useEffect(() => {
    if (list.value) noteConversations(list.value.conversations);
  }, [list.value]);
  return known.value;
}
