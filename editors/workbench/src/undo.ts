/** What can be taken back for a while: it looks done at once, and is done when the time is over or the page is left. */
import { signal } from "@preact/signals";
import { describe } from "./answer";
import { failure } from "./host/host";
import { announce, announcement } from "./session";

/** How long something can be taken back, in milliseconds. */
export const undoFor = 8000;

interface Pending {
  id: string;
  run: () => Promise<unknown>;
  timer: ReturnType<typeof setTimeout>;
}

const pending = signal<readonly Pending[]>([]);
let follows = false;

/** Reports whether what has an id is as good as gone: what lists it leaves it out. */
export function isLeaving(id: string): boolean {
  return pending.value.some((p) => p.id === id);
}

/**
 * Does something in a while, unless it is taken back.
 *
 * @param id of what leaves
 * @param done says what was done, as it looks done already
 * @param run must be safe to call while the page ends
 */
export function leave(id: string, done: string, run: () => Promise<unknown>): void {
  if (isLeaving(id)) return;
  const own: Pending = { id, run, timer: setTimeout(() => void finish(own), undoFor) };
  pending.value = [...pending.value, own];
  if (!follows) window.addEventListener("pagehide", () => pending.value.forEach((p) => void finish(p)));
  follows = true;
  announce(done, "done", () => {
    clearTimeout(own.timer);
    pending.value = pending.value.filter((p) => p !== own);
    announcement.value = undefined;
  });
}

const listedFor = 5000; // ms until every list has asked again

async function finish(own: Pending): Promise<void> {
  clearTimeout(own.timer);
  const list = (): void => void (pending.value = pending.value.filter((p) => p !== own));
  try {
    await own.run();
    setTimeout(list, listedFor);
  } catch (thrown) {
    list();
    const error = failure(thrown);
    if (error) announce(describe(error), "failed");
  }
}
