// Uses the page of `contexture panel` as a person would: node tests/page.mjs PROGRAM
// Screenshots go to out/page-*.png.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { browser } from "./browser.mjs";
import { indexed, panel, place } from "./program.mjs";

const program = resolve(process.argv[2]);
const out = resolve(import.meta.dirname, "../out");
mkdirSync(out, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const begin = performance.now();
const log = (what) => console.log(`${((performance.now() - begin) / 1000).toFixed(1).padStart(6)} s  ok: ${what}`);
const here = place();
const run = await panel(program, { folder: here.folder, state: here.state() });
const { page, context, close } = await browser({ width: 900, height: 1000 });
page.setDefaultTimeout(20_000);
const shot = (what) => page.screenshot({ path: resolve(out, `page-${what}.png`), fullPage: true });
const troubles = [];
page.on("console", (message) => ["error", "warning"].includes(message.type()) && troubles.push(message.text()));
page.on("pageerror", (error) => troubles.push(String(error)));
page.on("requestfailed", (r) => r.failure()?.errorText !== "net::ERR_ABORTED" && troubles.push(`${r.url()}: ${r.failure()?.errorText}`));
context.on("request", (r) => !r.url().startsWith(`${run.origin}/`) && !r.url().startsWith("data:") && troubles.push(`asks ${r.url()}`));

const execute = (command, args) =>
  page.evaluate(async ([command, args]) => {
    const answer = await fetch("/execute", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ command, args }) });
    if (!answer.ok) throw new Error(`${command}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }, [command, args]);
const items = page.locator(".items > li");
const of = (file) => items.filter({ hasText: file });
/** What has the keyboard: its label or text. */
const focused = () => page.evaluate(() => {
  const at = document.activeElement;
  return at === document.body ? "nothing" : at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent;
});
async function tabTo(name, key = "Tab") {
  const passed = [];
  for (let i = 0; i < 60; i++) {
    if (name.test(await focused())) return;
    passed.push(await focused());
    await page.keyboard.press(key);
  }
  assert.fail(`${name} is not reached by ${key}: ${passed.join(", ")}`);
}
async function accessible(what) {
  for (const [looks, media] of [
    ["light", { colorScheme: "light", forcedColors: "none" }],
    ["dark", { colorScheme: "dark", forcedColors: "none" }],
    ["forced-colors", { colorScheme: "dark", forcedColors: "active" }],
  ]) {
    await page.emulateMedia(media);
    const { violations } = await page.evaluate(`(() => { ${axe}; return globalThis.axe.run(); })()`);
    assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.html} ${n.failureSummary}`).join(" ")}`), [], `${what} in ${looks}`);
    await shot(`${what}-${looks}`);
  }
  await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
  log(`${what}: no accessibility violation in light, dark and forced colors`);
}

let failed;
try {
  await page.goto(run.url);
  const prompt = page.getByLabel("Prompt");
  await prompt.waitFor();
  assert.equal(page.url(), `${run.origin}/`, "the token stays in the address");
  assert.equal((await fetch(run.url, { redirect: "manual" })).status, 401, "the address is good for a second time");
  log("the address opens the page, and no second time");
  await indexed(execute);
  await accessible("empty");

  // From the last key to the first drawing after it, as the page sees it.
  await page.evaluate(() => {
    const now = (globalThis.measured = { typed: 0, drawn: 0 });
    document.getElementById("prompt").addEventListener("input", () => Object.assign(now, { typed: performance.now(), drawn: 0 }), true);
    new MutationObserver((changes) => {
      const drawn = changes.some((c) => [...c.addedNodes].some((n) => n instanceof Element && n.matches(".items")));
      if (drawn && !now.drawn) requestAnimationFrame(() => (now.drawn ||= performance.now()));
    }).observe(document.getElementById("contexture"), { subtree: true, childList: true });
  });
  const times = [];
  for (const text of ["where are payments retried?", " and who calls it?", " (go)"]) {
    await prompt.press("End");
    await prompt.pressSequentially(text, { delay: 30 });
    times.push(await page.waitForFunction(() => globalThis.measured.drawn && globalThis.measured.drawn - globalThis.measured.typed).then((h) => h.jsonValue()));
  }
  log(`the result is drawn ${times.map((t) => t.toFixed(0)).join(", ")} ms after the last key (target: 150)`);
  for (const time of times) assert.ok(time <= 1000, `${time} ms`);
  await prompt.fill("where are payments retried?");
  await of("retry.go:").first().waitFor();

  const text = await page.locator("main").innerText();
  assert.match(text, /\d+ of 12000 tokens/);
  for (const layer of ["Found for this prompt", "Your prompt"]) assert.match(await page.getByRole("row", { name: layer }).innerText(), /\d+ of \d+/);
  assert.match(await of("retry.go:").first().innerText(), /retryPayment[^]*tokens[^]*retry\.go:\d+ · ./);
  for (const item of await items.all()) assert.match(await item.locator("p").innerText(), /\S/, "an item without a reason");
  log("the budget by layers, and items with places and reasons");

  let early = true; // answers say that files are still read
  await page.route("**/execute", async (route) => {
    if (route.request().postDataJSON().command !== "contexture.bundle" || !early) return route.continue();
    const response = await route.fetch();
    const bundle = await response.json();
    bundle.degraded.push({ stage: "index", reason: "indexing", detail: "the index is behind the disk" });
    await route.fulfill({ response, json: bundle });
  });
  await prompt.fill("where are payments retried again?");
  await page.getByRole("status").getByText("index: indexing").waitFor();
  early = false;
  await page.getByRole("status").getByText("index: indexing").waitFor({ state: "detached" });
  await page.unroute("**/execute");
  await prompt.fill("where are payments retried?");
  await of("retry.go:").first().waitFor();
  log("what is answered while files are read is asked again");

  await page.getByLabel("Budget in tokens").fill("100");
  await page.getByText(/budget.*256/).waitFor();
  await page.getByLabel("Budget in tokens").fill("4000");
  await page.getByText("of 4000 tokens").waitFor();
  assert.match(troubles.splice(0).join(), /^[^,]* 422 [^,]*$/, "one refusal, which the browser notes");
  log("a budget that is too small is refused by name, another one is taken");

  await page.getByRole("button", { name: "Exclude README.md" }).first().click();
  await of("README.md").waitFor({ state: "detached" });
  assert.match(await focused(), /Bring back README\.md/);
  await page.getByRole("button", { name: "Bring back README.md" }).click();
  await of("README.md").first().waitFor();
  assert.notEqual(await focused(), "nothing", "the keyboard is lost after bringing back");
  log("a file is excluded and brought back, and the keyboard stays in place");

  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: run.origin });
  await page.getByRole("button", { name: "Copy the text" }).click();
  await page.getByRole("status").getByText("copied").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /<ctx-code path="retry\.go"[^]*func retryPayment[^]*<ctx-prompt/);
  log("the text is copied as it would be sent");

  const conversationId = "shop";
  const at = (minute) => new Date(Date.UTC(2026, 0, 2, 3, minute)).toISOString();
  await execute("contexture.conversation.append", {
    conversationId, title: "The shop's payments",
    messages: [
      { id: "1", role: "user", content: "How are payments retried? We decided to use three attempts in retryPayment of retry.go.", at: at(0) },
      { id: "2", role: "assistant", content: "Understood.", at: at(1) },
      { id: "3", role: "user", content: "Should the pause between attempts grow?", at: at(2) },
      { id: "4", role: "assistant", content: "That is open.", at: at(3) },
    ],
  });
  await page.evaluate(() => window.dispatchEvent(new Event("focus"))); // as when somebody comes back to the window
  await page.getByLabel("Conversation").getByText("The shop's payments (2)").waitFor({ state: "attached" });
  assert.equal(await page.getByLabel("Conversation").inputValue(), "", "what was chosen is chosen no more");
  await page.reload();
  assert.equal(await prompt.inputValue(), "where are payments retried?", "a reload forgets the prompt");
  assert.equal(await page.getByLabel("Budget in tokens").inputValue(), "4000");
  await page.getByText("Reminders").waitFor();
  await page.getByLabel("Conversation").selectOption({ label: "The shop's payments (2)" });
  await page.getByRole("heading", { name: "Decisions (1)" }).waitFor();
  assert.match(await page.locator("main").innerText(), /Focus: .*attempts/);
  await page.getByRole("row", { name: "History" }).waitFor();
  assert.match(await items.filter({ hasText: "Turn 1" }).innerText(), /of this conversation/);
  await accessible("conversation");
  log("a conversation is chosen: its turns are in the bundle, its focus and decision beside it, and it reminded before");

  await items.filter({ hasText: "Turn 1" }).getByRole("button", { name: "Open the turn T-1" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("We decided to use three attempts").waitFor();
  await accessible("turn");
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Pin func main" }).click();
  await page.getByRole("row", { name: "Conversation memory" }).or(items.filter({ hasText: /board|pinned/i })).first().waitFor();
  log("a turn opens and closes, and an item is pinned");

  // The keyboard alone, from the page's beginning.
  await page.reload();
  await of("README.md").first().waitFor();
  assert.equal(await page.getByLabel("Conversation").inputValue(), conversationId);
  await tabTo(/^Prompt$/);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("who calls retryPayment, and how are payments retried?");
  await tabTo(/^Conversation$/);
  await page.keyboard.press("Home");
  await page.getByRole("row", { name: "History" }).waitFor({ state: "detached" });
  await page.getByText("Reminders").waitFor();
  await tabTo(/^Exclude README\.md$/);
  await page.keyboard.press("Enter");
  await of("README.md").waitFor({ state: "detached" });
  assert.match(await focused(), /^Bring back/);
  await page.keyboard.press("Enter");
  await of("README.md").first().waitFor();
  await tabTo(/^Copy the text$/, "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("copied").waitFor();
  await tabTo(/^T-1/);
  const turn = await focused();
  await page.keyboard.press("Enter");
  await dialog.getByText("We decided to use three attempts").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  assert.equal(await focused(), turn, "the keyboard is not where it was before the dialog");
  log("all of it by the keyboard alone");

  await page.getByLabel("Conversation").selectOption(conversationId);
  await page.getByRole("heading", { name: "Decisions (1)" }).waitFor();
  await execute("contexture.conversation.delete", { conversationId });
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.getByRole("heading", { name: "Decisions (1)" }).waitFor({ state: "detached" });
  await page.reload();
  await of("README.md").first().waitFor();
  assert.equal(await page.getByLabel("Conversation").evaluate((list) => list.selectedOptions[0]?.label), "none");
  log("a conversation that was forgotten is chosen no more");
} catch (error) {
  failed = error;
  await shot("failed").catch(() => undefined);
  console.error(error);
  console.error(run.said());
}
await close();
const status = await run.stop();
if (!failed && (status !== 0 || troubles.length)) {
  failed = { status, troubles };
  console.error("the end:", failed, run.said());
}
console.log(`page tests: ${failed ? "failed" : "ok"}`);
process.exit(failed ? 1 : 0);
