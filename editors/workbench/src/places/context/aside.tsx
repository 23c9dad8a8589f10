/** Beside the context: what the prompt reminds of, and what the conversation decided and left open. */
import { useAnswer } from "../../answer";
import { openTurn } from "../../parts/turn";
import { memoryChanges } from "../../session";
import { t } from "../../texts";
import { conversation, prompt } from "./state";

const typingRest = 200; // ms; the bundle goes first

export function Aside() {
  const id = conversation.value;
  const reminders = useAnswer("contexture.ticklers", prompt.value.trim() ? { prompt: prompt.value, ...(id ? { conversationId: id } : {}) } : undefined, { changes: memoryChanges, rest: typingRest });
  const arc = useAnswer("contexture.conversation.arc", id ? { conversationId: id, style: "light" } : undefined, { changes: memoryChanges });
  const ticklers = reminders.value?.ticklers ?? [];
  const { decisions = [], openQuestions = [], currentFocus = "" } = arc.value ?? {};
  if (!ticklers.length && !decisions.length && !openQuestions.length && !currentFocus) return null;
  return (
    <aside class="context-aside">
      {currentFocus !== "" && (
        <section>
          <h2>{t("context.focus")}</h2>
          <p dir="auto">{currentFocus}</p>
        </section>
      )}
      <Turns title={t("context.reminders")} turns={ticklers.map((r) => ({ conversationId: r.conversationId, turnId: r.turnId, text: r.summary, note: r.date }))} />
      <Turns title={t("context.decisions")} turns={decisions.map((d) => ({ conversationId: id, turnId: d.turnId, text: d.text }))} />
      <Turns title={t("context.questions")} turns={openQuestions.map((q) => ({ conversationId: id, turnId: q.turnId, text: q.text }))} />
    </aside>
  );
}

interface TurnLine {
  conversationId: string;
  turnId: string;
  text: string;
  note?: string;
}

function Turns({ title, turns }: { title: string; turns: readonly TurnLine[] }) {
  if (!turns.length) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul class="turn-lines">
        {turns.map((line) => (
          <li key={`${line.conversationId} ${line.turnId} ${line.text}`}>
            <button type="button" class="turn-line" onClick={() => openTurn(line.conversationId, line.turnId)}>
              <span dir="auto">{line.text}</span>
              <span class="quiet">
                {line.turnId} {line.note}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
