// The protocol's conformance tests judge the program, by those scenarios that concern any server: node conformance.mjs PROGRAM
//
// They speak HTTP and the program speaks by standard input and output, so a bridge on loopback hands each message on as
// it stands. What they judge of HTTP itself would be the bridge, and is not asked.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { place, report } from "./program.mjs";

const conformance = fileURLToPath(new URL("node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url));
const here = await place(process.argv[2]);

/** The scenarios of the extensions that the program declares: they belong to no revision. */
const extensions = ["sep-2640-skills-enumeration", "sep-2640-skills-manifest"];

/** The scenarios that need no tools, resources or prompts made for them. */
const scenarios = {
  "2025-11-25": ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"],
  "2026-07-28": ["tools-list", "resources-list", "prompts-list", "sep-2164-resource-not-found", "caching", ...extensions],
};

/** Starts the program for one session. */
function session() {
  const child = spawn(here.command, here.args, { env: here.env, stdio: ["pipe", "pipe", "inherit"] });
  here.ending(() => child.kill("SIGKILL"));
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (method === undefined) waiting.get(id)?.(line);
  });
  const ask = (message) => {
    const answer = message.id === undefined ? undefined : new Promise((done) => waiting.set(message.id, done));
    child.stdin.write(`${JSON.stringify(message)}\n`);
    return answer;
  };
  return { ask, end: () => child.stdin.end() && once(child, "exit") };
}

/** Serves sessions by HTTP: those that begin with initialize by their id, and one for all that have none. */
async function bridge() {
  const sessions = new Map();
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    let body = "";
    for await (const part of request) body += part;
    const message = JSON.parse(body);
    const id = message.method === "initialize" ? randomUUID() : (request.headers["mcp-session-id"] ?? "");
    if (!sessions.has(id)) sessions.set(id, session());
    const answer = await sessions.get(id).ask(message);
    if (answer === undefined) return response.writeHead(202).end();
    response.writeHead(200, { "Content-Type": "application/json", ...(id && { "Mcp-Session-Id": id }) }).end(answer);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const close = async () => {
    server.close();
    server.closeAllConnections();
    for (const [status] of await Promise.all([...sessions.values()].map(({ end }) => end()))) assert.equal(status, 0, "a session ends badly");
  };
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, close };
}

/** Runs one scenario, all of whose checks must pass without a warning, and gives their number. */
async function judged(url, version, scenario) {
  const args = [conformance, "server", "--url", url, "--spec-version", version, "--scenario", scenario, ...(extensions.includes(scenario) ? ["--force"] : [])];
  const child = spawn(process.execPath, args, { env: here.env, stdio: ["ignore", "pipe", "pipe"] });
  here.ending(() => child.kill("SIGKILL"));
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const [status] = await once(child, "close");
  const [, passed, checks] = /^Passed: (\d+)\/(\d+), 0 failed, 0 warnings$/m.exec(said) ?? [];
  assert.ok(status === 0 && passed > 0 && passed === checks, said);
  return Number(checks);
}

await report(
  "the conformance tests",
  Object.entries(scenarios).map(([version, names]) => [
    `the protocol of ${version}`,
    async () => {
      const { url, close } = await bridge();
      const passed = [];
      for (const name of names) passed.push(`${name} ${await judged(url, version, name)}`);
      await close();
      return `checks passed: ${passed.join(", ")}`;
    },
  ]),
);
