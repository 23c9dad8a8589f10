// A person's ten tasks, each in at most five actions from the page's beginning: node tests/tasks.mjs PROGRAM
// An action is a press of a button, a link or a key, or a text that is typed.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fill } from "./data.mjs";
import { log, run } from "./kit.mjs";

const mostActions = 5;

await run("tasks", async ({ page, context, execute, open, served, folder, expect }) => {
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
  const task = async (what, how) => {
    await open("/context");
    await page.reload();
    await page.getByLabel("Prompt").waitFor();
    actions = 0;
    await how();
    assert.ok(actions <= mostActions, `${what} takes ${actions} actions`);
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
  await task("accept a rule", async () => {
    await press(place("Rules and decisions"));
    await press(page.getByRole("link", { name: /^Candidates/ }));
    await press(page.getByRole("button", { name: /^Accept: / }).first());
    await page.locator(".announcer").getByText(/^Active from now on/).waitFor();
  });
  await task("see what was decided about amounts", async () => {
    await press(place("Rules and decisions"));
    await type(page.getByRole("searchbox", { name: "Search rules and decisions" }), "amounts");
    await page.getByText("Amounts are whole cents, never floats.").first().waitFor();
  });
  await task("copy a bundle", async () => {
    await type(page.getByLabel("Prompt"), "where are payments retried?");
    await press(page.getByRole("button", { name: "Copy as Markdown" }));
    await page.waitForFunction(async () => (await navigator.clipboard.readText()).includes("func retryPayment"));
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
  await task("leave an item out of a prompt", async () => {
    await type(page.getByLabel("Prompt"), "where are payments retried?");
    await press(page.getByRole("button", { name: /^Leave out/ }).first()); // the best item is open
    await page.getByRole("list", { name: "Your changes" }).getByText("Leave out").waitFor();
  });
  await task("forget a conversation", async () => {
    await press(place("Conversations"));
    await press(page.getByRole("link", { name: /Bookings and their table/ }).or(page.getByRole("button", { name: /Bookings and their table/ })).first());
    await press(page.getByRole("button", { name: "Forget this conversation" }));
    await press(dialog.getByRole("button", { name: "Forget", exact: true }));
    await dialog.waitFor({ state: "hidden" });
    assert.doesNotMatch(JSON.stringify(await execute("contexture.conversation.list")), /Bookings and their table/);
  });
});
