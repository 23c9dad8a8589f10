// A person's tasks from the page's beginning, those of every day in at most three actions, the others in at most five:
//
//	node tests/tasks.mjs PROGRAM
//
// An action is a press of a button, a link or a key, or a text that is typed.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { filesWith, give, givenText } from "../../vscode/tests/program.mjs";
import { fill } from "./data.mjs";
import { log, run } from "./kit.mjs";

const [daily, mostActions] = [3, 5];

await run("tasks", async ({ page, context, execute, open, served, folder, state, expect }) => {
  expect(/status of 422/); // a conversation that was forgotten is asked for once more: the answer is that there is none
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: served.origin });
  writeFileSync(join(folder, ".gitignore"), "*.log\n");
  writeFileSync(join(folder, "server.log"), "started\n");
  mkdirSync(join(folder, "thirdparty"));
  writeFileSync(join(folder, "thirdparty", "lib.go"), "package thirdparty\n\nfunc Helper() {}\n");
  await fill(execute);

  let actions = 0;
  const press = async (target) => {
    actions++;
    await target.click();
  };
  const type = async (target, text) => {
    actions++;
    await target.fill(text);
  };
  const key = async (name) => {
    actions++;
    await page.keyboard.press(name);
  };
  const task = async (what, how, most = mostActions) => {
    await open("/context");
    await page.reload();
    await page.getByLabel("Prompt").waitFor();
    actions = 0;
    await how();
    assert.ok(actions <= most, `${what} takes ${actions} actions`);
    log(`${what}: ${actions} actions`);
  };
  const place = (name) => page.getByRole("navigation", { name: "Places" }).getByRole("link", { name });
  const dialog = page.getByRole("dialog");

  await task("find why a file is missing", async () => {
    await press(place("Index and health"));
    await press(page.getByRole("link", { name: "Left out" }));
    await type(page.getByRole("searchbox", { name: "Path" }), "server.log");
    await page.getByRole("status").getByText("server.log is not indexed: *.log .gitignore:1").waitFor();
  });
  const announced = (text) => page.locator(".announcer").getByText(text).waitFor();
  await task("accept a rule", async () => {
    await press(place("Rules and decisions"));
    await press(page.getByRole("link", { name: /^Candidates/ }));
    const wanted = await page.getByRole("button", { name: /^Accept: / }).getAttribute("aria-label");
    await key("a");
    await announced(/^Active from now on/);
    await page.waitForFunction((was) => !document.querySelector(`button[aria-label=${JSON.stringify(was)}]`), wanted);
  }, daily);
  await task("see what was decided about amounts, and when", async () => {
    await press(place("Rules and decisions"));
    await type(page.getByRole("searchbox", { name: "Search rules and decisions" }), "amounts");
    const row = page.getByRole("link", { name: /^Amounts are whole cents, never floats\./ });
    await row.locator("time").waitFor();
  }, daily);
  await task("find where the growing pause is decided", async () => {
    await press(place("Rules and decisions"));
    await type(page.getByRole("searchbox", { name: "Search rules and decisions" }), "growing pause");
    await press(page.getByRole("button", { name: "payments T-2" }).first());
    await page.locator(".turn.chosen mark").getByText("We decided to use three attempts with a growing pause").waitFor();
  }, daily);
  await task("resume the latest work", async () => {
    await press(place("Conversations"));
    await page.getByRole("button", { name: "Continue in Context" }).waitFor();
    await key("c");
    await page.waitForFunction(() => location.hash.startsWith("#/context?conversation=tables"));
  }, daily);
  await task("reject a rule, and take that back", async () => {
    await press(place("Rules and decisions"));
    await press(page.getByRole("link", { name: /^Candidates/ }));
    await page.getByRole("button", { name: /^Reject: / }).waitFor();
    const before = await page.locator(".split-list a.row").count();
    await key("d");
    await announced(/^Removed/);
    await page.waitForFunction((n) => document.querySelectorAll(".split-list a.row").length === n - 1, before);
    await press(page.getByRole("button", { name: "Undo" }));
    await page.waitForFunction((n) => document.querySelectorAll(".split-list a.row").length === n, before);
  });
  await task("go to a symbol by the palette", async () => {
    await key("Control+k");
    await type(page.getByRole("combobox", { name: "Go to anything" }), "retryPol");
    await page.getByRole("option", { name: /^RetryPolicy/, selected: true }).waitFor();
    await key("Enter");
    await page.locator(".split-detail .code").getByText("RetryPolicy says how often").waitFor();
  }, daily);
  await task("go to a conversation by the palette", async () => {
    await key("Control+k");
    await type(page.getByRole("combobox", { name: "Go to anything" }), "harbour ledger");
    await press(dialog.getByRole("option", { name: /^The harbour ledger/ }));
    await page.getByRole("heading", { name: "The harbour ledger" }).waitFor();
  }, daily);
  await task("see the keys of a place", async () => {
    await press(place("Rules and decisions"));
    await page.getByRole("button", { name: /^Edit: / }).waitFor();
    await page.evaluate(() => document.activeElement.blur());
    await key("?");
    assert.match(await dialog.innerText(), /Rules and decisions[^]*d\s+Remove[^]*Everywhere[^]*Ctrl K\s+Go to anything[^]*j\s+Next row/);
    await key("Escape");
    await dialog.waitFor({ state: "detached" });
  }, daily);
  await open("/rules");
  const searching = page.getByRole("searchbox", { name: "Search rules and decisions" });
  await searching.focus();
  await page.keyboard.press("Control+k");
  await dialog.getByRole("combobox").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: "Go to anything" }).waitFor({ state: "detached" });
  assert.ok(await searching.evaluate((e) => e === document.activeElement), "the palette does not give the keyboard back");
  log("the palette closes by Escape, and the keyboard is where it was");
  const inContext = (what, how) => task(what, how, daily);
  await inContext("copy a context", async () => {
    await type(page.getByLabel("Prompt"), "where are payments retried?");
    await press(page.getByRole("button", { name: "Copy as Markdown" }));
    await page.waitForFunction(async () => (await navigator.clipboard.readText()).includes("func retryPayment"));
  });
  await inContext("see why a file is missing from a context", async () => {
    await type(page.getByLabel("Prompt"), "where are payments retried?");
    await type(page.getByRole("searchbox", { name: "Why is a file in, or missing?" }), "server.log");
    await page.getByRole("status").getByText("server.log is not indexed: *.log .gitignore:1").waitFor();
  });
  await inContext("take in a file that came near to nothing", async () => {
    await type(page.getByLabel("Prompt"), "where are payments retried?");
    await type(page.getByRole("searchbox", { name: "Why is a file in, or missing?" }), "thirdparty/");
    await press(page.getByRole("button", { name: /^Take in .*Helper/ }).first());
    await page.locator(".block", { hasText: "func Helper" }).waitFor();
  });
  await inContext("leave a folder out of a context", async () => {
    await type(page.getByLabel("Prompt"), "what is Helper in thirdparty/lib.go for?");
    await press(page.getByRole("button", { name: "Leave out thirdparty/", exact: true }));
    await page.getByRole("list", { name: "Your changes" }).getByText("Leave out: thirdparty/").waitFor();
    await page.locator(".block", { hasText: "func Helper" }).waitFor({ state: "detached" });
  });
  await task("exclude a folder", async () => {
    await press(place("Index and health"));
    await press(page.getByRole("button", { name: "Exclude…" }));
    await type(dialog.getByLabel("Pattern, as in .gitignore"), "thirdparty/");
    await press(dialog.getByRole("button", { name: "Exclude…" }));
    await dialog.waitFor({ state: "detached" });
    assert.ok(existsSync(join(folder, ".contextureignore")));
    assert.match(readFileSync(join(folder, ".contextureignore"), "utf8"), /^thirdparty\/$/m);
  });
  await task("find code by its words", async () => {
    await press(place("Search"));
    await type(page.getByRole("searchbox", { name: "Search code and memory" }), "retry a payment");
    await page.locator("main").getByText("retry.go").first().waitFor();
  });
  await task("see who somebody is", async () => {
    await press(place("Topics and people"));
    await type(page.getByRole("searchbox", { name: "Search topics, people and names" }), "olga");
    await press(page.getByRole("link", { name: /^Olga/ }).first());
    await page.locator("blockquote").getByText(/Olga/).first().waitFor();
  });
  await task("read what was said in a turn", async () => {
    await press(place("Conversations"));
    await press(page.getByRole("link", { name: /Retries of payments/ }).or(page.getByRole("button", { name: /Retries of payments/ })).first());
    await page.getByText(/three attempts with a growing pause/).first().waitFor();
  });
  await inContext("leave an item out of a context", async () => {
    await type(page.getByLabel("Prompt"), "where are payments retried?");
    await press(page.getByRole("button", { name: /^Leave out/ }).first()); // the best item is chosen
    await page.getByRole("list", { name: "Your changes" }).getByText("Leave out").waitFor();
  });
  const said = "Where is retryPayment called, and how often?";
  const found = "retry.go:3:func retryPayment\n".repeat(40);
  await execute("contexture.conversation.append", {
    conversationId: "claude-code/calls", title: "Calls of retryPayment",
    messages: [
      { role: "user", content: said, at: "2026-01-20T09:00:00Z" },
      { role: "assistant", content: "", at: "2026-01-20T09:01:00Z", toolCalls: [{ name: "Grep", arguments: { pattern: "retryPayment" }, result: found }] },
      { role: "assistant", content: "Once, in main.", at: "2026-01-20T09:02:00Z", toolCalls: [{ name: "Read", arguments: { file_path: join(folder, "retry.go") }, result: "package main" }] },
    ],
  });
  await task("see that nothing was given yet", async () => {
    await press(place("Receipts"));
    await page.getByText("Run contexture install").waitFor();
  });
  give(state, folder, "claude-code/calls", "2026-01-20T09:00:01Z", 100);
  give(state, folder, "codex/unseen", "2026-01-19T09:00:01Z", 20);
  await task("see what came of what a prompt was given", async () => {
    await press(place("Receipts"));
    const total = page.getByRole("region", { name: "In total" });
    await total.getByText("1 conversation is not captured").waitFor();
    assert.match(await total.innerText(), /Given\n120 tokens\nwith 2 prompts\nSpared\n290 tokens\n1 of 2 look-ups needless\nNet\n\+170\nspared less given\nNamed files opened\n1 of 2\n[^]*Before a prompt\s+2\s+120 tokens\s+20 ms/);
    const prompt = page.getByRole("list", { name: "Prompts of Calls of retryPayment" }).getByRole("listitem");
    assert.match(await prompt.innerText(), /100 tokens given\W+290 spared\W+net \+190[^]*1 of 2 named files opened[^]*1 of 2 look-ups needless[^]*20 ms[^]*retry\.go, main\.go/);
    await press(page.getByRole("link", { name: /^codex\/unseen.*20 tokens given.*what came of it is not known/ }));
    await page.getByText("This conversation is not captured").waitFor();
    await press(page.getByRole("link", { name: /^Calls of retryPayment.*100 tokens given/ }));
    await press(page.getByRole("link", { name: said }));
    await page.getByText("Once, in main.").first().waitFor();
  });
  give(state, folder, "claude-code/calls", new Date().toISOString(), 40);
  await task("see what it cost this week", async () => {
    await press(place("Receipts"));
    await press(page.getByRole("radio", { name: "The last 7 days" }));
    await page.getByRole("region", { name: "In total" }).getByText("40 tokens").first().waitFor();
  }, daily);
  await execute("contexture.conversation.delete", { conversationId: "claude-code/calls" });
  const ago = (seconds) => new Date(Date.now() - 1000 * seconds).toISOString();
  await execute("contexture.conversation.append", {
    conversationId: "claude-code/now", title: "Pauses",
    messages: [
      { role: "user", content: "How long is the pause between attempts of retryPayment?\n\nI need it for the docs.", at: ago(601) },
      { role: "assistant", content: "200 ms.", at: ago(590), toolCalls: [{ name: "Read", arguments: { file_path: join(folder, "retry.go") }, result: "package main" }] },
    ],
  });
  give(state, folder, "claude-code/now", ago(600), 100);
  await inContext("see what the model got ten minutes ago, and why", async () => {
    await press(page.getByRole("button", { name: /^How long is the pause.*10 minutes ago.*100 tokens given/ }));
    const then = page.getByRole("region", { name: "What was given then" });
    await then.getByText("1 of 2 named files opened").waitFor();
    assert.match(await then.innerText(), /Given 10 minutes ago[^]*100 tokens given[^]*net -100[^]*retry\.go\s*main\.go/);
    assert.match(await page.getByLabel("Prompt").inputValue(), /^How long is the pause.*\n\nI need it for the docs\.$/, "not the whole prompt is asked");
    assert.match(await page.getByRole("region", { name: "What it got then" }).innerText(), new RegExp(`^Before a prompt · [^]* · 100 tokens\\n+${givenText.trim().replace(/[()]/g, "\\$&")}\\n$`));
    const row = page.locator(".item", { hasText: "retry.go:" }).first();
    assert.match(await row.innerText(), /given then · \S/);
    await press(page.getByRole("radio", { name: "What the model gets" }));
    await page.locator(".block", { hasText: "func retryPayment" }).waitFor();
  });
  await execute("contexture.conversation.delete", { conversationId: "claude-code/now" });
  await task("forget the latest conversation", async () => {
    await press(place("Conversations"));
    await press(page.getByRole("button", { name: "Forget this conversation" }));
    await press(dialog.getByRole("button", { name: "Forget", exact: true }));
    await page.getByRole("heading", { name: "Bookings and their table", exact: true }).waitFor({ state: "detached" });
    assert.doesNotMatch(JSON.stringify(await execute("contexture.conversation.list")), /Bookings and their table/);
    const left = await page.evaluate(() => document.documentElement.innerHTML + JSON.stringify({ ...sessionStorage }));
    assert.doesNotMatch(left.replace(/Forgotten: Bookings and their table/g, ""), /Bookings and their table/, "the page still has it");
    assert.deepEqual(filesWith(state, "Bookings and their table"), [], "bytes of it are left");
  }, daily);
});
