/** How the learning stands, and a way to have it run now. */
import { useState } from "preact/hooks";
import { act, useAnswer } from "../../answer";
import { useActions } from "../../keys";
import { Button } from "../../parts/controls";
import { chosenRoot } from "../../parts/root";
import { learning, memoryChanges } from "../../session";
import { ago, percent, t } from "../../texts";

export function LearningLine() {
  const { value } = useAnswer("contexture.knowledge.status", chosenRoot(), { changes: memoryChanges });
  const [asked, setAsked] = useState(false);
  const run = async (): Promise<void> => {
    setAsked(true);
    await act("contexture.knowledge.process", chosenRoot(), t("topics.learned"));
    memoryChanges.value++;
    setAsked(false);
  };
  const learns = { label: t("topics.learn"), keys: ["L"], icon: "refresh" as const };
  useActions([{ ...learns, run: () => void run() }]);
  if (!value) return null;
  const progress = learning.value?.progress;
  const { coverage } = value;
  return (
    <div class="learning">
      <p class="quiet">
        {progress ? t("status.learning", { share: percent(progress.share) }) : value.lastRunAt ? t("topics.lastRun", { when: ago(value.lastRunAt) }) : t("topics.neverRun")}
        {!progress && value.state === "waiting" && ` · ${t("topics.waiting")}`}
        {!progress && coverage && coverage.questions > 0 && ` · ${t("topics.coverage", { n: coverage.questions, answered: coverage.answered })}`}
      </p>
      {progress ? <progress max={1} value={progress.share} aria-label={t("status.learning", { share: percent(progress.share) })} /> : <Button {...learns} disabled={asked} onClick={() => void run()} />}
      {value.problem && (
        <p class="learning-problem" dir="auto">
          {value.problem}
        </p>
      )}
    </div>
  );
}
