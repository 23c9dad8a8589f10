// One question gives one bundle, byte for byte, whichever client asks: node tests/same.mjs PROGRAM
// A model reads what is in it as text of its own.
// The clients: the command line, the page, an editor (LSP), a model (MCP); each with a fresh state.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { indexed, panel, place, start } from "./program.mjs";

const program = resolve(process.argv[2]);
const prompt = "where are payments retried?";
const conversationId = "marker";
const messages = [
  { id: "m1", role: "user", content: "How often do we retry a payment?", at: "2026-01-02T03:04:05Z" },
  { id: "m2", role: "assistant", content: "We decided to use three attempts. See `retryPayment` in retry.go.", at: "2026-01-02T03:04:06Z" },
];

/** What one client sees: the bundle without a conversation, then with one that is the same for all. */
async function scenario(execute, bundle = "contexture.bundle") {
  await indexed(execute);
  const alone = (await execute(bundle, { prompt })).text;
  await execute("contexture.conversation.append", { conversationId, messages });
  const after = (await execute(bundle, { prompt, conversationId })).text;
  return { alone, after };
}

/** Answers by id, for messages of JSON-RPC. */
function requests(send) {
  const waiting = new Map();
  let last = 0;
  const ask = (method, params) =>
    new Promise((done, failed) => {
      const id = ++last;
      waiting.set(id, { done, failed });
      send({ jsonrpc: "2.0", id, method, params });
    });
  const receive = (message) => {
    if (message.method && message.id !== undefined) return send({ jsonrpc: "2.0", id: message.id, result: null });
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error) call?.failed(new Error(JSON.stringify(message.error)));
    else call?.done(message.result);
  };
  return { ask, receive, notify: (method, params) => send({ jsonrpc: "2.0", method, params }) };
}

const clients = {
  async "the command line"(where) {
    const done = spawnSync(program, ["bundle", "--json", "--offline", "--state-dir", where.state, "--root", where.folder, prompt], { encoding: "utf8" });
    assert.equal(done.status, 0, done.stderr);
    return { alone: JSON.parse(done.stdout).text };
  },

  async "the page"(where) {
    const run = await panel(program, where);
    try {
      const entered = await fetch(run.url, { redirect: "manual" });
      const headers = { Cookie: entered.headers.get("set-cookie").split(";")[0], Origin: run.origin };
      return await scenario(async (command, args) => {
        const answer = await fetch(`${run.origin}/execute`, { method: "POST", headers, body: JSON.stringify({ command, args }) });
        assert.ok(answer.ok, `${command}: ${answer.status}`);
        return answer.json();
      });
    } finally {
      assert.equal(await run.stop(), 0, run.said());
    }
  },

  async "a model"(where) {
    const run = start(program, "mcp", { ...where, args: ["--daemon=off", "--tools", "all"] });
    try {
      const rpc = requests((message) => run.child.stdin.write(`${JSON.stringify(message)}\n`));
      createInterface({ input: run.child.stdout }).on("line", (line) => rpc.receive(JSON.parse(line)));
      await rpc.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "same", version: "1" } });
      rpc.notify("notifications/initialized", {});
      return await scenario(async (command, args) => {
        const result = await rpc.ask("tools/call", { name: command.replace("contexture.", "").replaceAll(".", "_"), arguments: args });
        const { text } = result.content[0];
        assert.ok(!result.isError, text);
        return { ...result.structuredContent, text };
      }, "contexture.context");
    } finally {
      assert.equal(await run.stop(() => run.child.stdin.end()), 0, run.said());
    }
  },

  async "an editor"(where) {
    const run = start(program, "serve", { ...where, args: ["--daemon=off"] });
    const rpc = requests((message) => {
      const body = Buffer.from(JSON.stringify(message));
      run.child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
      run.child.stdin.write(body);
    });
    let rest = Buffer.alloc(0);
    run.child.stdout.on("data", (part) => {
      rest = Buffer.concat([rest, part]);
      for (;;) {
        const head = /^([^]*?)\r\n\r\n/.exec(rest.toString("latin1"));
        const begin = head ? head[0].length : 0;
        const end = begin + Number(/Content-Length: (\d+)/i.exec(head?.[1] ?? "")?.[1] ?? Infinity);
        if (rest.length < end) return;
        rpc.receive(JSON.parse(rest.subarray(begin, end).toString()));
        rest = rest.subarray(end);
      }
    });
    try {
      await rpc.ask("initialize", { processId: null, rootUri: where.uri, workspaceFolders: [{ uri: where.uri, name: "ws" }], capabilities: {} });
      rpc.notify("initialized", {});
      return await scenario((command, args) => rpc.ask("workspace/executeCommand", { command, arguments: [args] }));
    } finally {
      await rpc.ask("shutdown").catch(() => undefined);
      assert.equal(await run.stop(() => rpc.notify("exit")), 0, run.said());
    }
  },
};

const here = place();
let failed;
try {
  const seen = {};
  for (const [name, client] of Object.entries(clients)) {
    const begin = performance.now();
    seen[name] = await client({ folder: here.folder, uri: here.uri, state: here.state() });
    console.log(`ok: ${name} has answered, ${(performance.now() - begin).toFixed(0)} ms with its start and its end`);
  }
  const { alone } = seen["the command line"];
  const { after } = seen["the page"];
  assert.match(alone, /func retryPayment/);
  assert.match(after, /three attempts/);
  const { "a model": read, ...rest } = seen;
  assert.match(read.alone, /^retry\.go:\d+-\d+[^]*func retryPayment/m);
  assert.match(read.after, /three attempts/);
  for (const [name, texts] of Object.entries(rest)) {
    assert.equal(texts.alone, alone, `${name} and the command line differ`);
    if (name !== "the command line") assert.equal(texts.after, after, `${name} and the page differ in a conversation`);
  }
  console.log(`ok: all see the same ${Buffer.byteLength(alone)} bytes, and the same ${Buffer.byteLength(after)} in a conversation`);
} catch (error) {
  failed = error;
  console.error(error);
}
console.log(`one bundle for all clients: ${failed ? "failed" : "ok"}`);
process.exit(failed ? 1 : 0);
