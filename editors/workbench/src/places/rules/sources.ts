/** What the place of rules is made of, asked again when the memory changes. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Decision } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { chosenRoot } from "../../parts/root";
import { host, memoryChanges } from "../../session";
import { entriesOf, type Entry } from "./entries";

const mostFresh = 12; // conversations that the learning has not read yet

interface Fresh {
  conversationId: string;
  at: string;
  decisions: readonly Decision[];
}

/** Decisions of the conversations that went on since the learning ran last: episodes do not tell of those yet. */
function useFresh(workspace: string | undefined): readonly Fresh[] {
  const root = workspace ? { workspace } : {};
  const status = useAnswer("contexture.knowledge.status", root, { changes: memoryChanges });
  const list = useAnswer("contexture.conversation.list", { ...root, limit: mostFresh }, { changes: memoryChanges });
  const [fresh, setFresh] = useState<readonly Fresh[]>([]);
  const lastRun = status.value?.lastRunAt ?? "";
  const ids = status.value && list.value ? list.value.conversations.filter((c) => c.lastAt > lastRun).map((c) => [c.id, c.lastAt] as const) : [];
  const key = JSON.stringify(ids);
  useEffect(() => {
    const abort = new AbortController();
    const arcs = ids.map(async ([conversationId, at]): Promise<Fresh> => {
      const { decisions } = await host().execute("contexture.conversation.arc", { ...root, conversationId, style: "light" }, abort.signal);
      return { conversationId, at, decisions };
    });
    Promise.allSettled(arcs)
      .then((all) => {
        if (!abort.signal.aborted) setFresh(all.flatMap((a) => (a.status === "fulfilled" ? [a.value] : []))); // a conversation that is gone has no decisions
      })
      .catch(() => undefined);
    return () => abort.abort();
  }, [key]);
  return fresh;
}

export function useEntries() {
  const root = chosenRoot();
  const items = useAnswer("contexture.knowledge.list", { ...root, superseded: true }, { changes: memoryChanges });
  const episodes = useAnswer("contexture.knowledge.list", { ...root, kind: "episode", superseded: true }, { changes: memoryChanges });
  const advice = useAnswer("contexture.knowledge.recommendations", root, { changes: memoryChanges });
  const fresh = useFresh(root.workspace);
  const entries = useMemo<readonly Entry[]>(
    () =>
      items.value
        ? entriesOf({ items: items.value.items, episodes: episodes.value?.items ?? [], fresh, recommendations: advice.value?.recommendations ?? [] })
        : [],
    [items.value, episodes.value, advice.value, fresh],
  );
  const refresh = (): void => {
    items.refresh();
    advice.refresh();
  };
  return { answer: items, entries, refresh };
}

const leastQuery = 3; // characters

/** Turns with decisions that are about a query, whatever words they have. */
export function useFound(query: string): ReadonlySet<string> {
  const wanted = query.trim().length >= leastQuery;
  const answer = useAnswer("contexture.recall", wanted ? { ...chosenRoot(), query: query.trim(), memoryType: "decision" } : undefined, { rest: 200 });
  return useMemo(
    () => new Set(wanted ? (answer.value?.items ?? []).flatMap((i) => (i.kind === "turn" && i.score >= leastScore && i.conversationId && i.turnId ? [`${i.conversationId} ${i.turnId}`] : [])) : []),
    [answer.value, wanted],
  );
}
const leastScore = 0.2; // below, a turn has little to do with the query
