/** Switches sources, and brings in their earlier conversations. */
import type { CaptureImportResult } from "../../../../vscode/src/contract.gen";
import { act, describe } from "../../answer";
import { failure } from "../../host/host";
import { announce, host } from "../../session";
import { t } from "../../texts";
import { sourceName } from "./names";

/** Returns whether it was switched. */
export async function switchSource(source: string, on: boolean): Promise<boolean> {
  return (await act("contexture.capture.set", { source, on }, t(on ? "sources.switchedOn" : "sources.switchedOff", { name: sourceName(source) }))) !== undefined;
}

/** Returns the beginning of a day, `2026-10-31`, where the person is; undefined for none. */
export function beginningOf(day: string): string | undefined {
  const at = day ? new Date(`${day}T00:00:00`) : undefined;
  return at && !Number.isNaN(at.getTime()) ? at.toISOString() : undefined;
}

/** Reads the logs of a source that changed since a day, and announces the result. */
export async function bringIn(source: string, day: string): Promise<void> {
  const since = beginningOf(day);
  try {
    const { sources } = await host().execute("contexture.capture.import", { sources: [source], ...(since ? { since } : {}) });
    const { text, failed } = outcome(sources);
    announce(text, failed ? "failed" : "done");
  } catch (thrown) {
    const error = failure(thrown);
    if (error) announce(describe(error), "failed");
  }
}

/** Says what an import brought. */
export function outcome(sources: CaptureImportResult["sources"]): { text: string; failed: boolean } {
  const sum = (of: (s: CaptureImportResult["sources"][number]) => number): number => sources.reduce((all, s) => all + of(s), 0);
  const [errors, messages, logs] = [sum((s) => s.errors.length), sum((s) => s.messages), sum((s) => s.logs)];
  const came = t("sources.imported", { messages: t("sources.messages", { n: messages }), logs: t("sources.logs", { n: logs }) });
  return { text: errors ? `${came} ${t("sources.errors", { n: errors })}` : came, failed: errors > 0 };
}
