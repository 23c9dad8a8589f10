/** Writes a rule, a decision, a lesson or a note, or changes one. */
import { useState } from "preact/hooks";
import type { KnowledgeItem } from "../../../../vscode/src/contract.gen";
import { act } from "../../answer";
import { Field, Select } from "../../parts/controls";
import { Dialog } from "../../parts/dialog";
import { chosenRoot } from "../../parts/root";
import { announce } from "../../session";
import { t } from "../../texts";
import { kinds, type Entry, type Kind } from "./entries";

const mostOfRule = 2000; // characters

interface EditProps {
  /** What is changed; none writes something new. */
  entry?: Entry | undefined;
  kind: Kind;
  /** What something new begins with. */
  text?: string;
  onClose: () => void;
  /** Is called with the id of what was stored. */
  onStored: (id: string) => void;
}

export function EditDialog({ entry, kind: first, text: begun = "", onClose, onStored }: EditProps) {
  const [kind, setKind] = useState<Kind>(entry?.kind ?? first);
  const [text, setText] = useState(entry?.text ?? begun);
  const [scope, setScope] = useState(entry?.item?.scope ?? "");
  const [busy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setBusy(true);
    const id = entry?.item ? await change(entry.item, text, scope) : await store(kind, text, scope);
    setBusy(false);
    if (id) onStored(id);
  };
  return (
    <Dialog open title={entry ? t(`rules.edit.${entry.kind}`) : t("rules.addTitle")} confirm={t("action.save")} disabled={busy || !text.trim()} onConfirm={() => void submit()} onClose={onClose}>
      {!entry && <Select label={t("rules.kindLabel")} value={kind} options={kinds.map((k) => ({ value: k, label: t(`rules.kind.${k}`) }))} onChange={setKind} />}
      <Field label={t("rules.text")}>
        {(id) => <textarea id={id} rows={4} autofocus dir="auto" {...(kind === "rule" ? { maxLength: mostOfRule } : {})} placeholder={t(`rules.hint.${kind}`)} value={text} onInput={(e) => setText(e.currentTarget.value)} />}
      </Field>
      <Field label={t("rules.scopeLabel")}>
        {(id) => <input id={id} type="text" dir="ltr" spellcheck={false} value={scope} onInput={(e) => setScope(e.currentTarget.value)} />}
      </Field>
      {entry?.state === "candidate" && <p class="quiet">{t("rules.editAccepts")}</p>}
    </Dialog>
  );
}

/** Returns the beginning of a text's first line, for lists. */
function titleOf(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

async function change(item: KnowledgeItem, text: string, scope: string): Promise<string | undefined> {
  const { id, topics, keywords, sourceTurns } = item;
  const kind = item.kind === "rule" || item.kind === "lesson" ? item.kind : "reference";
  const stored = await act(
    "contexture.knowledge.put",
    {
      ...chosenRoot(), id, kind, title: titleOf(text), content: text.trim(), topics, keywords, sourceTurns,
      ...(item.weight > 0 ? { weight: item.weight } : {}),
      ...(scope.trim() === (item.scope ?? "") ? {} : { scope: scope.trim() }),
    },
    t("rules.changed"),
  );
  return stored?.item.id;
}

async function store(kind: Kind, text: string, scope: string): Promise<string | undefined> {
  const stored = await act("contexture.remember", { ...chosenRoot(), kind, text: text.trim() }, t("rules.stored"));
  if (!stored) return undefined;
  const { item, replaced } = stored;
  if (scope.trim()) await change(item, item.content, scope);
  if (replaced.length) announce(t("rules.storedReplaced", { n: replaced.length }));
  return item.id;
}
