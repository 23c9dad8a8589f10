// What is handed to others' catalogues: server.json for the protocol's registry, and a bundle for desktop hosts, which is
// packed, unpacked and started as such a host does: node packages.mjs PROGRAM
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import Ajv from "ajv";
import formats from "ajv-formats";
import { place, report } from "./program.mjs";

const program = resolve(process.argv[2]);
const here = import.meta.dirname;
const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const server = read(join(here, "server.json"));
const mcpb = (...args) => execFileSync("mcpb", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

await report("packages for catalogues", [
  ["server.json is valid by the registry's own schema, whose module Go brings", () => {
    const registry = "github.com/modelcontextprotocol/registry@v1.8.8";
    const { Dir } = JSON.parse(execFileSync("go", ["mod", "download", "-json", registry], { cwd: dirname(program), encoding: "utf8", env: { ...process.env, GOFLAGS: "-mod=mod" } }));
    const [, version] = /\/schemas\/([\d-]+)\/server\.schema\.json$/.exec(server.$schema);
    const ajv = new Ajv({ strict: false, allErrors: true });
    formats(ajv);
    const takes = ajv.compile(read(join(Dir, `internal/validators/schemas/${version}.json`)));
    assert.ok(takes(server), ajv.errorsText(takes.errors));
    assert.ok(!takes({ ...server, description: "x".repeat(101) }), "the schema takes everything");
  }],
  ["all manifests have one version", () => {
    const { version } = read(join(here, "../vscode/package.json"));
    assert.equal(server.version, version);
    for (const { version: packaged } of server.packages) assert.equal(packaged, version);
    assert.equal(read(join(here, "mcpb/manifest.json")).version, version);
    const npm = read(join(here, "../npm/cli/package.json"));
    assert.deepEqual(new Set([npm.version, ...Object.values(npm.optionalDependencies)]), new Set([version]));
    assert.equal(read(join(here, "../claude-code/plugin/.claude-plugin/plugin.json")).version, version);
  }],
  ["a bundle for desktop hosts is valid, packed, unpacked and answers", async () => {
    const { folder, env, ending } = await place(program);
    const top = dirname(folder);
    const [sources, unpacked] = ["bundle", "unpacked"].map((name) => join(top, name));
    cpSync(join(here, "mcpb"), sources, { recursive: true });
    mkdirSync(join(sources, "server"));
    copyFileSync(program, join(sources, "server/contexture"));
    chmodSync(join(sources, "server/contexture"), 0o755);
    mcpb("validate", join(sources, "manifest.json"));
    const file = join(top, "contexture.mcpb");
    mcpb("pack", sources, file);
    mcpb("unpack", file, unpacked);
    rmSync(sources, { recursive: true });
    const { mcp_config: config } = read(join(unpacked, "manifest.json")).server;
    const put = (text) => text.replace("${__dirname}", unpacked).replace("${user_config.folder}", folder);
    const command = put(config.command);
    assert.ok(existsSync(command), command);
    const transport = new StdioClientTransport({ command, args: config.args.map(put), env: { ...env, CONTEXTURE_STATE_DIR: join(top, "state") } });
    const client = new Client({ name: "desktop", version: "1" });
    await client.connect(transport);
    ending(() => process.kill(transport.pid, "SIGKILL"));
    const { content } = await client.callTool({ name: "search", arguments: { query: "retry a payment" } });
    assert.match(content[0].text, /^retry\.go:\d+-\d+/m);
    await client.close();
    return `${(statSync(file).size / 1e6).toFixed(1)} MB`;
  }],
]);
