// The protocol's TypeScript client calls every tool, and reads every resource and prompt: node client.mjs PROGRAM
// It checks each answer against the schema that its tool declares, and the skill against its entry. A session of every
// revision gets the tools that are offered by default and a bundle's code as text; both kinds of session get all of them.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { place, report } from "./program.mjs";
import { byType, conversationId, hints, mayLack, prompt, standard, texts, tools } from "./tools.mjs";

const program = process.argv[2];

/** Calls a tool that must succeed and gives its text and its other members. */
async function call(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  const [{ text }] = result.content;
  if (mayLack.includes(name) && result.isError) assert.match(text, /^unavailable/);
  else assert.ok(!result.isError, `${name}: ${text}`);
  if (texts.includes(name)) {
    assert.equal(result.structuredContent, undefined, `${name}: hosts would hand the model nothing but this`);
    assert.equal(result.content.length, 1);
    assert.doesNotMatch(text, /file:\/\/|<ctx-|\\n|"score"/, `${name} is no text to read: ${text}`);
  }
  return { ...result.structuredContent, text };
}

/** Every tool is offered with schemas that a validator takes, and says truly what it does. */
async function listed(client, expected) {
  const list = await client.listTools();
  const offered = new Map(list.tools.map((tool) => [tool.name, tool]));
  assert.deepEqual([...offered.keys()], expected.map(([name]) => name).sort(), "the order is the same every time");
  for (const [name, does, args] of expected) {
    const tool = offered.get(name);
    assert.deepEqual({ ...tool.annotations, ...hints[does] }, tool.annotations, `${name} is one that ${does}`);
    assert.equal(tool.outputSchema === undefined, texts.includes(name), `${name}: the output schema`);
    for (const schema of [tool.inputSchema, tool.outputSchema].filter(Boolean)) {
      assert.equal(schema.type, "object", name);
      new AjvJsonSchemaValidator().getValidator(schema);
    }
    const takes = new AjvJsonSchemaValidator().getValidator(tool.inputSchema);
    assert.ok(!takes({ nonsense: 1 }).valid, `${name} admits what it does not know`);
    const earlier = { cabinet_put: { fileKey: "f" }, board_put: { item: { id: "i" } }, knowledge_entities: { entities: [{ id: "e" }] } };
    const given = args({ uri: "file:///ws", folder: "/ws", run: () => '{"id":"b"}' }, earlier);
    const { valid, errorMessage } = takes({ ...given, root: "/ws" });
    assert.ok(valid, `${name} does not admit ${JSON.stringify(given)}: ${errorMessage}`);
  }
}

/** Every tool is called. While only those are that say they read, nothing that is remembered changes. */
async function called(client, here) {
  const seen = {};
  let before;
  for (const [name, does, args] of tools) {
    if (does === "reads") before ??= here.run("memory", "export");
    else if (before !== undefined) {
      assert.equal(here.run("memory", "export"), before, "what says that it reads has written");
      before = undefined;
    }
    seen[name] = await call(client, name, args(here, seen));
  }
  assert.match(seen.context.text, /^retry\.go:\d+-\d+.*\n```go\n[^]*func retryPayment\(p RetryPolicy\) error/m);
  assert.ok(!seen.context.text.includes(prompt), "who asks has the prompt");
  assert.match(seen.context.text, /stop after three attempts/);
  assert.match(seen.context.text, /wrap errors with the operation's name/);
  assert.match(seen.recall.text, /three attempts/);
  await call(client, "remember", { kind: "decision", text: "retry.go keeps no state of its own." });
  for (const [args, says] of byType) assert.match((await call(client, "recall", args)).text, says);
  assert.match(seen.turn.text, /^Turn T-1\n```\nuser: How often/);
  assert.match(seen.conversation_history.text, /^Turn T-1\n/);
  assert.match(seen.search.text, /^retry\.go:\d+-\d+ in .*\n```go\n/m);
  assert.match(seen.symbol.text, /^retry\.go:\d+-\d+ function retryPayment\n```go\n/);
  assert.equal(seen.index_why.indexed, true);
  assert.equal(seen.knowledge_profile.profile.label, "PAY-204");
  assert.equal(seen.knowledge_steer.profile.pinned, true);
  assert.equal(seen.knowledge_get.item.content, "The bank blocks after four.");
  assert.deepEqual((await call(client, "conversation_list", {})).conversations.map(({ id }) => id), [conversationId]);
}

/** What is refused is a result that names the field, so that a model can mend its call. */
async function refused(client) {
  for (const [name, args, says] of [
    ["context", {}, /^prompt: /],
    ["context", { prompt, budget: 1 }, /^budget: /],
    ["context", { prompt, budget: "many" }, /^budget: /],
    ["context", { prompt, bugdet: 2000 }, /^bugdet: /],
    ["context", { prompt, root: "/no/such/folder" }, /^root: /],
    ["context", { prompt, budget: 1_000_001 }, /^budget: /],
    ["remember", { kind: "song", text: "la" }, /^kind: /],
    ["turn", { conversationId, turnId: "7" }, /^turnId: /],
    ["conversation_append", { conversationId: "x", messages: [{ role: "poet", content: "x" }] }, /messages\[0\]\.role/],
    ["conversation_arc", { conversationId: "nobody" }, /^notFound/],
  ]) {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(result.isError, `${name} took ${JSON.stringify(args)}`);
    assert.match(result.content[0].text, says);
  }
  await assert.rejects(client.callTool({ name: "nonsense", arguments: {} }), /nonsense/);
}

