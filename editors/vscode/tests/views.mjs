// Uses the views in the activity bar as a person would: node tests/views.mjs INSTALL PROGRAM NAME
// Screenshots go to out/NAME-*.png.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { browser, conclude, vscode } from "./browser.mjs";
import { workbench } from "./window.mjs";

const [install, given, name] = process.argv.slice(2);
const program = resolve(given);
const here = resolve(import.meta.dirname, "..");
const code = await vscode(install, { program, vsix: [resolve(here, "contexture.vsix")] });
const { page, context, close } = await browser();
const shot = (what) => page.screenshot({ path: resolve(here, `out/${name}-views-${what}.png`) });
const begin = performance.now();
const log = (what) => console.log(`${((performance.now() - begin) / 1000).toFixed(1).padStart(6)} s  ${what}`);

/** What the index leaves out: by an ignore file, as build output, as no text. And a secret, made here so that this file contains none. */
function prepare() {
  const files = {
    ".gitignore": "*.log\n", ".contextureignore": "/notes/\n", "server.log": "started\n", "notes/private.md": "# Private\n",
    "node_modules/left/index.js": "x\n", "picture.png": Buffer.from([0x89, 0x50, 0, 1, 2, 3]),
    "deploy.py": `KEY = "${["AKIA", "Q3EGRZ2XV7LMN4TP"].join("")}"\n`, "page.ts": "export const page = 1;\n",
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(code.folder, path, ".."), { recursive: true });
    writeFileSync(join(code.folder, path), content);
  }
}

