/** A turn as a document: its title, who said what, and when. Nothing here shows anything. */
import { l10n } from "vscode";
import { inner, utterances, type Utterance } from "../../workbench/src/parts/talk_text";
import type { TimelineTurn } from "./contract.gen";
import { longTime } from "./when";

/** What a turn is called in a list. An older server does not tell. */
export type Heading = Pick<TimelineTurn, "turnId" | "title"> & Partial<Pick<TimelineTurn, "at">>;

/**
 * Writes a turn as Markdown.
 *
 * @param text is the tagged element that the server answers with
 */
export function turnDocument(text: string, of: Heading, conversationId: string, language: string): string {
  const about = [of.turnId, longTime(of.at, language), conversationId].filter(Boolean).join(" · ");
  return [`# ${of.title || of.turnId}`, about, ...utterances(inner(text)).map(said)].join("\n\n") + "\n";
}

function said({ role, author, text, reasoning, calls }: Utterance): string {
  const who = role && `## ${author ?? roleName(role)}`;
  const thought = reasoning && `> ${[l10n.t("Reasoning"), "", ...reasoning.split("\n")].join("\n> ")}`;
  return [who, thought, text, ...calls.map((call) => `${l10n.t("Tool {0}", call.name)}\n\n${fenced(call.text)}`)].filter(Boolean).join("\n\n");
}

function roleName(role: NonNullable<Utterance["role"]>): string {
  switch (role) {
    case "user":
      return l10n.t("Person");
    case "assistant":
      return l10n.t("Assistant");
    case "system":
      return l10n.t("System");
    case "tool":
      return l10n.t("Tool");
  }
}

/** Code in a fence that it does not close. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
