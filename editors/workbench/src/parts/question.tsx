/** The one question before something is destroyed. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Dialog } from "./dialog";

interface Question {
  title: string;
  /** What goes, in the words that people know it by. */
  what?: string;
  /** What else follows from it. */
  text?: string;
  action: string;
  resolve: (answer: boolean) => void;
}

const asked = signal<Question | undefined>(undefined);

/** Asks the person whether to go on with something that cannot be taken back. */
export function confirmed(question: Omit<Question, "resolve">): Promise<boolean> {
  asked.value?.resolve(false);
  return new Promise((resolve) => (asked.value = { ...question, resolve }));
}

/** Shows the question of `confirmed`; stands once in the frame. */
export function Confirmation() {
  const question = asked.value;
  useEffect(() => () => question?.resolve(false), [question]);
  if (!question) return null;
  const answer = (yes: boolean): void => {
    question.resolve(yes);
    if (asked.value === question) asked.value = undefined;
  };
  return (
    <Dialog key={question} open danger title={question.title} confirm={question.action} onConfirm={() => answer(true)} onClose={() => answer(false)}>
      {question.what && (
        <blockquote class="dialog-what" dir="auto">
          {question.what}
        </blockquote>
      )}
      {question.text && <p class="quiet">{question.text}</p>}
    </Dialog>
  );
}
