/** Asks for the name of a fork, and makes it. */
import { useEffect, useState } from "preact/hooks";
import { describe } from "../../answer";
import { Field } from "../../parts/controls";
import { Dialog } from "../../parts/dialog";
import { failure } from "../../host/host";
import { go } from "../../route";
import { announce, host } from "../../session";
import { t } from "../../texts";

const mostIds = 50; // ids that are tried

/** Returns the id of the nth fork at a turn. Ids have at most 200 characters. */
export function forkId(id: string, turnId: string, nth: number): string {
  const end = nth > 1 ? `-${turnId}-${nth}` : `-${turnId}`;
  return id.slice(0, 200 - end.length) + end;
}

/** Forks a conversation under the first id that is free. */
async function fork(id: string, turnId: string, title: string): Promise<string> {
  for (let nth = 1; ; nth++) {
    const newConversationId = forkId(id, turnId, nth);
    try {
      await host().execute("contexture.conversation.fork", { conversationId: id, atTurn: turnId, newConversationId });
      if (title) await host().execute("contexture.conversation.append", { conversationId: newConversationId, messages: [], title });
      return newConversationId;
    } catch (thrown) {
      if (failure(thrown)?.data?.code !== "exists" || nth >= mostIds) throw thrown;
    }
  }
}

interface ForkProps {
  id: string;
  title: string;
  /** The last turn that the fork shares; undefined closes the dialog. */
  turnId: string | undefined;
  onClose: () => void;
}

export function ForkDialog({ id, title, turnId, onClose }: ForkProps) {
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (turnId) setName(t("talks.forkName", { name: title, turn: turnId }));
  }, [turnId]);
  const make = async (at: string): Promise<void> => {
    setBusy(true);
    try {
      const made = await fork(id, at, name.trim());
      announce(t("talks.forked", { name: name.trim() || made }));
      onClose();
      go({ place: "conversations", path: [made] });
    } catch (thrown) {
      const error = failure(thrown);
      if (error) announce(describe(error), "failed");
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open={turnId !== undefined} title={t("talks.forkTitle", { turn: turnId ?? "" })} confirm={t("talks.forkConfirm")} disabled={busy} onConfirm={() => turnId && void make(turnId)} onClose={onClose}>
      <p>{t("talks.forkWhat")}</p>
      <Field label={t("talks.forkField")}>{(field) => <input id={field} type="text" dir="auto" maxLength={1000} value={name} onInput={(e) => setName(e.currentTarget.value)} />}</Field>
    </Dialog>
  );
}