/** Brings conversations into the memory that the window uses. */
function remember(conversations) {
  const lines = conversations.flatMap(({ id, title, says }, i) => [
    { type: "conversation", conversation: id, title },
    { type: "messages", conversation: id, messages: says.map((content, n) => ({ id: `${n}`, role: n % 2 ? "assistant" : "user", content, at: new Date(Date.UTC(2026, 0, 1, 0, i, n)).toISOString() })) },
  ]);
  const input = [{ type: "contexture-memory", version: 1 }, ...lines].map((line) => JSON.stringify(line)).join("\n");
  const done = spawnSync(program, ["memory", "import", "--offline", "--state-dir", join(code.run, "state"), "--root", code.folder], { input, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
}

const talks = [
  ...Array.from({ length: 120 }, (_, i) => ({ id: `talk-${i}`, title: `Harbour ledger, part ${i + 1}`, says: [`What does part ${i + 1} of the harbour ledger say?`, "It lists the ships."] })),
  {
    id: "payments", title: "How payments are retried",
    says: [
      "Where are payments retried?", "In `retryPayment`, in retry.go.",
      "We decided to retry a payment three times, because the bank blocks after four. How long should we wait between the attempts?", "Two seconds would do.",
      "From now on always write commit messages in the present tense, and name the part of the program that they change where there is one, so that others find it.", "I will.",
      "Should refunds be retried as well?", "That depends on the bank.",
    ],
  },
];

const { pointAway, palette, press, hover, choose, answer, pane, row, expand, only } = workbench(page);

/** The input that has a title: one widget serves them all. */
const input = (title) => page.locator(".quick-input-widget", { hasText: title }).locator("input[type=text]");
const sections = [
  ["rules", "Rules and Decisions"],
  ["conversations", "Conversations"],
  ["index", "Index"],
];

let failed;
try {
  prepare();
  await page.goto(`${code.url}/?folder=${encodeURIComponent(code.folder)}`);
  await page.locator(".monaco-workbench").waitFor();
  await page.locator('.statusbar-item [aria-label*="up to date"]').waitFor();
  await palette("Contexture: Show the Context of a Prompt");
  await pane("Rules and Decisions").getByText("No rules or decisions yet").waitFor();
  await only("Rules and Decisions");
  await pane("Rules and Decisions").getByRole("button", { name: "Add a Rule" }).waitFor();
  await shot("welcome");
  log("an empty view says what it is for, and offers it");

  remember(talks);
  await palette("Contexture: Learn from Conversations Now");
  const rule = row("Rules and Decisions", "present tense");
  await row("Rules and Decisions", "Candidates").waitFor();
  await hover(rule, page.locator(".monaco-hover", { hasText: "not confirmed yet" }));
  await shot("candidate");
  await press(rule, row("Rules and Decisions", "Active Rules"), "Accept");
  await row("Rules and Decisions", "Candidates").waitFor({ state: "detached" });
  log("a candidate with its quotation is accepted, and is an active rule");

  await press(rule, input("Edit Rule"), "Edit");
  await input("Edit Rule").fill("Write commit messages in the present tense, always.");
  await page.keyboard.press("Enter");
  await row("Rules and Decisions", "present tense, always").waitFor();
  await press(page.locator(".pane-header", { hasText: "Rules and Decisions" }), input("Add a Rule"), "Add a Rule");
  await input("Add a Rule").fill("Never use the past tense in commit messages.");
  await page.keyboard.press("Enter");
  await row("Rules and Decisions", "Never use the past tense").waitFor();
  await shot("rules");
  const remove = page.locator(".monaco-dialog-box").getByRole("button", { name: "Remove" });
  await press(row("Rules and Decisions", "Never use the past tense"), remove, "Remove");
  await remove.click();
  await row("Rules and Decisions", "Never use the past tense").waitFor({ state: "detached" });
  log("a rule is edited, one is added, and it is removed after a question");

  await only("Conversations");
  const payments = row("Conversations", "How payments are retried");
  await press(payments, row("Conversations", "We decided to retry a payment three times"));
  await row("Conversations", "Where are payments retried?").waitFor();
  await pointAway();
  await shot("conversations");
  await press(row("Conversations", "Should refunds be retried"), page.locator(".tab.active", { hasText: "T-4.md" }));
  for (const line of ["# Should refunds be retried as well?", "## Person", "## Assistant", "That depends on the bank."]) await page.locator(".view-line", { hasText: line }).first().waitFor();
  await shot("turn");
  log("a conversation shows its turns with what was decided in them, and a turn opens");

  const list = pane("Conversations").locator(".monaco-list");
  await press(payments, payments.and(page.locator('[aria-expanded="false"]')));
  await list.focus();
  await page.keyboard.press("End");
  for (let i = 0; i < 100 && !(await row("Conversations", "100 shown").isVisible()); i++) {
    // The list grows when the server has answered; a click that a refresh took is made again.
    if (i % 30 === 0) await row("Conversations", "50 shown").click({ timeout: 3000 }).catch(() => undefined);
    await page.keyboard.press("End");
    await page.waitForTimeout(200);
  }
  await row("Conversations", "100 shown").waitFor();
  log("there is more than a page, and it is loaded when asked for");

  await palette("Contexture: Search Conversations…");
  await input("Search Conversations").fill("refunds");
  await page.keyboard.press("Enter");
  await row("Conversations", "How payments are retried").waitFor();
  await row("Conversations", "Harbour ledger").waitFor({ state: "detached" });
  await shot("search");
  const forget = page.locator(".monaco-dialog-box").getByRole("button", { name: "Forget" });
  await press(row("Conversations", "How payments are retried"), forget, "Forget");
  await forget.click();
  await row("Conversations", "No conversation matches").waitFor();
  await palette("Contexture: Show All Conversations");
  await row("Conversations", "Harbour ledger, part 120").waitFor();
  log("conversations are searched, and one is forgotten after a question");

  await only("Index");
  await expand("Index", "Faults", "Secrets", "Left Out", "Languages", "Ignored");
  await row("Index", "server.log").waitFor();
  await row("Index", ".gitignore:1").waitFor();
  await row("Index", "TypeScript").or(row("Index", "typescript")).first().waitFor();
  await pointAway();
  await shot("index");
  await press(row("Index", "aws"), row("Index", "deploy.py"));
  await shot("secrets");
  log("the index shows its languages, what is left out by which rule, and where secrets were found");

  const why = page.locator(".notification-toast", { hasText: "server.log is not indexed: *.log (.gitignore:1)" });
  await press(row("Index", "server.log"), why, "Why Is This File");
  await shot("why");
  await answer("server.log is not indexed", "Open Rule");
  await page.locator(".tab.active", { hasText: ".gitignore" }).waitFor();
  log("why a file is not indexed leads to the rule");

  await page.keyboard.press("Control+Shift+E");
  const excluded = page.locator(".notification-toast", { hasText: "page.ts is excluded by .contextureignore" });
  await choose(page.locator(".explorer-folders-view .monaco-list-row", { hasText: "page.ts" }), "Exclude from Context", excluded);
  await shot("explorer");
  await palette("Contexture: Show the Context of a Prompt");
  await only("Index");
  await row("Index", "page.ts").waitFor();
  await answer("page.ts is excluded", "Undo");
  await row("Index", "page.ts").waitFor({ state: "detached" });
  log("a file is excluded in the explorer, and taken back");

  await palette("Contexture: Pause Indexing");
  await row("Index", "Paused").waitFor();
  await page.locator('.statusbar-item [aria-label*="paused"]').waitFor();
  await shot("paused");
  await palette("Contexture: Resume Indexing");
  await row("Index", "Up to date").waitFor();
  await hover(page.locator('.statusbar-item [aria-label*="up to date"]'), page.locator(".monaco-hover a", { hasText: "Rules" }));
  await shot("statusbar");
  await hover(page.locator('.statusbar-item [aria-label*="up to date"]'), page.locator(".monaco-hover a", { hasText: "Rules" }), { click: true });
  await row("Rules and Decisions", "present tense, always").waitFor();
  log("indexing is paused and resumed; the status bar leads to the views");

  await palette("Contexture: Open the Walkthrough");
  await page.locator(".getting-started-step", { hasText: "See and accept a rule" }).first().waitFor();
  const steps = page.locator(".getting-started-step");
  assert.equal(await steps.count(), 5);
  await steps.filter({ hasText: "Bring in conversations" }).first().click();
  await page.locator(".getting-started-step.expanded", { hasText: "Nothing is read until you say so" }).waitFor();
  await shot("walkthrough");
  for (const name of ["Open a folder", "Ask for a context"]) await steps.filter({ hasText: name }).locator(".codicon-getting-started-step-checked").first().waitFor();
  log("the walkthrough has five steps, and knows which are done");

  for (const [language, view, welcome, state] of [
    ["de", "Entscheidungen", "Regeln", "Contexture ist aktuell"],
    ["ja", "ルールと決定", "ルール", "Contexture は最新です"],
  ]) {
    const other = await context.newPage();
    other.setDefaultTimeout(60_000); // as the first window has
    // A window without a language pack speaks English, but tells extensions the language that it is asked for.
    await other.addInitScript((wanted) => { Object.defineProperty(globalThis, "_VSCODE_NLS_LANGUAGE", { value: wanted }); }, language);
    await other.goto(`${code.url}/?folder=${encodeURIComponent(code.folder)}`);
    await other.locator(`.statusbar-item [aria-label*="${state}"]`).waitFor();
    await other.locator('.activitybar .action-label[aria-label*="Contexture"]').first().click();
    await other.locator(".pane-header", { hasText: view }).waitFor();
    await hover(other.locator(".statusbar-item", { hasText: "ctx" }), other.locator(".monaco-hover a", { hasText: welcome }));
    await other.screenshot({ path: resolve(here, `out/${name}-views-${language}.png`) });
    await other.close();
  }
  log("the views and the status bar speak German and Japanese");

  if (process.env.SHOTS_THEMES) {
    for (const theme of ["Default Dark Modern", "Default High Contrast"]) {
      await palette("Preferences: Color Theme");
      await page.keyboard.type(theme);
      await page.keyboard.press("Enter");
      await page.waitForTimeout(1000);
      for (const [part, title] of sections) {
        await only(title);
        await page.waitForTimeout(500);
        await shot(`${part}-${theme.toLowerCase().replaceAll(" ", "-")}`);
      }
    }
  }
} catch (error) {
  failed = error;
}
await conclude(`views in ${name}`, failed, { shot, close, code });
