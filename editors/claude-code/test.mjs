// The plugin in the real Claude Code, whose model is a server on loopback: node test.mjs PROGRAM
// What the model is sent is read: the context of the prompt, and the tools. Nothing else is contacted.
import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const program = resolve(process.argv[2]);
const here = import.meta.dirname;
const repository = resolve(here, "../..");
const claude = join(here, "node_modules/.bin/claude");
const top = realpathSync(mkdtempSync(join(tmpdir(), "contexture-claude-")));
const [home, folder, path] = ["home", "ws", "bin"].map((name) => join(top, name));

/** What the model was sent, in order. */
const requests = [];
let answers = 0; // Claude Code takes those with one id for parts of one
const search = "mcp__plugin_contexture_contexture__search";
/** What the model answers: a search where it is asked to and has the tool, for which it waits by harmless calls; else words. */
function answer({ messages, tools = [] }) {
  for (const [words, call] of Object.entries(calls)) {
    if (JSON.stringify(messages).includes(words)) return JSON.stringify(messages).includes('"tool_result"') ? { type: "text" } : { type: "tool_use", ...call() };
  }
  if (!JSON.stringify(messages).includes("Search for it.") || requests.length > 60) return { type: "text" };
  if (JSON.stringify(messages).includes(`"name":"${search}"`)) return { type: "text" };
  if (!tools.some(({ name }) => name === search)) return { type: "tool_use", name: "TaskList", input: {} };
  return { type: "tool_use", name: search, input: { query: "retry a payment" } };
}
/** Calls that the model makes when a prompt has certain words, once. */
const calls = {
  "Write the clock.": () => ({ name: "Write", input: { file_path: join(folder, "clock.go"), content: "package shop\n" } }),
  "Read the ledger.": () => ({ name: "Bash", input: { command: "cat ./ledger-7.csv", description: "read it" } }),
  "Have it looked up.": () => ({ name: "Agent", input: { description: "look it up", prompt: "Look into the shop's retries.", subagent_type: "general-purpose" } }),
};
const model = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  if (!/^\/v1\/messages(\?|$)/.test(request.url)) return response.writeHead(200, { "content-type": "application/json" }).end("{}");
  const asked = JSON.parse(body);
  requests.push(asked);
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const usage = { input_tokens: 1, output_tokens: 1 };
  send({ type: "message_start", message: { id: `msg_${++answers}`, type: "message", role: "assistant", model: asked.model, content: [], stop_reason: null, stop_sequence: null, usage } });
  const { type, name, input } = answer(asked);
  const isText = type === "text";
  send({ type: "content_block_start", index: 0, content_block: isText ? { type, text: "" } : { type, id: `toolu_${answers}`, name, input: {} } });
  send({ type: "content_block_delta", index: 0, delta: isText ? { type: "text_delta", text: "In retry.go." } : { type: "input_json_delta", partial_json: JSON.stringify(input) } });
  send({ type: "content_block_stop", index: 0 });
  send({ type: "message_delta", delta: { stop_reason: isText ? "end_turn" : "tool_use", stop_sequence: null }, usage });
  send({ type: "message_stop" });
  response.end();
});

let env;
const run = promisify(execFile);
/** Runs a program in the workspace and returns what it prints; one that fails is an error with its words. */
async function ran(command, ...args) {
  const running = run(command, args, { env, cwd: folder, timeout: 60_000 });
  running.child.stdin.end(); // Claude Code waits for one that stays open
  const { stdout, stderr } = await running;
  return stdout + stderr;
}
/** Asks Claude Code, and returns all that its model was sent. */
async function sent(prompt, ...flags) {
  requests.length = 0;
  await ran(claude, "-p", prompt, ...flags, "--output-format", "json", "--allowedTools", `${search},TaskList,Write,Bash,Agent`);
  return JSON.stringify(requests);
}

/**
 * The messages of a request, as a cache of prompts compares them, except for how Claude Code wraps what hooks told: otherwise
 * in a session that it resumes.
 */
