/** Asks before a conversation is forgotten, and says what that does. */
import { act } from "../../answer";
import { Button } from "../../parts/controls";
import { Dialog } from "../../parts/dialog";
import { go } from "../../route";
import { announce, host } from "../../session";
import { t } from "../../texts";
import { conversation } from "../context/state";
import { dropConversation } from "./known";

interface ForgetProps {
  id: string;
  title: string;
  turns: number;
  forks: number;
  open: boolean;
  onClose: () => void;
}

const drawn = 60; // ms until the list is there

/** Writes a word for a shell: as it is, or in quotes. */
export function quoted(word: string): string {
  return /^[\w./:@+-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
}

/** The command that leaves no byte of a conversation. */
export function wipeCommand(id: string): string {
  return `contexture memory forget --conversation ${quoted(id)}`;
}

export function ForgetDialog({ id, title, turns, forks, open, onClose }: ForgetProps) {
  const forget = async (): Promise<void> => {
    const done = await act("contexture.conversation.delete", { conversationId: id }, t("talks.forgotten", { name: title }));
    onClose();
    if (!done) return;
    dropConversation(id);
    if (conversation.value === id) conversation.value = "";
    go({ place: "conversations" }, "replace");
    // The button that was pressed goes with the conversation, after the dialog has given the keyboard back to it.
    setTimeout(() => document.getElementById("content")?.focus(), drawn);
  };
  const command = wipeCommand(id);
  const copy = (): void => {
    host()
      .copy(command)
      .then(() => announce(t("done.copied")))
      .catch((error: unknown) => announce(error instanceof Error ? error.message : String(error), "failed"));
  };
  return (
    <Dialog open={open} danger title={t("talks.forgetTitle", { name: title })} confirm={t("talks.forgetConfirm")} onConfirm={() => void forget()} onClose={onClose}>
      <div>
        <p>{t("talks.forgetWhat", { n: turns })}</p>
        {forks > 0 && <p>{t("talks.forgetForks", { n: forks })}</p>}
        <p>{t("talks.forgetBytes")}</p>
      </div>
      <div class="shell">
        <code dir="ltr">{command}</code>
        <Button icon="copy" iconOnly label={t("talks.copyCommand")} onClick={copy} />
      </div>
    </Dialog>
  );
}
