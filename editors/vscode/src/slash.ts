/** The commands of `@contexture` in the chat. They ask the server alone: no model is needed, and nothing is stored. */
import * as vscode from "vscode";
import type { BundleResult, Item, KnowledgeItem, RecallResult, SearchResult } from "./contract.gen";
import { isOpenable, isSetting, openableRule, placeOf, whyText } from "./ignore";
import { spanText } from "./modeltext";
import { place } from "./panel";
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

/** Writes a link to where an item or a hit comes from; its title alone where that is nowhere. */
function source(stream: vscode.ChatResponseStream, of: Pick<Item, "title" | "uri" | "range" | "conversationId" | "turnId">): void {
  const title = oneLine(of.title, 100);
  if (of.uri?.startsWith("file:")) {
    const uri = vscode.Uri.parse(of.uri);
    const { range } = of;
    stream.anchor(range ? new vscode.Location(uri, new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character)) : uri, title);
  } else if (of.conversationId && of.turnId) {
    stream.anchor(turnUri(of.conversationId, of.turnId), title);
  } else {
    stream.markdown(`**${quoted(title)}**`);
  }
}

/** Adds the files and turns of an answer to what it used. */
export function refer(stream: vscode.ChatResponseStream, items: readonly Pick<Item, "uri" | "conversationId" | "turnId">[]): void {
  const uris = items.flatMap(({ uri, conversationId, turnId }) => (uri?.startsWith("file:") ? [uri] : conversationId && turnId ? [turnUri(conversationId, turnId).toString()] : []));
  for (const uri of new Set(uris)) stream.reference(vscode.Uri.parse(uri));
}

async function context(question: Question): Promise<void> {
  const { stream } = question;
  const prompt = needed(question, vscode.l10n.t("/context where are payments retried?"));
  stream.progress(vscode.l10n.t("Gathering context"));
  const bundle = await ask<BundleResult>(question, "contexture.bundle", { ...place(), prompt, includeText: false });
  const items = bundle.items.filter(({ kind }) => kind !== "prompt");
  refer(stream, items);
  if (items.length === 0) stream.markdown(vscode.l10n.t("Nothing concerns this prompt."));
  for (const item of items) {
    stream.markdown("\n- ");
    source(stream, item);
    stream.markdown(` — ${quoted(item.reason)} · ${vscode.l10n.t("{0} tokens", item.tokens)}`);
  }
  const left = bundle.dropped.length === 0 ? "" : ` · ${vscode.l10n.t("{0} left out", bundle.dropped.length)}`;
  stream.markdown(`\n\n${vscode.l10n.t("{0} of {1} tokens", bundle.tokens, bundle.budget)}${left}\n\n`);
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