/** Resources and the prompt are listed and read, and are marked as private. */
async function read(client) {
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.deepEqual(resources.map(({ uri }) => uri), ["contexture://index/status", "skill://contexture/SKILL.md"]);
  const id = encodeURIComponent(conversationId);
  const uris = resourceTemplates.map(({ uriTemplate }) => uriTemplate.replace("{id}", id).replace("{turn}", "T-1"));
  for (const [uri, says] of [[resources[0].uri, /"state":"\w+"/], [uris[0], /three attempts/], [uris[1], /the bank blocks after four/]]) {
    const result = await client.readResource({ uri });
    assert.equal(result.contents[0].uri, uri);
    assert.match(result.contents[0].text, says);
    assert.equal(result.cacheScope, "private", `${uri} is a person's own`);
  }
  for (const uri of ["contexture://else", uris[0].replace(id, "nobody"), uris[1].replace("T-1", "T-9")]) {
    await assert.rejects(client.readResource({ uri }), /not found/i, uri);
  }
  assert.deepEqual((await client.listPrompts()).prompts.map(({ name }) => name), ["context"]);
  const { messages } = await client.getPrompt({ name: "context", arguments: { prompt, budget: "600" } });
  assert.match(messages[0].content.text, /func retryPayment[^]*where are payments retried\?/);
  await assert.rejects(client.getPrompt({ name: "context", arguments: { prompt, budget: "many" } }), /budget/);
  await assert.rejects(client.getPrompt({ name: "context", arguments: {} }), /prompt/);
}

/** Passes a result on: the client has no schemas for the methods of extensions. */
const anything = { "~standard": { version: 1, vendor: "contexture-test", validate: (value) => ({ value }) } };

/** The skill is listed, found by its URI, and read as the bytes that its entry describes. */
async function skilled(client) {
  assert.deepEqual(client.getServerCapabilities().extensions, { "io.modelcontextprotocol/skills": {} });
  const { skills, nextCursor } = await client.request({ method: "skills/list", params: {} }, anything);
  assert.equal(nextCursor, undefined);
  assert.deepEqual(skills.map(({ uri, frontmatter }) => [uri, frontmatter.name]), [["skill://contexture/SKILL.md", "contexture"]]);
  const { skill } = await client.request({ method: "skills/get", params: { uri: skills[0].uri } }, anything);
  assert.deepEqual(skill, skills[0]);
  for (const { uri, digest, size } of skill.resources) {
    const bytes = Buffer.from((await client.readResource({ uri })).contents[0].text);
    assert.deepEqual([digest, size], [`sha256:${createHash("sha256").update(bytes).digest("hex")}`, bytes.length]);
    assert.match(bytes.toString(), /\/contexture .*search WORDS` lists places/);
  }
  await assert.rejects(client.request({ method: "skills/get", params: { uri: "skill://else/SKILL.md" } }, anything), /no such skill/);
}

/** Begins a session of a revision. */
async function session(here, version, ...more) {
  const options = version < "2026" ? { supportedProtocolVersions: [version], versionNegotiation: { mode: "legacy" } } : { versionNegotiation: { mode: { pin: version } } };
  const client = new Client({ name: "contexture-test", version: "1" }, options);
  const transport = new StdioClientTransport({ command: here.command, args: [...here.args, ...more], env: here.env });
  await client.connect(transport);
  here.ending(() => process.kill(transport.pid, "SIGKILL"));
  assert.equal(client.getNegotiatedProtocolVersion(), version);
  assert.equal(client.getServerVersion().name, "contexture");
  assert.match(client.getInstructions(), /call context first/);
  return client;
}

await report("the protocol's client", [
  ...["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"].map((version) => [
    `a session of ${version} lists the ${standard.length} tools and gets a bundle's code as text`,
    async () => {
      const here = await place(program);
      const client = await session(here, version);
      await listed(client, tools.filter(([name]) => standard.includes(name)));
      const { text } = await call(client, "context", { prompt, budget: 2000 });
      assert.match(text, /^retry\.go:\d+-\d+.*\n```go\n[^]*func retryPayment\(p RetryPolicy\) error/m);
      await client.close();
    },
  ]),
  ...["2025-11-25", "2026-07-28"].map((version) => [
    `a session of ${version} calls all ${tools.length} tools`,
    async () => {
      const here = await place(program);
      const client = await session(here, version, "--tools", "all");
      await listed(client, tools);
      await called(client, here);
      await refused(client);
      await read(client);
      await skilled(client);
      await client.close();
    },
  ]),
]);
