// Every tool that there is, what a call of it may do, and a call that must succeed.

/** The marker conversation: what is appended first, and what later calls find. */
export const conversationId = "a/b c%";
const messages = [
  { id: "m1", role: "user", content: "How often do we retry a payment? See retryPayment in retry.go.", at: "2026-01-02T03:04:05Z" },
  {
    id: "m2",
    role: "assistant",
    content: "We decided to stop after three attempts, the bank blocks after four.",
    at: "2026-01-02T03:04:06Z",
    toolCalls: [{ name: "read", arguments: { path: "retry.go" }, result: ["text", 1, null] }],
  },
  // A ticket that two turns speak of is an entity.
  { id: "m3", role: "user", content: "What is PAY-204 about?", at: "2026-01-03T03:04:05Z" },
  { id: "m4", role: "assistant", content: "PAY-204 is a customer's complaint about a late invoice.", at: "2026-01-03T03:04:06Z" },
  { id: "m5", role: "user", content: "Who has PAY-204 now?", at: "2026-01-04T03:04:05Z" },
  { id: "m6", role: "assistant", content: "PAY-204 waits for the accounts department.", at: "2026-01-04T03:04:06Z", toolCalls: [{ name: "bash", arguments: { command: "make pay" }, result: "2 failed", isError: true }] },
];

/** What recall answers by type. */
export const byType = [
  [{ query: "make pay", type: "how" }, /^Ran 1 time, failed 1 time, last failed, turn T-3 of "a\/b c%", 2026-01-04\n```\nmake pay\n# failed with: 2 failed\n```/],
  [{ query: "make wombat", type: "how" }, /^Nothing is remembered about "make wombat" by type how/],
  [{ query: "retry.go:3", type: "blame" }, /^Decision, .*\n```\nretry\.go keeps no state/],
  [{ query: "error: pool 7 is not drained", type: "fix" }, /^Nothing is remembered about .* by type fix/],
];

export const prompt = "where are payments retried?";

/** The tools that are offered where nothing else is said, and those that answer with a text alone. */
export const standard = ["context", "recall", "remember", "search", "symbol", "turn"];
export const texts = [...standard, "conversation_history"];

/**
 * Calls in an order in which each finds what it needs. What a call may do, by the contract: it "reads", it "adds", or it
 * "removes" what was there, or replaces it. Arguments may be made of the workspace's folder and address, of earlier answers and of what the program's other commands print.
 */
export const tools = [
  ["conversation_append", "adds", () => ({ conversationId, messages })],
  ["conversation_fork", "adds", () => ({ conversationId, atTurn: "T-1", newConversationId: "fork" })],
  ["board_put", "adds", () => ({ conversationId, type: "note", title: "Bank", content: "It is closed on Sundays." })],
  ["cabinet_put", "adds", () => ({ title: "Bank", content: "The bank's rules." })],
  ["cabinet_get", "adds", (_, seen) => ({ fileKey: seen.cabinet_put.fileKey })], // is kept 30 days from then
  ["task_block", "adds", () => ({ taskId: "retry", reason: "the bank is closed" })],
  ["task_unblock", "removes", () => ({ taskId: "retry" })],
  ["task_complete", "removes", () => ({ taskId: "retry", intent: "retry payments", validation: { success: true } })],
  [
    "knowledge_put",
    "removes",
    () => ({ kind: "lesson", id: "l1", title: "Retries", content: "The bank blocks after four.", topics: ["bank"], keywords: ["retry"] }),
  ],
  ["remember", "removes", () => ({ kind: "rule", text: "From now on wrap errors with the operation's name." })],
  ["knowledge_process", "removes", () => ({})],

  ["context", "reads", ({ folder }) => ({ prompt, conversationId, budget: 2000, path: "retry.go", line: 3, root: folder })],
  ["search", "reads", () => ({ query: "retryPayment", limit: 3 })],
  ["symbol", "reads", () => ({ name: "retryPayment" })],
  ["impact", "reads", () => ({ revision: "HEAD" })],
  ["recall", "reads", () => ({ query: "what did we decide about retries?" })],
  ["turn", "reads", () => ({ conversationId, turnId: "T-1" })],
  ["ticklers", "reads", () => ({ prompt })],
  ["act", "reads", () => ({ path: "retry.go" })],
  ["receipts", "reads", () => ({})],
  ["presence", "reads", () => ({ activeConversationId: conversationId })],
  ["conversation_arc", "reads", () => ({ conversationId })],
  ["conversation_history", "reads", () => ({ conversationId })],
  ["conversation_list", "reads", () => ({})],
  ["conversation_turns", "reads", () => ({ conversationId, limit: 2 })],
  ["conversation_window", "reads", () => ({ conversationId })],
  ["board_list", "reads", () => ({ conversationId })],
  ["cabinet_list", "reads", () => ({})],
  ["task_list", "reads", () => ({})],
  ["knowledge_get", "reads", () => ({ id: "l1" })],
  ["knowledge_list", "reads", () => ({})],
  ["knowledge_recommendations", "reads", () => ({})],
  ["knowledge_workspace", "reads", () => ({})],
  ["knowledge_digest", "reads", () => ({})],
  ["knowledge_topics", "reads", () => ({})],
  ["knowledge_entities", "reads", () => ({})],
  ["knowledge_profile", "reads", (_, seen) => ({ id: seen.knowledge_entities.entities[0].id })],
  ["knowledge_graph", "reads", () => ({ limit: 10 })],
  ["knowledge_status", "reads", () => ({})],
  ["index_status", "reads", () => ({})],
  ["index_why", "reads", ({ uri }) => ({ textDocument: { uri: `${uri}/retry.go` } })],
  ["index_skipped", "reads", () => ({ limit: 10 })],
  ["index_secrets", "reads", () => ({})],
  ["syntax", "reads", () => ({ texts: [{ language: "go", text: "func main() {}" }] })],
  ["metrics", "reads", () => ({})],
  ["metrics_recent", "reads", () => ({})],
  ["config", "reads", () => ({})],

  ["knowledge_accept", "adds", () => ({ id: "l1" })],
  ["feedback", "adds", ({ run }) => ({ bundleId: JSON.parse(run("bundle", "--json", prompt)).id, response: "retryPayment does it." })],
  ["board_remove", "removes", (_, seen) => ({ conversationId, id: seen.board_put.item.id })],
  ["cabinet_delete", "removes", (_, seen) => ({ fileKey: seen.cabinet_put.fileKey })],
  ["knowledge_steer", "removes", (_, seen) => ({ id: seen.knowledge_entities.entities[0].id, act: "pin" })],
  ["knowledge_delete", "removes", () => ({ id: "l1" })],
  ["conversation_delete", "removes", () => ({ conversationId: "fork" })],
  ["learned_reset", "removes", () => ({ what: "all" })],
  ["index_exclude", "removes", () => ({ pattern: "/nothing/" })],
  ["index_rebuild", "removes", () => ({})],
];

/** Commands that a server may have without the machinery behind them, by the contract. They say "unavailable" then. */
export const mayLack = [];

/** The annotations that say truly what a call may do. */
export const hints = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  adds: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  removes: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
};
