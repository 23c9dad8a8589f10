// `npx -y @contexture/cli` from a registry on loopback: node test.mjs PROGRAM
import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const program = resolve(process.argv[2]);
const here = import.meta.dirname;
const repository = resolve(here, "../..");
const own = `${process.platform}-${process.arch}`;
const top = realpathSync(mkdtempSync(join(tmpdir(), "contexture-npx-")));
const folder = join(top, "ws");
process.once("exit", () => rmSync(top, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }));

/** What the registry has, by the package's name. */
const packages = new Map();
const registry = createServer((request, response) => {
  const path = decodeURIComponent(request.url.slice(1));
  const tarball = [...packages.values()].find(({ file }) => path === `-/${basename(file)}`);
  if (tarball) return response.writeHead(200).end(readFileSync(tarball.file));
  const found = packages.get(path);
  if (!found) return response.writeHead(404, { "content-type": "application/json" }).end('{"error": "not found"}');
  const { manifest, file } = found;
  const dist = { tarball: `http://${request.headers.host}/-/${basename(file)}`, integrity: `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}` };
  const answer = { name: manifest.name, "dist-tags": { latest: manifest.version }, versions: { [manifest.version]: { ...manifest, dist } } };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
});

const run = promisify(execFile);
let env;
const npx = (...args) => {
  const running = run("npx", ["-y", "@contexture/cli", ...args], { env, cwd: folder, timeout: 120_000 });
  running.child.stdin.end();
  return running;
};

const parts = [
  ["the tarballs have no install script, and the licence", async () => {
    const made = spawnSync(process.execPath, [join(here, "build.mjs"), join(top, "out"), `${own}=${program}`], { encoding: "utf8" });
    assert.equal(made.status, 0, made.stderr);
    for (const file of made.stdout.trim().split("\n")) {
      const manifest = JSON.parse(spawnSync("tar", ["-xzOf", file, "package/package.json"], { encoding: "utf8" }).stdout);
      assert.equal(manifest.scripts, undefined);
      assert.match(spawnSync("tar", ["-tzf", file], { encoding: "utf8" }).stdout, /^package\/LICENSE$/m);
      packages.set(manifest.name, { manifest, file });
    }
    assert.deepEqual([...packages.keys()], [`@contexture/cli-${own}`, "@contexture/cli"]);
    assert.equal(packages.get("@contexture/cli").manifest.mcpName, JSON.parse(readFileSync(join(here, "../mcp/server.json"), "utf8")).name);
  }],
  ["npx brings the first bundle by one command", async () => {
    const { stdout } = await npx("bundle", "Where are payments retried?");
    assert.match(stdout, /func retryPayment/);
  }],
  ["exit codes are the program's", async () => {
    await assert.rejects(npx("bundle", "--budget", "many", "x"), { code: 2 });
    await assert.rejects(npx("chats", "search", "nothing of this kind"), { code: 1 });
  }],
  ["npx … mcp is a server", async () => {
    const server = spawn("npx", ["-y", "@contexture/cli", "--offline", "mcp", "--daemon=off"], { env, cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: server.stdout });
    const answer = new Promise((done) => lines.once("line", done));
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    server.stdin.write(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }) + "\n");
    assert.equal(JSON.parse(await answer).result.serverInfo.name, "contexture");
    const ended = new Promise((done) => server.once("exit", done));
    server.stdin.end();
    assert.equal(await ended, 0);
  }],
  ["without the platform's package the wrapper says what to do", async () => {
    packages.delete(`@contexture/cli-${own}`);
    env = { ...env, npm_config_cache: join(top, "cache2") };
    await assert.rejects(npx("version"), ({ code, stderr }) => code === 1 && stderr.includes(`@contexture/cli-${own} is not installed`));
  }],
];

let failed;
try {
  cpSync(join(repository, "testdata/workspaces/shop"), folder, { recursive: true });
  for (const made of [join(top, "home"), join(folder, ".git")]) mkdirSync(made);
  await new Promise((done) => registry.listen(0, "127.0.0.1", done));
  env = {
    PATH: [dirname(process.execPath), "/usr/bin", "/bin"].join(":"), HOME: join(top, "home"), CONTEXTURE_STATE_DIR: join(top, "state"),
    npm_config_registry: `http://127.0.0.1:${registry.address().port}/`, npm_config_cache: join(top, "cache"), npm_config_update_notifier: "false",
  };
  for (const [name, part] of parts) {
    const begin = performance.now();
    await part();
    console.log(`ok: ${name}, ${(performance.now() - begin).toFixed(0)} ms`);
  }
} catch (error) {
  failed = error;
  console.error(error);
}
console.log(`npm: ${failed ? "failed" : "ok"}`);
process.exit(failed ? 1 : 0);
