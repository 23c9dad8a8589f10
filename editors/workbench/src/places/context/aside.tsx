/** Beside the context: what its conversation is about, decided and left open. */
import { useAnswer } from "../../answer";
import { openTurn } from "../../parts/turn";
import { memoryChanges } from "../../session";
import { t } from "../../texts";
import { conversation } from "./state";

export function Aside() {
  const id = conversation.value;
  const arc = useAnswer("contexture.conversation.arc", id ? { conversationId: id, style: "light" } : undefined, { changes: memoryChanges });
  const { decisions = [], openQuestions = [], currentFocus = "" } = arc.value ?? {};
  if (!decisions.length && !openQuestions.length && !currentFocus) return null;
  return (
    <aside class="context-aside">
      {currentFocus !== "" && (
        <section>
          <h2>{t("context.focus")}</h2>
          <p dir="auto">{currentFocus}</p>
        </section>
      )}
      <Turns title={t("context.decisions")} turns={decisions.map((d) => ({ conversationId: id, turnId: d.turnId, text: d.text }))} />
      <Turns title={t("context.questions")} turns={openQuestions.map((q) => ({ conversationId: id, turnId: q.turnId, text: q.text }))} />
    </aside>
  );
}

interface TurnLine {
  conversationId: string;
  turnId: string;
  text: string;
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
              <span class="quiet">{line.turnId}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
