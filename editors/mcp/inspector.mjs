// The protocol's Inspector looks at the program as a person would with it: node inspector.mjs PROGRAM
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { place, report } from "./program.mjs";
import { hints, prompt, standard, tools } from "./tools.mjs";

const inspector = fileURLToPath(new URL("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", import.meta.url));
const here = await place(process.argv[2]);

/** What the contract lets be any JSON value, which the Inspector warns of. */
const anyValues = [
  "config: $defs.Setting.properties.value",
  "conversation_append: $defs.ToolCall.properties.arguments",
  "conversation_append: $defs.ToolCall.properties.result",
  "ticklers: $defs.Call.properties.arguments.items",
];

/** Sends a request with the Inspector, in a separate session, and returns its exit status, the result, and the error it reports. */
function inspect(era, method, flags = [], more = []) {
  const args = [inspector, "--cli", "--format", "json", "--quiet", "--protocol-era", era, "--method", method, ...flags];
  const child = spawn(process.execPath, [...args, "--", here.command, ...here.args, ...more], { env: here.env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  here.ending(() => child.exitCode === null && process.kill(-child.pid, "SIGKILL")); // with the program that it has started
  let [out, said] = ["", ""];
  child.stdout.on("data", (text) => (out += text));
  child.stderr.on("data", (text) => (said += text));
  const late = setTimeout(() => child.kill("SIGKILL"), 60_000);
  return new Promise((done, failed) => {
    child.once("error", failed);
    child.once("close", (status) => {
      clearTimeout(late);
      try {
        done({ status, said, error: /^\{"error":.*$/m.test(said) ? JSON.parse(/^\{"error":.*$/m.exec(said)[0]).error.message : "", ...(out && JSON.parse(out)) });
      } catch (error) {
        failed(new Error(`${method}: ${out}${said}`, { cause: error }));
      }
    });
  });
}

const call = (era, name, args) => inspect(era, "tools/call", ["--tool-name", name, "--tool-args-json", JSON.stringify(args)]);

/** What is asked in sessions of one kind. */
const questions = {
  async "lists the tools, finds no error in their schemas, and reads their hints"(era) {
    const { status, result, schemaFindings = [] } = await inspect(era, "tools/list", ["--strict"], ["--tools", "all"]);
    assert.equal(status, 0);
    assert.deepEqual(result.tools.map(({ name }) => name).sort(), tools.map(([name]) => name).sort());
    for (const [name, does] of tools) {
      const { annotations, description, inputSchema } = result.tools.find((tool) => tool.name === name);
      assert.deepEqual({ ...annotations, ...hints[does] }, annotations, `${name} is one that ${does}`);
      assert.ok(description && inputSchema.type === "object", name);
    }
    const found = schemaFindings.flatMap(({ toolName, findings }) => findings.map(({ path }) => `${toolName}: ${path}`));
    assert.deepEqual(found.sort(), anyValues);
  },

  async "offers the tools that the command names"(era) {
    const { result } = await inspect(era, "tools/list", [], ["--tools", "context,task_list"]);
    assert.deepEqual(result.tools.map(({ name }) => name), ["context", "task_list"]);
    const byDefault = await inspect(era, "tools/list");
    assert.deepEqual(byDefault.result.tools.map(({ name }) => name), standard);
  },

  async "gets a bundle as text"(era) {
    const { status, result } = await call(era, "context", { prompt, budget: 2000 });
    assert.equal(status, 0);
    assert.match(result.content[0].text, /^retry\.go:\d+-\d+.*\n```go\n[^]*func retryPayment\(p RetryPolicy\) error/m);
    assert.equal(result.structuredContent, undefined);
  },

  async "is told which field is wrong"(era) {
    for (const [args, says] of [[{ prompt, budget: 1 }, /^budget: /], [{ prompt, bugdet: 2000 }, /^bugdet: /]]) {
      const { status, result, said } = await call(era, "context", args);
      assert.ok(result?.isError, said);
      assert.match(result.content[0].text, says);
      assert.notEqual(status, 0);
    }
  },

  async "lists and reads the resources"(era) {
    const { result } = await inspect(era, "resources/list");
    let files = 0; // none as long as the index is being opened
    for (let tries = 0; tries < 20 && files === 0; tries++) {
      const status = await inspect(era, "resources/read", ["--uri", result.resources[0].uri]);
      files = JSON.parse(status.result.contents[0].text).files;
    }
    assert.equal(files, 3);
    const templates = await inspect(era, "resources/templates/list");
    assert.deepEqual(templates.result.resourceTemplates.map(({ name }) => name), ["arc", "turn"]);
    const missing = await inspect(era, "resources/read", ["--uri", "contexture://conversation/nobody/arc"]);
    assert.notEqual(missing.status, 0);
    assert.match(missing.error, /not found/);
  },

  async "lists and gets the prompt"(era) {
    const listed = await inspect(era, "prompts/list");
    assert.deepEqual(listed.result.prompts.map(({ name }) => name), ["context"]);
    const get = (...args) => inspect(era, "prompts/get", ["--prompt-name", "context", "--prompt-args", ...args]);
    const { result } = await get(`prompt=${prompt}`, "budget=600");
    assert.match(result.messages[0].content.text, /func retryPayment[^]*where are payments retried\?/);
    const lacking = await get("budget=600");
    assert.notEqual(lacking.status, 0);
    assert.match(lacking.error, /^prompt: /);
  },
};

// Two at a time: each is a process that starts and ends.
await report(
  "the Inspector",
  Object.entries(questions).map(([name, ask]) => [`in both kinds of session it ${name}`, () => Promise.all([ask("legacy"), ask("modern")])]),
);
