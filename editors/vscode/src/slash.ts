/** The commands of `@contexture` in the chat. They ask the server alone: no model is needed, and nothing is stored. */
import * as vscode from "vscode";
import { placeFor } from "./attached";
import type { BundleResult, Item, KnowledgeItem, RecallResult, SearchResult } from "./contract.gen";
import { isOpenable, isSetting, openableRule, placeOf, whyText } from "./ignore";
import { spanText } from "./modeltext";
import type { Server } from "./server";
import { turnUri } from "./turns";
import { grouped } from "./views/rules";
import { oneLine, quoted } from "./views/tree";

/** What a command works with. */
interface Question {
  server: Server;
  request: vscode.ChatRequest;
  stream: vscode.ChatResponseStream;
  token: vscode.CancellationToken;
  /** What the model was given for the last answer of this chat; undefined where there is none. */
  last: Given | undefined;
}

type Origin = Pick<Item, "title" | "uri" | "range" | "conversationId" | "turnId">;

/** What a model is given for a prompt. VS Code stores it with the chat. */
export interface Given {
  items: (Origin & Pick<Item, "reason" | "tokens">)[];
  tokens: number;
  budget: number;
  leftOut: number;
  /** The tokens of what the person attached. */
  attached: number;
}

/** What a model is given with a bundle, beside what was attached. */
export function given({ items, tokens, budget, dropped }: BundleResult, attached?: { tokens: number }): Given {
  const shown = items.filter(({ kind }) => kind !== "prompt");
  return {
    items: shown.map(({ title, uri, range, conversationId, turnId, reason, tokens: of }) => ({ title, reason, tokens: of, ...(uri && { uri }), ...(range && { range }), ...(conversationId && { conversationId }), ...(turnId && { turnId }) })),
    tokens, budget, leftOut: dropped.length, attached: attached?.tokens ?? 0,
  };
}

/** The items that an answer names; the rest is counted. */
const mostNamed = 6;

/** Writes what a model was given, with a chip for each item where the answer does not list them. */
export function receipt(stream: vscode.ChatResponseStream, { items, tokens, budget, leftOut, attached }: Given, isListed = false): void {
  const parts = [
    vscode.l10n.t("{0} of {1} tokens", tokens, budget),
    items.length === 1 ? vscode.l10n.t("1 item") : vscode.l10n.t("{0} items", items.length),
    attached > 0 && vscode.l10n.t("{0} tokens attached by you", attached),
    leftOut > 0 && vscode.l10n.t("{0} left out", leftOut),
  ];
  stream.markdown(`*${parts.filter(Boolean).join(" · ")}* `);
  for (const at of isListed ? [] : unique(items).slice(0, mostNamed)) {
    stream.markdown(" ");
    stream.anchor(at);
  }
  stream.markdown("\n\n");
}

type Answer = (question: Question) => Promise<void>;

/** The conversations whose decisions `/decisions` shows. */
const latestConversations = 5;

const answers: Record<string, Answer> = { context, search, recall, decisions, rules, why };

/** Answers one of the commands. */
export async function answerSlash(command: string, question: Question): Promise<void> {
  const answer = answers[command];
  if (!answer) throw new Error(vscode.l10n.t("There is no command /{0}.", command));
  await answer(question);
}

async function ask<R>({ server, token }: Question, command: Parameters<Server["execute"]>[0], args: object): Promise<R> {
  return (await server.execute(command, args, token)) as R;
}

/** The prompt of a command that needs one. */
function needed({ request }: Question, example: string): string {
  const prompt = request.prompt.trim();
  if (!prompt) throw new Error(vscode.l10n.t("Add what to look for, such as `{0}`.", example));
  return prompt;
}

/** Where an item or a hit comes from; undefined for nowhere that can be opened. */
function placeIn({ uri, range, conversationId, turnId }: Omit<Origin, "title">): vscode.Uri | vscode.Location | undefined {
  if (!uri?.startsWith("file:")) return conversationId && turnId ? turnUri(conversationId, turnId) : undefined;
  const file = vscode.Uri.parse(uri);
  return range ? new vscode.Location(file, new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character)) : file;
}

/** Writes a link to where an item or a hit comes from; its title alone where that is nowhere. */
function source(stream: vscode.ChatResponseStream, of: Origin): void {
  const [title, at] = [oneLine(of.title, 100), placeIn(of)];
  if (at) stream.anchor(at, title);
  else stream.markdown(`**${quoted(title)}**`);
}

/** Adds the places and turns of an answer to what it used. */
export function refer(stream: vscode.ChatResponseStream, items: readonly Omit<Origin, "title">[]): void {
  for (const at of unique(items)) stream.reference(at);
}

/** The places and turns of items, each once. */
function unique(items: readonly Omit<Origin, "title">[]): (vscode.Uri | vscode.Location)[] {
  const places = items.flatMap((of) => placeIn(of) ?? []);
  return [...new Map(places.map((at) => [at instanceof vscode.Location ? `${at.uri.toString()}#${at.range.start.line}` : at.toString(), at])).values()];
}

/** What the model would get with a prompt, or what it got with the last one, and why. */
async function context(question: Question): Promise<void> {
  const { stream, request, server, last } = question;
  const prompt = last && !request.prompt.trim() ? undefined : needed(question, vscode.l10n.t("/context where are payments retried?"));
  if (prompt !== undefined) stream.progress(vscode.l10n.t("Gathering context"));
  const shown = prompt === undefined ? last : given(await ask<BundleResult>(question, "contexture.bundle", { ...placeFor(server, request.references), prompt, includeText: false }));
  if (!shown) return;
  refer(stream, shown.items);
  if (shown.items.length === 0) stream.markdown(vscode.l10n.t("Nothing concerns this prompt."));
  for (const item of shown.items) {
    stream.markdown("\n- ");
    source(stream, item);
    stream.markdown(` — ${quoted(item.reason)} · ${vscode.l10n.t("{0} tokens", item.tokens)}`);
  }
  stream.markdown("\n\n");
  receipt(stream, shown, true);
  stream.button({ command: "contexture.showPanel", title: vscode.l10n.t("Show the context of a prompt") });
}

