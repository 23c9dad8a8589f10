/** Asks before a conversation is forgotten, and says what that does. */
import { act } from "../../answer";
import { Dialog } from "../../parts/dialog";
import { go } from "../../route";
import { memoryChanges } from "../../session";
import { t } from "../../texts";
import { conversation } from "../context/state";
import { dropVisits } from "../../visits";
import { dropConversation } from "./known";
import { dropTexts } from "./turn";

interface ForgetProps {
  id: string;
  title: string;
  turns: number;
  forks: number;
  open: boolean;
  onClose: () => void;
}

const drawn = 60; // ms until the list is there

export function ForgetDialog({ id, title, turns, forks, open, onClose }: ForgetProps) {
  const forget = async (): Promise<void> => {
    const done = await act("contexture.conversation.delete", { conversationId: id, wipe: true }, t("talks.forgotten", { name: title }));
    onClose();
    if (!done) return;
    dropConversation(id);
    dropTexts();
    dropVisits("conversations", id);
    memoryChanges.value++; // what other places show of it is asked for again
    if (conversation.value === id) conversation.value = "";
    go({ place: "conversations" }, "replace");
    // The button that was pressed goes with the conversation, after the dialog has given the keyboard back to it.
    setTimeout(() => document.getElementById("content")?.focus(), drawn);
  };
  return (
    <Dialog open={open} danger title={t("talks.forgetTitle", { name: title })} confirm={t("talks.forgetConfirm")} onConfirm={() => void forget()} onClose={onClose}>
      <div>
        <p>{t("talks.forgetWhat", { n: turns })}</p>
        {forks > 0 && <p>{t("talks.forgetForks", { n: forks })}</p>}
      </div>
    </Dialog>
  );
}
