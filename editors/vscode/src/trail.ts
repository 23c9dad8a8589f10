/** Where a person has been, and when it is worth telling: no part of it knows VS Code. */
import type { PresenceArgs } from "./contract.gen";

/** Times in milliseconds. */
export const limits = {
  /** Between two reports, at least. */
  between: 3000,
  /** Without a sign of the person until they count as idle. */
  idle: 60_000,
  /** Places that are remembered. */
  visits: 20,
  /** Conversations that are remembered. */
  conversations: 4,
};

export class Trail {
  private readonly visits: { path: string; at: number }[] = [];
  private conversations: string[] = [];
  private document: string | undefined;
  private seen = 0;
  private reported = Number.NEGATIVE_INFINITY;
  private changed = false;
  private idleSince: number | undefined;

  /** The person is in a document; undefined for none of the workspace. */
  visit(uri: string | undefined, now: number): void {
    this.sign(now);
    if (uri === this.document) return;
    this.document = uri;
    this.changed = true;
    if (uri === undefined) return;
    this.visits.push({ path: uri, at: now });
    if (this.visits.length > limits.visits) this.visits.shift();
  }

  /** The person speaks in a conversation. */
  speak(conversationId: string, now: number): void {
    this.sign(now);
    if (this.conversations[0] === conversationId) return;
    this.conversations = [conversationId, ...this.conversations.filter((id) => id !== conversationId)].slice(0, limits.conversations);
    this.changed = true;
  }

  /** The person does something. */
  sign(now: number): void {
    this.seen = now;
    if (this.idleSince !== undefined) {
      this.idleSince = undefined;
      this.changed = true;
    }
  }

  /** In how many milliseconds there may be something to report. */
  wait(now: number): number {
    if (this.changed) return Math.max(0, this.reported + limits.between - now);
    return this.idleSince === undefined ? Math.max(0, this.seen + limits.idle - now) : Number.POSITIVE_INFINITY;
  }

  /** What is to be reported now; undefined for nothing. */
  report(now: number): PresenceArgs | undefined {
    if (this.idleSince === undefined && now - this.seen >= limits.idle) {
      this.idleSince = this.seen;
      this.changed = true;
    }
    if (!this.changed || now - this.reported < limits.between) return undefined;
    this.changed = false;
    this.reported = now;
    const [active, ...others] = this.conversations;
    return {
      ...(active === undefined ? {} : { activeConversationId: active, visibleConversationIds: others }),
      ...(this.document === undefined ? {} : { activeDocument: this.document }),
      ...(this.idleSince === undefined ? {} : { idleSince: new Date(this.idleSince).toISOString() }),
      navigation: this.visits.map(({ path, at }) => ({ path, at: new Date(at).toISOString() })),
      localTime: local(new Date(now)),
    };
  }
}

/** A time with the offset that it has here. */
export function local(at: Date): string {
  const minutes = -at.getTimezoneOffset();
  const two = (n: number): string => String(Math.floor(n)).padStart(2, "0");
  const offset = `${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
  return new Date(at.getTime() + minutes * 60_000).toISOString().replace("Z", offset);
}
