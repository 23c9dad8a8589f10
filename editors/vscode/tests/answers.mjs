// Stands in the place of the program, and changes what it answers, as a test asks by a loopback port:
//
//	node answers.mjs PORT PROGRAM ARGUMENTS…
//
// All frames between the editor and the program pass through. What a test sends are lines of JSON, each answered by
// `{id, result}` or `{id, error}`:
//
//	{id, kind}           what answers are from now on: small (the program's own, with steady times), huge, broken,
//	                     nonsense, or offline: the program ends, and does not start again
//	{id, command, args}  a command that the program shall execute
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { huge, steady } from "../../workbench/tests/data.mjs";

const [port, program, ...args] = process.argv.slice(2);
const control = connect(Number(port), "127.0.0.1");
control.on("error", () => process.exit(1)); // the test has ended
const asked = createInterface({ input: control })[Symbol.asyncIterator]();
const next = async () => JSON.parse((await asked.next()).value ?? process.exit(1));
const reply = (answer) => control.write(`${JSON.stringify(answer)}\n`);

let { kind } = await next();
if (kind === "offline") process.exit(1);

const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
child.once("close", (status) => process.exit(status ?? 1));
child.stdin.on("error", () => undefined); // it has ended, which "close" tells

/** Commands that have not been answered yet, by the id of the request. */
const running = new Map();
/** The last status of each folder, as the program told it. */
const statuses = new Map();

process.stdin.on("end", () => child.stdin.end());
frames(process.stdin, (body) => {
  const { id, method, params } = JSON.parse(body);
  if (method === "workspace/executeCommand") running.set(id, { command: params.command, args: params.arguments?.[0] ?? {} });
  send(child.stdin, body);
});
frames(child.stdout, (body) => {
  const message = JSON.parse(body);
  const of = message.method === undefined && running.get(message.id);
  if (of) {
    running.delete(message.id);
    if (of.done) of.done(message);
    else send(process.stdout, JSON.stringify(changed(message, of)));
  } else if (message.method === "contexture/status") {
    statuses.set(message.params.workspace, message);
    tellStatus(message);
  } else send(process.stdout, body);
});

for (let n = 0; ; n++) {
  const { id, ...wanted } = await next();
  if (wanted.command) {
    running.set(`test-${n}`, { done: ({ result, error }) => reply({ id, result, error }) });
    send(child.stdin, JSON.stringify({ jsonrpc: "2.0", id: `test-${n}`, method: "workspace/executeCommand", params: { command: wanted.command, arguments: [wanted.args] } }));
    continue;
  }
  ({ kind } = wanted);
  if (kind === "offline") child.kill("SIGKILL");
  else {
    for (const status of statuses.values()) tellStatus(status);
    send(process.stdout, JSON.stringify({ jsonrpc: "2.0", method: "contexture/memory", params: { version: 1_000_000 + n } }));
  }
  reply({ id });
}

/** Returns what the editor gets for an answer of the program. */
function changed(message, { command, args }) {
  const { id, jsonrpc, error, result } = message;
  const isCancelled = error?.code === -32800;
  if (isCancelled) return message;
  if (kind === "broken") return { jsonrpc, id, error: { code: -32803, message: "the memory is damaged: /state/memory: checksum mismatch", data: { code: "corrupt" } } };
  if (kind === "nonsense") return { jsonrpc, id, result: {} };
  const own = error ? undefined : dated(steady(command, result));
  const made = kind === "huge" ? huge(command, args, own ?? {}) : undefined;
  if (!own && !made) return message;
  return { jsonrpc, id, result: made ? dated(made) : own };
}

function tellStatus({ params, ...message }) {
  const own = dated(steady("contexture.index.status", params));
  send(process.stdout, JSON.stringify({ ...message, params: (kind === "huge" && huge("contexture.index.status", {}, own)) || own }));
}

/** Moves all dates to a year that is over: this year's are written without the year. */
function dated(answer) {
  return JSON.parse(JSON.stringify(answer).replace(/"20\d\d(-\d\d-\d\dT[^"]*")/g, '"2024$1'));
}

function send(to, body) {
  to.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** Calls back with the body of every message. */
function frames(from, heard) {
  let rest = Buffer.alloc(0);
  from.on("data", (more) => {
    rest = Buffer.concat([rest, more]);
    for (;;) {
      const end = rest.indexOf("\r\n\r\n");
      const length = end < 0 ? 0 : Number(/content-length: *(\d+)/i.exec(rest.subarray(0, end))?.[1]);
      if (end < 0 || rest.length < end + 4 + length) return;
      const body = rest.subarray(end + 4, end + 4 + length).toString();
      rest = rest.subarray(end + 4 + length);
      heard(body);
    }
  });
}
