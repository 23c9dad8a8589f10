/** What a person could do about the topics: merge two that are one, write down what is asked again and again. */
import { useState } from "preact/hooks";
import type { Recommendation } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { Button } from "../../parts/controls";
import { Icon } from "../../parts/icon";
import { Quote } from "../../parts/quote";
import { chosenRoot } from "../../parts/root";
import { memoryChanges } from "../../session";
import { t } from "../../texts";
import { EditDialog } from "../rules/edit";
import { merge, pin } from "./steer";
import { mergeOf, type Subject } from "./subjects";

export function TopicAdvice({ subjects }: { subjects: readonly Subject[] }) {
  const answer = useAnswer("contexture.knowledge.recommendations", chosenRoot(), { changes: memoryChanges });
  const [open, setOpen] = useState(false);
  const [writing, setWriting] = useState<string | undefined>(undefined);
  const advice = (answer.value?.recommendations ?? []).filter((r) => r.kind === "document" || r.kind === "reference" || mergeOf(r, subjects));
  if (!advice.length) return null;
  return (
    <section class="topic-advice">
      <h2>
        <button type="button" class="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="chevron" />
          <span>{t("topics.advice", { n: advice.length })}</span>
        </button>
      </h2>
      {open && (
        <ul>
          {advice.map((r) => (
            <AdviceRow key={`${r.kind} ${r.topic} ${r.command.join(" ")}`} r={r} subjects={subjects} refresh={answer.refresh} write={() => setWriting(r.topic)} />
          ))}
        </ul>
      )}
      {writing !== undefined && (
        <EditDialog
          kind="note"
          text={`${writing}: `}
          onClose={() => setWriting(undefined)}
          onStored={() => {
            setWriting(undefined);
            answer.refresh();
          }}
        />
      )}
    </section>
  );
}

function AdviceRow({ r, subjects, refresh, write }: { r: Recommendation; subjects: readonly Subject[]; refresh: () => void; write: () => void }) {
  const both = mergeOf(r, subjects);
  const topic = subjects.find((s) => s.label === r.topic);
  return (
    <li>
      <details class="profile-item">
        <summary dir="auto">{both ? t("topics.adviceMerge", { name: both.from.label, into: both.into.label }) : t(r.kind === "reference" ? "topics.adviceReference" : "topics.adviceDocument", { n: r.evidence.length, name: r.topic })}</summary>
        {r.quotations.map((q) => (
          <Quote key={`${q.conversationId} ${q.turnId} ${q.text}`} quotation={q} />
        ))}
      </details>
      {both ? (
        <Button icon="fork" label={t("topics.merge")} name={t("topics.adviceMerge", { name: both.from.label, into: both.into.label })} onClick={() => void merge(both.from, both.into).then(refresh)} />
      ) : r.kind === "reference" && topic ? (
        <Button icon="pin" label={t("topics.pin")} name={`${t("topics.pin")}: ${r.topic}`} onClick={() => void pin(topic, true).then(refresh)} />
      ) : (
        <Button icon="edit" label={t("topics.write")} name={`${t("topics.write")}: ${r.topic}`} onClick={write} />
      )}
    </li>
  );
}