function cached({ messages }) {
  const blocks = messages.flatMap(({ role, content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content).map((block) => [role, block]));
  return blocks.map(([role, { cache_control: _, ...block }]) => {
    const told = /hook additional context: ([^]*?)\s*(<\/system-reminder>\s*)?$/.exec(block.text ?? "");
    return told ? told[1] : JSON.stringify([role, block]);
  });
}

const parts = [
  ["its own validator takes the marketplace and the plugin", async () => {
    for (const what of [repository, join(here, "plugin")]) assert.match(await ran(claude, "plugin", "validate", what), /Validation passed/);
  }],
  ["it is installed from the marketplace", async () => {
    await ran(claude, "plugin", "marketplace", "add", repository);
    await ran(claude, "plugin", "install", "contexture@contexture");
    assert.match(await ran(claude, "plugin", "list"), /contexture@contexture[^]*enabled/);
  }],
  ["the model gets the context of the prompt", async () => {
    symlinkSync(program, join(path, "contexture"));
    await ran("contexture", "index");
    const all = await sent("Where are payments retried?");
    assert.ok(/Found by Contexture[^"]*retry\.go:\d+ /.test(all), "no place is named");
  }],
  ["the model has the tools, and reads what one of them found", async () => {
    await sent("How often is a payment tried again? Search for it.");
    const tools = new Set(requests.flatMap(({ tools }) => tools ?? []).map(({ name }) => name).filter((name) => name.includes("contexture")));
    assert.deepEqual([...tools].map((name) => name.replace(/.*__/, "")).sort(), ["context", "recall", "remember", "search", "symbol", "turn"]);
    const results = requests.at(-1).messages.flatMap(({ content }) => content).filter(({ type }) => type === "tool_result");
    assert.ok(/retry\.go:\d+-\d+/.test(JSON.stringify(results)), "the search found nothing");
  }],
  ["before an edit the model reads what was decided about the file", async () => {
    await ran("contexture", "remember", "decision", "clock.go takes the time from its caller and starts no timers.");
    assert.ok((await sent("Write the clock.")).includes("Stated about this file before"), "nothing was told");
    assert.ok(JSON.stringify(requests).includes("starts no timers"));
  }],
  ["after a failed command it reads what fixed the same failure before", async () => {
    await ran("contexture", "remember", "lesson", "cat: ./ledger-3.csv: No such file or directory\nmake ledgers writes the ledgers first.");
    assert.ok((await sent("Read the ledger.")).includes("make ledgers writes the ledgers first"), "nothing was told");
  }],
  ["a sub-agent reads the rules", async () => {
    await ran("contexture", "remember", "rule", "never retry a declined card");
    await sent("Have it looked up.");
    const sub = requests.find(({ messages }) => JSON.stringify(messages[0]).includes("Look into the shop's retries."));
    assert.ok(sub, "no sub-agent was started");
    assert.ok(JSON.stringify(sub).includes("never retry a declined card"), "it knows no rule");
  }],
  ["what stands earlier in a conversation never changes, so that prompt caches stay whole", async () => {
    await sent("Where are payments retried?");
    const sessions = [...requests];
    for (const prompt of ["Read the ledger.", "Where are refunds recorded?"]) {
      await sent(prompt, "--continue");
      sessions.push(...requests);
    }
    const all = sessions.filter((request) => JSON.stringify(request.messages).includes("Where are payments retried?"));
    assert.ok(all.length >= 4, `${all.length} requests`);
    for (const told of ["Found by Contexture", "The same failure before"]) assert.ok(JSON.stringify(all.at(-1)).includes(told), `no ${told}`);
    all.map(cached).reduce((before, after) => (assert.deepEqual(after.slice(0, before.length), before), after));
  }],
  ["nothing is captured before the person agrees", async () => {
    assert.equal(JSON.parse(await ran("contexture", "memory", "stats", "--json")).conversations, 0);
  }],
  ["beside contexture install it is silent, so that nothing comes twice", async () => {
    await ran("contexture", "install", "claude-code");
    const all = await sent("Where are payments retried?");
    assert.equal(all.split("Found by Contexture").length - 1, 1);
    assert.ok(all.includes("Ask Contexture before you search"), "the model does not know the skill");
    await ran("contexture", "uninstall", "claude-code");
  }],
  ["without the program Claude Code goes on, and the person reads why nothing comes", async () => {
    unlinkSync(join(path, "contexture"));
    assert.ok(!(await sent("Where are payments retried?")).includes("Found by Contexture"));
    assert.equal(requests.length, 1);
    const told = spawnSync("sh", [join(here, "plugin/scripts/hook.sh"), "SessionStart"], { env, encoding: "utf8" });
    assert.equal(told.status, 0);
    assert.match(JSON.parse(told.stdout).systemMessage, /no program contexture in PATH/);
    assert.equal(spawnSync("sh", [join(here, "plugin/scripts/hook.sh"), "Stop"], { env, encoding: "utf8" }).stdout, "");
  }],
  ["it is removed", async () => {
    await ran(claude, "plugin", "uninstall", "contexture@contexture");
    symlinkSync(program, join(path, "contexture"));
    assert.ok(!(await sent("Where are payments retried?")).includes("Found by Contexture"));
  }],
];

let failed, daemon;
try {
  for (const made of [home, path]) mkdirSync(made);
  cpSync(join(repository, "testdata/workspaces/shop"), folder, { recursive: true });
  mkdirSync(join(folder, ".git"));
  writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/main\n");
  await new Promise((done) => model.listen(0, "127.0.0.1", done));
  env = {
    HOME: home, PATH: [path, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter), CONTEXTURE_HOOK_TIME: "5s",
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.address().port}`, ANTHROPIC_API_KEY: "sk-ant-none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1",
  };
  daemon = spawn(program, ["daemon", "--idle", "10m"], { env, stdio: "ignore" }); // else the first hook starts one, which stays
  for (const [name, part] of parts) {
    const begin = performance.now();
    await part();
    console.log(`ok: ${name}, ${(performance.now() - begin).toFixed(0)} ms`);
  }
} catch (error) {
  failed = error;
  console.error(error);
}
console.log(`plugin in Claude Code: ${failed ? "failed" : "ok"}`);
daemon?.kill("SIGKILL");
rmSync(top, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
process.exit(failed ? 1 : 0);
