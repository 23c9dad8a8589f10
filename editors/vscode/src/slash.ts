/** The commands of `@contexture` in the chat. They ask the server alone: no model is needed, and nothing is stored. */
import * as vscode from "vscode";
import { placeFor } from "./attached";
import type { BundleResult, ConversationReceipt, Item, KnowledgeItem, PromptReceipt, RecallResult, SearchResult } from "./contract.gen";
import { isOpenable, isSetting, openableRule, placeOf, whyText } from "./ignore";
import { spanDate, spanText } from "./modeltext";
import type { Server } from "./server";
import { turnUri } from "./turns";
import { grouped } from "./views/rules";
import { oneLine, quoted } from "./views/tree";
import { longDate, longTime } from "./when";

/** What a command works with. */
interface Question {
  server: Server;
  request: vscode.ChatRequest;
  stream: vscode.ChatResponseStream;
  token: vscode.CancellationToken;
  /** The conversation that the chat goes on with. */
  conversationId: string;
  /** What the model was given for the answers of this chat, the latest first. */
  given: Given[];
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

/** Answers; what it returns is another conversation that the chat shall go on with. */
type Answer = (question: Question) => Promise<unknown>;

/** The most that the contract lists. */
const mostListed = 200;

/** The conversations whose decisions `/decisions` shows. */
const latestConversations = 5;

const answers: Record<string, Answer> = { context, search, recall, decisions, rules, why, resume, receipts };

/** Answers one of the commands, and returns another conversation that the chat shall go on with, if there is one. */
export async function answerSlash(command: string, question: Question): Promise<string | undefined> {
  const answer = answers[command];
  if (!answer) throw new Error(vscode.l10n.t("There is no command /{0}.", command));
  const other = await answer(question);
  return typeof other === "string" ? other : undefined;
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
  const { stream, request, server, given: [last] } = question;
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
    const [said, date] = [oneLine(spanText(text, item.span), 300), spanDate(text, item.span)];
    if (date) stream.markdown(` · ${longDate(date, vscode.env.language)}`);
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
  for (const { id, lastAt } of conversations) {
    const arc = await server.contract.conversationArc({ conversationId: id });
    for (const { text, turnId } of arc.decisions) {
      found++;
      stream.markdown(`\n- ${longDate(lastAt, vscode.env.language)} · ${quoted(oneLine(text, 300))} `);
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

/** Where the latest other conversation stands, or the one that words name. The chat goes on with it. */
async function resume({ conversationId, request, server, stream }: Question): Promise<string | undefined> {
  const query = request.prompt.trim();
  const { conversations } = await server.contract.conversationList({ limit: 2, ...(query && { query }) });
  const found = conversations.find(({ id }) => id !== conversationId);
  if (!found) {
    stream.markdown(vscode.l10n.t("There is no other conversation to go on with."));
    return undefined;
  }
  const arc = await server.contract.conversationArc({ conversationId: found.id, resume: true });
  stream.markdown(`**${quoted(found.title || found.id)}** · ${longTime(found.lastAt, vscode.env.language)}\n\n`);
  if (arc.currentFocus) stream.markdown(`${quoted(oneLine(arc.currentFocus, 300))}\n\n`);
  for (const [heading, entries] of [[vscode.l10n.t("Decisions"), arc.decisions], [vscode.l10n.t("Open Questions"), arc.openQuestions]] as const) {
    if (entries.length > 0) stream.markdown(`\n**${heading}**\n`);
    for (const { text, turnId } of entries) {
      stream.markdown(`\n- ${quoted(oneLine(text, 300))} `);
      stream.anchor(turnUri(found.id, turnId), turnId);
    }
    stream.markdown("\n\n");
  }
  if (arc.resume?.lastRequest) stream.markdown(`${vscode.l10n.t("Asked last: {0}", quoted(oneLine(arc.resume.lastRequest, 300)))}\n\n`);
  stream.markdown(vscode.l10n.t("This chat goes on with it."));
  return found.id;
}

/** The prompts that a receipt lists. */
const listedPrompts = 10;

/** What assistants were given this week and what came of it, prompt by prompt, and what this chat was given. */
async function receipts({ given: here, server, stream }: Question): Promise<void> {
  const since = new Date(Date.now() - 7 * 24 * 3_600_000).toISOString();
  const { conversations } = await server.contract.receipts({ limit: mostListed });
  const all: { of: ConversationReceipt; prompt: PromptReceipt }[] = [];
  for (const of of conversations.filter(({ at }) => at >= since)) {
    const { prompts = [] } = await server.contract.receipts({ conversationId: of.conversationId, limit: mostListed });
    all.push(...prompts.filter(({ at }) => at >= since).map((prompt) => ({ of, prompt })));
  }
  all.sort((a, b) => b.prompt.at.localeCompare(a.prompt.at));
  const sum = (key: "given" | "spared"): number => all.reduce((n, { prompt }) => n + prompt[key], 0);
  const seen = all.some(({ of }) => of.seen);
  stream.markdown(`**${vscode.l10n.t("This week")}**: ${balance(sum("given"), sum("spared"), seen || all.length === 0)}\n\n`);
  const own = here.reduce((n, { tokens, attached }) => n + tokens + attached, 0);
  if (own > 0) stream.markdown(`**${vscode.l10n.t("This chat")}**: ${vscode.l10n.t("{0} tokens given", own)}\n\n`);
  for (const { of, prompt } of all.slice(0, listedPrompts)) {
    stream.markdown(`\n- ${longTime(prompt.at, vscode.env.language)} · ${quoted(oneLine(prompt.prompt || of.title || of.conversationId, 100))} · ${balance(prompt.given, prompt.spared, of.seen)}`);
    if (prompt.names.length > 0) stream.markdown(`  \n  ${quoted(prompt.names.join(", "))} `);
    if (prompt.turnId) stream.anchor(turnUri(of.conversationId, prompt.turnId), prompt.turnId);
  }
}

/** What was given, always with what it spared, or that this is not known. */
function balance(given: number, spared: number, isKnown: boolean): string {
  const cost = vscode.l10n.t("{0} tokens given", given);
  if (!isKnown) return `${cost}, ${vscode.l10n.t("what came of it is not known")}`;
  return `${cost}, ${vscode.l10n.t("spared {0}, net {1}", spared, spared > given ? `+${spared - given}` : spared - given)}`;
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
