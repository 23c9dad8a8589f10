// A person's ten daily tasks, each in at most three actions: node tests/daily.mjs INSTALL PROGRAM NAME
// An action is a command of the palette, a question or command in the chat, a click, or a text that is typed. They need
// the chat, which tests can use from VS Code 1.104 on.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { browser, conclude, vscode } from "./browser.mjs";
import { filesWith, give } from "./program.mjs";
import { admits, chat, fakeModel } from "./talk.mjs";
import { workbench } from "./window.mjs";

const [install, given, name = "daily"] = process.argv.slice(2);
if (!admits(install)) {
  console.log("daily: nothing to do before VS Code 1.104");
  process.exit(0);
}
const mostActions = 3;
const program = resolve(given);
const here = resolve(import.meta.dirname, "..");
const begin = performance.now();
const log = (what) => console.log(`${((performance.now() - begin) / 1000).toFixed(1).padStart(6)} s  ok: ${what}`);

const code = await vscode(install, { program, chat: true, vsix: [resolve(here, "contexture.vsix"), fakeModel()] });
const { page, context, close } = await browser();
const shot = (what) => page.screenshot({ path: resolve(here, `out/${name}-daily-${what}.png`) });
const talk = chat(page);
const wb = workbench(page);

const yesterday = new Date(Date.now() - 24 * 3_600_000).toISOString().slice(0, 10);

/** The program's records of the memory that the window uses. */
function records(what, input) {
  const done = spawnSync(program, ["memory", what, "--offline", "--state-dir", join(code.run, "state"), "--root", code.folder], { input, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

const memory = () => records("export").trim().split("\n").map((line) => JSON.parse(line));

async function until(what, check) {
  for (let i = 0; i < 50; i++) {
    if (check()) return;
    await page.waitForTimeout(200);
  }
  assert.fail(`never: ${what}: ${JSON.stringify(memory())}`);
}

/** Brings a conversation of yesterday, an idle one, and what a hook gave, into that memory. */
function remember() {
  const at = (minute) => `${yesterday}T10:0${minute}:00Z`;
  const lines = [
    { type: "contexture-memory", version: 1 },
    { type: "conversation", conversation: "refunds", title: "Refunds" },
    {
      type: "messages", conversation: "refunds", messages: [
        { id: "1", role: "user", at: at(0), content: "From now on always name the bank in logs." },
        { id: "2", role: "assistant", at: at(1), content: "Understood." },
        { id: "3", role: "user", at: at(2), content: "We decided to never retry refunds, because the bank books them twice." },
        { id: "4", role: "assistant", at: at(3), content: "Noted." },
        { id: "5", role: "user", at: at(4), content: "Which bank books them twice?" },
      ],
    },
    { type: "conversation", conversation: "idle", title: "Idle talk" },
    { type: "messages", conversation: "idle", messages: [{ id: "1", role: "user", at: "2026-01-02T03:04:05Z", content: "Is it late?" }] },
  ];
  records("import", lines.map((line) => JSON.stringify(line)).join("\n"));
  give(join(code.run, "state"), code.folder, "refunds", `${yesterday}T10:02:01Z`, 100);
}

let actions = 0;
const ask = (text) => (actions++, talk.ask(text));
const command = (text) => (actions++, wb.palette(text));
const type = (target, text) => (actions++, target.fill(text));
const press = (target) => (actions++, target.click());
const task = async (what, how) => {
  actions = 0;
  await how();
  assert.ok(actions <= mostActions, `${what} takes ${actions} actions`);
  log(`${what}: ${actions} actions`);
};
const list = page.locator(".interactive-list").first();

let failed;
try {
  writeFileSync(join(code.folder, ".gitignore"), "*.log\n");
  writeFileSync(join(code.folder, "server.log"), "started\n");
  mkdirSync(join(code.folder, "thirdparty"));
  writeFileSync(join(code.folder, "thirdparty", "lib.go"), "package thirdparty\n");
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: code.url });
  await page.goto(`${code.url}/?folder=${encodeURIComponent(code.folder)}`);
  await page.locator('.statusbar-item [aria-label*="up to date"]').waitFor();
  remember();
  await talk.open();

  await task("find where the attempts are decided", async () => {
    await ask("@contexture /search how often is a payment tried again?");
    await list.locator(".chat-inline-anchor-widget, a", { hasText: "retry.go" }).first().waitFor();
  });
  await talk.ask("where are payments retried?");
  await talk.answer("Echo 1 of 1 message.");
  await task("see what the model got, and why", async () => {
    await ask("/context");
    await talk.answer(/keyword match|matches the path/);
  });
  await task("see why a file is missing", async () => {
    await ask("/why server.log");
    await talk.answer("server.log is not indexed");
  });
  await task("accept a rule", async () => {
    await ask("/rules");
    await list.getByText("never retry refunds").first().waitFor();
    await press(list.getByRole("button", { name: "Accept" }).last());
  });
  await task("see what was decided about refunds, and when", async () => {
    await ask("/decisions refunds");
    await talk.answer(new RegExp(new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" }).format(new Date(yesterday))));
  });
  await task("see what it cost this week", async () => {
    await ask("/receipts");
    const cost = /This week: 100 tokens given, spared 0, net -100[^]*This chat: \d+ tokens given[^]*retry\.go, main\.go/;
    await page.waitForFunction((cost) => new RegExp(cost).test(document.querySelector(".interactive-list").innerText), cost.source);
  });
  await task("resume yesterday's work", async () => {
    await ask("/resume");
    await talk.answer("This chat goes on with it.");
    await talk.answer("Which bank books them twice?");
  });
  await talk.ask("so which one?");
  await talk.answer("Echo 2 of 1 message.");
  await list.locator(".chat-inline-anchor-widget", { hasText: "T-3.md" }).last().waitFor(); // the conversation's own turn is given
  await shot("resumed");
  await task("copy a context", async () => {
    await command("Contexture: Show the Context of a Prompt");
    await type(wb.webview().getByLabel("Prompt"), "where are payments retried?");
    await press(wb.webview().getByRole("button", { name: "Copy as Text" }).or(wb.webview().getByRole("button", { name: /^Text$/ })).first());
    await page.waitForFunction(async () => (await navigator.clipboard.readText()).includes("func retryPayment"));
  });
  await task("leave a folder out", async () => {
    await page.locator('.activitybar [aria-label^="Explorer"]').first().click(); // where a person begins
    const folder = page.locator(".explorer-folders-view .monaco-list-row", { hasText: "thirdparty" });
    actions += 2;
    await wb.choose(folder, "Exclude", page.locator(".notification-list-item", { hasText: "thirdparty" }));
    assert.match(readFileSync(join(code.folder, ".contextureignore"), "utf8"), /^\/thirdparty\/$/m);
  });
  await task("forget a chat", async () => {
    await command("Contexture: Forget a Conversation");
    await press(page.locator(".quick-input-list .monaco-list-row", { hasText: "Idle talk" }).first());
    await press(page.locator(".monaco-dialog-box").getByRole("button", { name: "Forget" }));
  });
  await until("the memory has what was done", () => {
    const all = memory();
    return !all.some((line) => line.conversation === "idle") && all.some((line) => line.type === "knowledge" && line.state === "confirmed" && /never retry refunds/.test(line.content));
  });
  log("the memory has what was done");
  await until("no byte of what was forgotten is left", () => filesWith(join(code.run, "state"), "Is it late?").length === 0);
  log("no byte of what was forgotten is left");
} catch (error) {
  failed = error;
}
await conclude("daily tasks", failed, { shot, close, code });
