// Uses the page of `contexture panel` as a person would: node tests/page.mjs PROGRAM
import assert from "node:assert/strict";
import { focused, log, run, tabTo, within } from "./kit.mjs";

await run("page", async ({ page, context, execute, open, served, expect }) => {
  assert.equal(page.url(), `${served.origin}/`, "the token stays in the address");
  assert.equal((await fetch(served.url, { redirect: "manual" })).status, 401, "the address is good for a second time");
  log("the address opens the page, and no second time");

  const items = page.locator(".item");
  const of = (file) => items.filter({ hasText: file });
  const prompt = page.getByLabel("Prompt");
  await page.getByText("Type a prompt to see what a model would get").waitFor();

  await within("the first paint after the request takes", 300, async () => {
    await page.reload();
    await prompt.waitFor();
    // Waits for the entry: it is written after the paint.
    return (await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime)).jsonValue();
  });

  // From the last key to the first drawing after it, as the page sees it.
  await page.evaluate(() => {
    const now = (globalThis.measured = { typed: 0, drawn: 0 });
    document.querySelector("textarea").addEventListener("input", () => Object.assign(now, { typed: performance.now(), drawn: 0 }), true);
    new MutationObserver(() => {
      if (!now.drawn && now.typed) requestAnimationFrame(() => (now.drawn ||= performance.now()));
    }).observe(document.querySelector(".context-frame"), { subtree: true, childList: true, characterData: true });
  });
  const answered = (text) => page.waitForResponse((r) => r.url().endsWith("/execute") && r.request().postDataJSON().command === "contexture.bundle" && r.request().postDataJSON().args.prompt === text);
  let typed = "";
  const more = ["where are payments retried?", " and who calls it?", " (go)"];
  const type = async (text) => {
    typed += text;
    await prompt.press("End");
    const [response] = await Promise.all([answered(typed), prompt.pressSequentially(text, { delay: 30 })]);
    await response.finished();
    return (await page.waitForFunction(() => globalThis.measured.drawn && globalThis.measured.drawn - globalThis.measured.typed)).jsonValue();
  };
  await within("the answer is drawn after the last key in", 200, (round) => type(more[round] ?? ` ${round}`));

  await prompt.fill("where are payments retried?");
  await of("retry.go:").first().waitFor();
  const total = page.getByRole("region", { name: "Budget by layer" });
  assert.match(await total.innerText(), /\d+ of 12,000 tokens[^]*Found for this prompt[^]*Your prompt/);
  const rows = page.getByRole("list", { name: "Items in the order of help" }).locator(".item");
  const shares = await rows.locator(".score").evaluateAll((scores) => scores.map((s) => parseInt(/\d+/.exec(s.title)[0], 10)));
  assert.deepEqual(shares, shares.toSorted((a, b) => b - a), "the items are not in the order of help");
  for (const why of await rows.locator(".item-why").allInnerTexts()) assert.match(why, /\S/, "an item without a reason");
  const text = page.getByRole("region", { name: "What the model gets" });
  const exact = async () => {
    const { text: sent } = await execute("contexture.bundle", { prompt: await prompt.inputValue() });
    await page.waitForFunction((sent) => document.querySelector(".model-text").textContent === sent, sent);
  };
  await exact();
  const block = (words) => text.locator(".block").filter({ hasText: words });
  await of("retry.go:").first().locator(".item-main").click();
  await block("func retryPayment").and(page.locator(".chosen")).waitFor();
  await block("func retryPayment").locator(".syntax-keyword").first().waitFor();
  assert.ok((await block("func retryPayment").locator("mark").count()) > 0, "no matched word is marked");
  assert.match(await block("func retryPayment").locator(".line.matched").first().innerText(), /retr|payment/i);
  assert.equal(await block("func retryPayment").locator(".line", { hasText: "func retryPayment" }).getAttribute("data-line"), "7", "a line has not the number of its file");
  await exact(); // also with marks and numbers
  await block("func main").locator(".line").first().click();
  await of("main.go:").and(page.locator(".chosen")).waitFor();
  log("the items in the order of help, each with a reason; the text as it is sent, linked with them both ways");

  await total.getByRole("button", { name: /^Your prompt/ }).focus();
  await page.locator(".block.L7_user_message.lit").waitFor();
  await page.locator(".item.L7_user_message.lit").waitFor();
  await total.locator(".budget-bar > .L5_jit").hover();
  await page.locator(".block.L5_jit.lit").first().waitFor();
  assert.equal(await page.locator(".item.L7_user_message.lit").count(), 0);
  await page.mouse.move(1, 1);
  await page.locator(".lit").first().waitFor({ state: "detached" });
  log("the budget's bar points at its layer's parts in the list and the text");

  let early = true; // answers say that files are still read
  await page.route("**/execute", async (route) => {
    if (route.request().postDataJSON().command !== "contexture.bundle" || !early) return route.continue();
    const response = await route.fetch();
    const bundle = await response.json();
    bundle.degraded.push({ stage: "index", reason: "indexing", detail: "the index is behind the disk" });
    await route.fulfill({ response, json: bundle });
  });
  await prompt.fill("where are payments retried again?");
  await page.getByText("index: the index is behind the disk").waitFor();
  early = false;
  await page.getByText("index: the index is behind the disk").waitFor({ state: "detached" });
  await page.unroute("**/execute");
  log("what is answered while files are read is asked again");

  expect(/status of 422/);
  await page.getByRole("spinbutton", { name: "Budget in tokens" }).fill("100");
  await page.getByRole("alert").getByText(/budget.*256/).waitFor();
  await page.getByRole("spinbutton", { name: "Budget in tokens" }).fill("4000");
  await page.getByText("of 4,000 tokens").waitFor();
  await page.getByRole("alert").waitFor({ state: "detached" });
  log("a budget that is too small is refused by name, another one is taken");

  await prompt.fill("where are payments retried?");
  await of("retry.go:").first().waitFor();
  await of("retry.go:").first().locator(".item-main").click();
  await page.getByRole("button", { name: "Leave out retry.go", exact: true }).click();
  await of("retry.go:").waitFor({ state: "detached" });
  assert.match(await focused(page), /\S/);
  await page.getByRole("button", { name: "Undo: retry.go" }).click();
  await of("retry.go:").first().waitFor();
  assert.notEqual(await focused(page), "nothing", "the keyboard is lost after bringing back");
  log("a file is left out and brought back, and the keyboard stays in place");

  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: served.origin });
  for (const [form, wanted] of [["Text", /<ctx-code path="retry\.go"[^]*func retryPayment[^]*<ctx-prompt/], ["Markdown", /^## .*retry\.go:\d+\n\n```go\n[^]*func retryPayment/m], ["XML", /<item kind="code" source="retry\.go:\d+"[^]*func retryPayment/]]) {
    await page.getByRole("button", { name: `Copy as ${form}` }).click();
    await page.locator(".announcer").getByText("Copied").waitFor();
    await page.waitForFunction(async (source) => new RegExp(source, "m").test(await navigator.clipboard.readText()), wanted.source);
  }
  log("the bundle is copied as text, Markdown and XML");

  await prompt.fill("what does main print?");
  await page.getByRole("radio", { name: "Difference" }).click();
  await page.getByRole("heading", { name: /Added|Removed/ }).first().waitFor();
  await page.waitForFunction(() => location.hash.includes("q=what")); // the address follows what is typed
  log("the difference to the bundle before");
  await page.getByRole("radio", { name: "What the model gets" }).click();

  await open("/context?q=where%20are%20payments%20retried%3F&budget=4000");
  await of("retry.go:").first().waitFor();
  await page.getByRole("link", { name: "Search" }).click();
  await page.goBack();
  await of("retry.go:").first().waitFor();
  assert.equal(await prompt.inputValue(), "where are payments retried?");
  await page.reload();
  await of("retry.go:").first().waitFor();
  assert.equal(await prompt.inputValue(), "where are payments retried?", "a reload forgets the prompt");
  assert.equal(await page.getByRole("spinbutton", { name: "Budget in tokens" }).inputValue(), "4000");
  // The address follows what is typed 300 ms later; one that comes just before that stays as it is.
  for (let rest = 270; rest <= 302; rest += 4) {
    await prompt.fill(`typed ${rest}`);
    await page.evaluate((rest) => new Promise((done) => setTimeout(() => done((location.hash = `/context?q=link%20${rest}`)), rest)), rest);
    await page.waitForTimeout(400);
    assert.equal(await prompt.inputValue(), `link ${rest}`, `a link ${rest} ms after typing is lost`);
  }
  await open("/context?q=where%20are%20payments%20retried%3F");
  log("an address opens what it names; back, reload and typing keep it");

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
  const choice = page.getByRole("combobox", { name: "Conversation" });
  const chosen = () => choice.locator("option:checked").textContent();
  const listed = choice.getByText("The shop's payments (2)");
  const decisions = page.getByRole("heading", { name: "Decisions" });
  await listed.waitFor({ state: "attached" });
  assert.equal(await chosen(), "No conversation", "a conversation is chosen by itself");
  await page.locator(".item", { hasText: "The shop's payments" }).waitFor();
  await choice.selectOption({ label: "The shop's payments (2)" });
  await decisions.waitFor();
  await page.getByRole("button", { name: /^History/ }).waitFor();
  log("a conversation that comes in is listed without a reload, reminds, and is gone on with");

  const place = (name) => page.getByRole("navigation", { name: "Places" }).getByRole("link", { name });
  await prompt.fill("");
  await place("Rules and decisions").click();
  await place("Context").click();
  await listed.waitFor({ state: "attached" });
  assert.equal(await chosen(), "The shop's payments (2)", "a visit to another place forgets the choice");
  await prompt.fill("where are payments retried?");
  await decisions.waitFor();
  await page.getByRole("button", { name: "Remove: Conversation" }).click();
  await decisions.waitFor({ state: "detached" });
  await page.waitForFunction(() => location.hash.includes("q=") && !location.hash.includes("conversation="));
  await choice.selectOption({ label: "The shop's payments (2)" });
  await page.waitForFunction(() => location.hash.includes("conversation=shop"));
  const asked = page.waitForRequest((r) => r.postDataJSON()?.command === "contexture.bundle");
  await open("/context?q=where%20are%20payments%20retried%3F");
  assert.equal((await asked).postDataJSON().args.conversationId, undefined, "the page continues what nobody chose");
  await listed.waitFor({ state: "attached" });
  assert.equal(await chosen(), "No conversation");
  log("a chosen conversation is kept until it is taken back, and an address without one continues none");

  // The keyboard alone, from the page's beginning.
  await open("/context");
  await page.reload();
  await tabTo(page, /^Prompt$/);
  await page.keyboard.type("who calls retryPayment, and how are payments retried?");
  await of("retry.go:").first().waitFor();
  await page.keyboard.press("ArrowDown"); // to the list
  await page.locator(".item-main:focus").waitFor();
  const before = await focused(page);
  await page.keyboard.press("j");
  await page.waitForFunction((was) => document.activeElement.textContent !== was, before);
  await page.keyboard.press("k");
  await page.waitForFunction((was) => document.activeElement.textContent === was, before);
  await page.keyboard.press("x");
  await page.locator(".changes li.omit").waitFor();
  await page.locator(".item-main").first().focus();
  await page.keyboard.press("u");
  await page.locator(".changes").waitFor({ state: "detached" });
  await page.locator(".item-main").first().focus();
  await page.keyboard.press("+");
  await page.locator(".changes li.include").waitFor();
  await page.keyboard.press("Y");
  assert.equal(await focused(page), "Copy as Text");
  await page.locator(".item-main").first().focus();
  await page.keyboard.press("v");
  assert.equal(await focused(page), "What the model gets");
  const first = await page.locator(".block.chosen").getAttribute("data-item");
  await page.keyboard.press("j");
  await page.waitForFunction((was) => document.querySelector(".block.chosen")?.dataset.item !== was, first);
  await page.keyboard.press("X");
  await page.locator(".changes li.exclude").waitFor();
  await page.keyboard.press("u");
  await page.keyboard.press("u");
  await page.locator(".changes").waitFor({ state: "detached" });
  await tabTo(page, /^Leave out/, "Shift+Tab");
  await page.keyboard.press("Enter");
  await tabTo(page, /^Undo/, "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.locator(".changes").waitFor({ state: "detached" });
  await tabTo(page, /^Copy as Text$/);
  await page.keyboard.press("Enter");
  await page.locator(".announcer").getByText("Copied").waitFor();
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("4");
  await page.waitForFunction(() => location.hash.startsWith("#/rules"));
  await page.keyboard.press("1");
  await page.waitForFunction(() => location.hash.startsWith("#/context"));
  log("all of it by the keyboard alone");

  // The program ends: the page keeps what it has and says so.
  expect(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|Failed to fetch/);
  await of("retry.go:").first().waitFor();
  assert.equal(await served.stop(), 0);
  await page.getByRole("alert").getByText("Not connected").waitFor();
  await of("retry.go:").first().waitFor();
  log("when the program ends the page says so, and keeps what it shows");
});
