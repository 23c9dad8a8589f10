// Talks to @contexture in the chat with a language model of ours: node tests/chat.mjs INSTALL PROGRAM NAME
// VS Code admits such a model from 1.104 on; with older ones there is nothing to do.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { browser, conclude, vscode } from "./browser.mjs";
import { admits, chat, fakeModel } from "./talk.mjs";
import { workbench } from "./window.mjs";

const [install, given, name = "chat"] = process.argv.slice(2);
if (!admits(install)) {
  console.log("chat: nothing to do before VS Code 1.104");
  process.exit(0);
}
const program = resolve(given);
const here = resolve(import.meta.dirname, "..");
const begin = performance.now();
const log = (what) => console.log(`${((performance.now() - begin) / 1000).toFixed(1).padStart(6)} s  ok: ${what}`);

const code = await vscode(install, { program, chat: true, vsix: [resolve(here, "contexture.vsix"), fakeModel()] });
const { page, close } = await browser();
const { open, ask, answer } = chat(page);
const shot = (what) => page.screenshot({ path: resolve(here, `out/${name}-${what}.png`) });

/** What the program remembers of the workspace. */
function remembered() {
  const done = spawnSync(program, ["memory", "export", "--offline", "--state-dir", join(code.run, "state"), "--root", code.folder], { encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout.trim().split("\n").map((line) => JSON.parse(line));
}

/** The turns that the program remembers. */
function turns() {
  const said = remembered().filter((line) => line.type === "messages").flatMap((line) => line.messages.map((m) => ({ ...m, conversation: line.conversation })));
  return said.flatMap((m, i) => (m.role === "user" ? [{ conversation: m.conversation, question: m.content, answer: said[i + 1]?.content, author: said[i + 1]?.author }] : []));
}

async function until(what, check) {
  for (let i = 0; i < 50; i++) {
    if (check()) return;
    await page.waitForTimeout(200);
  }
  assert.fail(`never: ${what}`);
}

let failed;
try {
  await page.goto(`${code.url}/?folder=${encodeURIComponent(code.folder)}`);
  await page.locator('.statusbar-item [aria-label*="up to date: 3 of 3 files"]').waitFor();
  await open();
  log("the chat offers the model");

  const asked = performance.now();
  await ask("@contexture where are payments retried?");
  await answer("Echo 1 of 1 message.");
  await answer("func retryPayment");
  const first = await answer(/<ctx-prompt/); // the last of it
  await shot("first");
  assert.match(first, /Sent before: nothing/);
  assert.match(first, /<ctx-code/);
  assert.match(first, /<ctx-prompt/);
  log(`the model was given the bundle; its answer stands ${((performance.now() - asked) / 1000).toFixed(1)} s after the first key`);

  await until("the first turn is remembered", () => turns().length === 1);
  await ask("and how often does the policy allow it?");
  await answer("Echo 2 of 1 message.");
  await shot("second");
  await answer("Sent before: Echo 1");
  log("the second answer stands below the first, and the model was given the first turn with it");

  await until("the second turn is remembered", () => turns().length === 2);
  assert.equal(new Set(turns().map((t) => t.conversation)).size, 1, "the turns are in different conversations");
  assert.deepEqual(turns().map((t) => t.question), ["where are payments retried?", "and how often does the policy allow it?"]);
  for (const { answer: said } of turns()) assert.match(said, /^Echo \d of 1 message[^]*func retryPayment/);
  assert.match(turns()[0].author, /^Fake Echo$/);
  log("both turns are remembered, in one conversation, with the model's name");

  await page.locator(".chat-followups, .interactive-session-followups", { hasText: "What was sent to the model?" }).waitFor();
  log("what may be asked next is offered");
  await answer("3 items");
  await ask("/context");
  await answer("of this conversation, whole");
  log("each answer tells what the model was given, and /context why");

  const wb = workbench(page);
  const file = (name) => page.locator(".explorer-folders-view .monaco-list-row", { hasText: name });
  await file("retry.go").click();
  await page.locator(".editor-container .monaco-editor", { hasText: "RetryPolicy" }).first().click();
  for (const key of ["Control+Home", "ArrowDown", "ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown"]) await page.keyboard.press(key);
  await wb.palette("Chat: Add Selection to Chat"); // it is attached twice then: VS Code adds what is selected by itself
  await ask("what is this about?");
  await answer("Echo 3 of 1 message.");
  await answer("tokens attached by you");
  const list = await page.locator(".interactive-list").first().innerText();
  assert.match(list, /<ctx-attached\sname="retry\.go"\slines="3-4">/);
  assert.equal(list.match(/<ctx-attached/g).length, 1);
  log("the model is given the selection that was attached");

  await page.locator(".interactive-input-part .monaco-editor").first().click();
  await page.keyboard.type("and this? #READ", { delay: 60 });
  await page.locator(".suggest-widget .monaco-list-row", { hasText: "README.md" }).first().click();
  await page.locator('.interactive-input-part [aria-label*="README.md"]').first().waitFor(); // VS Code attaches it a while after it has written its name
  await page.keyboard.press("Enter");
  await answer("Echo 4 of 1 message.");
  const after = await answer(/<ctx-attached\sname="README.md">/);
  await shot("attached");
  assert.doesNotMatch(after.slice(after.indexOf("Echo 4")), /<ctx-doc\spath="README\.md"/);
  await until("all questions are remembered", () => turns().length === 4);
  log("the model is given the file that #file names, once");
  await ask("/search retryPayment");
  await page.locator(".interactive-list .chat-inline-anchor-widget, .interactive-list a", { hasText: "retry.go" }).last().waitFor();
  await ask("/why retry.go");
  await answer("retry.go is indexed");
  await ask("/rules");
  await answer("There are no rules yet.");
  await ask("/search");
  await answer("Add what to look for");
  await shot("commands");
  assert.equal(turns().length, 4, "a command was stored as a turn");
  log("commands answer without a model, and nothing of them is stored");
} catch (error) {
  failed = error;
}
await conclude("chat tests", failed, { shot, close, code });