async function search(question: Question): Promise<void> {
  const { stream } = question;
  const query = needed(question, vscode.l10n.t("/search retryPayment"));
  const { hits } = await ask<SearchResult>(question, "contexture.search", { query, limit: 10 });
  refer(stream, hits);
  if (hits.length === 0) stream.markdown(vscode.l10n.t("Nothing was found for “{0}”.", quoted(query)));
  for (const hit of hits) {
    stream.markdown("\n- ");
    source(stream, hit);
    const [first = ""] = hit.snippet.trim().split("\n");
    if (first && first !== hit.title) stream.markdown(` — ${quoted(oneLine(first, 120))}`);
  }
}

async function recall(question: Question): Promise<void> {
  const query = needed(question, vscode.l10n.t("/recall payment retries"));
  recalled(question, await ask<RecallResult>(question, "contexture.recall", { query, memoryType: "memory" }));
}

function recalled({ stream }: Question, { items, text }: RecallResult): void {
  refer(stream, items);
  if (items.length === 0) stream.markdown(quoted(text));
  for (const item of items) {
    stream.markdown("\n- ");
    source(stream, item);
    const said = oneLine(spanText(text, item.span), 300);
    stream.markdown(said ? `  \n  ${quoted(said)}` : ` — ${quoted(item.reason)}`);
  }
}

async function decisions(question: Question): Promise<void> {
  const { request, server, stream } = question;
  const query = request.prompt.trim();
  if (query) {
    recalled(question, await ask<RecallResult>(question, "contexture.recall", { query, memoryType: "decision" }));
    return;
  }
  const { items } = await server.contract.knowledgeList({ kind: "reference" });
  const stored = items.filter(({ label }) => label === "decision");
  for (const item of stored) stream.markdown(`\n- ${quoted(oneLine(item.content || item.title, 300))}`);
  let found = stored.length;
  const { conversations } = await server.contract.conversationList({ limit: latestConversations });
  for (const { id } of conversations) {
    const arc = await server.contract.conversationArc({ conversationId: id });
    for (const { text, turnId } of arc.decisions) {
      found++;
      stream.markdown(`\n- ${quoted(oneLine(text, 300))} `);
      stream.anchor(turnUri(id, turnId), turnId);
    }
  }
  if (found === 0) stream.markdown(vscode.l10n.t("No decision is known yet."));
}

async function rules({ request, server, stream }: Question): Promise<void> {
  const { items } = await server.contract.knowledgeList({ kind: "rule" });
  const words = request.prompt.trim().toLowerCase();
  const { active, candidates } = grouped(items.filter((item) => item.content.toLowerCase().includes(words)));
  if (active.length + candidates.length === 0) stream.markdown(words ? vscode.l10n.t("No rule matches “{0}”.", quoted(words)) : vscode.l10n.t("There are no rules yet."));
  if (active.length > 0) stream.markdown(`**${vscode.l10n.t("Active Rules")}**\n`);
  for (const item of active) rule(stream, item);
  if (candidates.length > 0) stream.markdown(`\n\n**${vscode.l10n.t("Candidates")}**\n`);
  for (const item of candidates) {
    rule(stream, item);
    stream.markdown("\n");
    stream.button({ command: "contexture.acceptRule", title: vscode.l10n.t("Accept"), arguments: [{ entry: item, root: undefined }] });
  }
}

function rule(stream: vscode.ChatResponseStream, item: KnowledgeItem): void {
  stream.markdown(`\n- ${quoted(oneLine(item.content, 300))} `);
  const quotation = item.quotations.find(({ turnId }) => turnId);
  if (quotation) stream.anchor(turnUri(quotation.conversationId, quotation.turnId), quotation.turnId);
}

/** Why a file is indexed or not: the one attached, else the one named, else that in the editor. */
async function why({ request, server, stream }: Question): Promise<void> {
  const [attached] = request.references.map(({ value }) => (value instanceof vscode.Location ? value.uri : value)).filter((value) => value instanceof vscode.Uri);
  const name = request.prompt.trim().replace(/^`|`$/g, "");
  const named = name ? await fileNamed(server, name) : undefined;
  const { uri, root, path } = placeOf(server, attached ?? named);
  const answer = await server.contract.indexWhy({ workspace: root.workspace, textDocument: { uri: uri.toString() } });
  stream.reference(uri);
  stream.markdown(`${quoted(whyText(path, answer))}\n\n`);
  if (!isOpenable(answer.source) || isSetting(answer.source)) return;
  stream.anchor(openableRule(root, answer.source, answer.line), `${answer.source}${answer.line ? `:${answer.line}` : ""}`);
}

/** The file of that path below one of the folders; of the first folder where none has it. */
async function fileNamed(server: Server, name: string): Promise<vscode.Uri | undefined> {
  const candidates = server.roots().map(({ uri }) => vscode.Uri.joinPath(uri, name));
  for (const uri of candidates) {
    try {
      await vscode.workspace.fs.stat(uri);
      return uri;
    } catch {
      // another folder may have it
    }
  }
  return candidates[0];
}
