/** Copies a bundle in the form that is chosen. */
import type { BundleResult } from "../../../../vscode/src/contract.gen";
import { Button } from "../../parts/controls";
import { announce, host } from "../../session";
import { t } from "../../texts";
import { write, type Form } from "./copy";

export function CopyAs({ bundle }: { bundle: BundleResult }) {
  const forms: [Form, string][] = [
    ["text", t("context.copyText")],
    ["markdown", t("context.copyMarkdown")],
    ["xml", t("context.copyXML")],
  ];
  return (
    <div class="copy-as" role="group" aria-label={t("context.copyAs")}>
      <span class="quiet" aria-hidden="true">
        {t("context.copyAs")}
      </span>
      {forms.map(([form, label]) => (
        <Button key={form} label={label} name={`${t("context.copyAs")} ${label}`} onClick={() => void copyAs(bundle, form)} />
      ))}
    </div>
  );
}

export async function copyAs(bundle: BundleResult, form: Form): Promise<void> {
  try {
    await host().copy(write(bundle, form));
    announce(t("done.copied"));
  } catch (error) {
    announce(error instanceof Error ? error.message : String(error), "failed");
  }
}
