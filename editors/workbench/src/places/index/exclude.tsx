/** Keeps a folder or a pattern out of the index. */
import { useState } from "preact/hooks";
import { act } from "../../answer";
import { Field } from "../../parts/controls";
import { Dialog } from "../../parts/dialog";
import { chosenRoot } from "../../parts/root";
import { t } from "../../texts";

export function ExcludeDialog({ pattern: first, onClose }: { pattern: string; onClose: () => void }) {
  const [pattern, setPattern] = useState(first);
  const [busy, setBusy] = useState(false);
  const exclude = async (): Promise<void> => {
    setBusy(true);
    const args = { ...chosenRoot(), pattern: pattern.trim() };
    const done = await act("contexture.index.exclude", args, t("index.excluded", { pattern: args.pattern }), () => act("contexture.index.exclude", { ...args, remove: true }, t("index.included", { pattern: args.pattern })));
    setBusy(false);
    if (done) onClose();
  };
  return (
    <Dialog open title={t("index.excludeTitle")} confirm={t("index.exclude")} disabled={busy || !pattern.trim()} onConfirm={() => void exclude()} onClose={onClose}>
      <Field label={t("index.pattern")}>
        {(id) => <input id={id} type="text" dir="ltr" spellcheck={false} autofocus placeholder={t("index.patternHint")} value={pattern} onInput={(e) => setPattern(e.currentTarget.value)} />}
      </Field>
      <p class="quiet">{t("index.excludeText")}</p>
    </Dialog>
  );
}
