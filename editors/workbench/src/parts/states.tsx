/** What stands where nothing can be shown: nothing there yet, not there at all, or an error. */
import type { ComponentChildren } from "preact";
import { describe, type Answer } from "../answer";
import type { Failure } from "../host/host";
import { t } from "../texts";
import { Button } from "./controls";
import { Icon, type IconName } from "./icon";

interface EmptyProps {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}

/** Says that there is nothing, why, and what to do. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <p class="empty-title">{title}</p>
      {children && <div class="empty-text">{children}</div>}
    </div>
  );
}

export function Loading() {
  return (
    <div class="loading" role="status">
      <span class="unseen">{t("state.loading")}</span>
    </div>
  );
}

/** Says what failed, and asks again on request. */
export function Trouble({ error, retry }: { error: Failure; retry?: () => void }) {
  const unavailable = error.data?.code === "unavailable";
  return (
    <div class="trouble" role="alert">
      <Icon name="warn" />
      <div>
        <p class="trouble-title">{unavailable ? t("state.unavailable") : t("state.failed")}</p>
        <p dir="auto">{describe(error)}</p>
        {retry && <Button icon="refresh" label={t("action.retry")} onClick={retry} />}
      </div>
    </div>
  );
}

interface AnsweredProps<T> {
  answer: Answer<T>;
  children: (value: T) => ComponentChildren;
}

/** Shows an answer: loading at first, trouble where there is no answer, and a note that a newer one waits. */
export function Answered<T>({ answer, children }: AnsweredProps<T>) {
  const { value, error, loading, newer, refresh, show } = answer;
  if (value === undefined) return error ? <Trouble error={error} retry={refresh} /> : loading ? <Loading /> : null;
  return (
    <>
      {error && <Trouble error={error} retry={refresh} />}
      {newer && (
        <div class="newer">
          <Button icon="refresh" label={t("action.showNewer")} onClick={show} />
        </div>
      )}
      {children(value)}
    </>
  );
}
