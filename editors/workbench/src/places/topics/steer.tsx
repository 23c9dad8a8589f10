/** What a person does with a topic or an entity: rename, merge, pin, forget. */
import { useState } from "preact/hooks";
import { act } from "../../answer";
import { Field, Select } from "../../parts/controls";
import { Dialog } from "../../parts/dialog";
import { confirmed } from "../../parts/question";
import { chosenRoot } from "../../parts/root";
import { go, route } from "../../route";
import { host, memoryChanges } from "../../session";
import { t } from "../../texts";
import { leave } from "../../undo";

export interface Named {
  id: string;
  label: string;
}

export async function pin({ id, label }: Named, pinned: boolean): Promise<void> {
  await act("contexture.knowledge.steer", { ...chosenRoot(), id, act: pinned ? "pin" : "unpin" }, t(pinned ? "topics.pinned" : "topics.unpinned", { name: label }));
}

export async function merge(from: Named, into: Named): Promise<boolean> {
  const yes = await confirmed({ title: t("topics.mergeQuestion", { name: from.label, into: into.label }), text: t("topics.mergeText", { name: from.label, into: into.label }), action: t("topics.merge") });
  return yes && (await act("contexture.knowledge.steer", { ...chosenRoot(), id: from.id, act: "merge", into: into.id }, t("topics.merged", { name: from.label, into: into.label }))) !== undefined;
}

export function forget({ id, label }: Named): void {
  const args = { ...chosenRoot(), id, act: "forget" as const };
  leave(id, t("topics.forgotten", { name: label }), async () => {
    await host().execute("contexture.knowledge.steer", args);
    memoryChanges.value++;
  });
  go({ place: "topics", query: route.value.query }, "replace");
}

export function RenameDialog({ of, onClose, onDone }: { of: Named; onClose: () => void; onDone: () => void }) {
  const [label, setLabel] = useState(of.label);
  const submit = async (): Promise<void> => {
    if (await act("contexture.knowledge.steer", { ...chosenRoot(), id: of.id, act: "rename", label: label.trim() }, t("topics.renamed", { name: label.trim() }))) onDone();
  };
  return (
    <Dialog open title={t("topics.renameTitle", { name: of.label })} confirm={t("action.save")} disabled={!label.trim() || label.trim() === of.label} onConfirm={() => void submit()} onClose={onClose}>
      <Field label={t("topics.label")}>{(id) => <input id={id} type="text" dir="auto" maxLength={100} value={label} onInput={(e) => setLabel(e.currentTarget.value)} />}</Field>
    </Dialog>
  );
}

export function MergeDialog({ of, others, onClose, onDone }: { of: Named; others: readonly Named[]; onClose: () => void; onDone: (into: Named) => void }) {
  const [id, setId] = useState(others[0]?.id ?? "");
  const into = others.find((o) => o.id === id);
  const submit = async (): Promise<void> => {
    if (into && (await act("contexture.knowledge.steer", { ...chosenRoot(), id: of.id, act: "merge", into: into.id }, t("topics.merged", { name: of.label, into: into.label })))) onDone(into);
  };
  return (
    <Dialog open title={t("topics.mergeTitle", { name: of.label })} confirm={t("topics.merge")} disabled={!into} onConfirm={() => void submit()} onClose={onClose}>
      <Select label={t("topics.mergeInto")} value={id} options={others.map((o) => ({ value: o.id, label: o.label }))} onChange={setId} />
      {into && <p class="quiet">{t("topics.mergeText", { name: of.label, into: into.label })}</p>}
    </Dialog>
  );
}
