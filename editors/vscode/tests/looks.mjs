// Looks at every view with every kind of data: node tests/looks.mjs INSTALL PROGRAM NAME
//
//	UPDATE=1 …      writes tests/goldens/NAME; look at each before it is committed
//	PICTURES=all …  leaves every picture in out/ in its full size, and the views in German and Japanese
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fill } from "../../workbench/tests/data.mjs";
import { goldens } from "../../workbench/tests/goldens.mjs";
import { browser, conclude, passing, vscode } from "./browser.mjs";
import { views, workbench } from "./window.mjs";

process.env.TZ = "UTC"; // times are written in the zone of the machine
const [install, given, name] = process.argv.slice(2);
const here = resolve(import.meta.dirname, "..");
const out = join(here, "out");
mkdirSync(out, { recursive: true });
const begin = performance.now();
const log = (what) => console.log(`${((performance.now() - begin) / 1000).toFixed(1).padStart(6)} s  ok: ${what}`);

/** The address for answers.mjs: every program that VS Code starts connects here. */
async function controlled(kind) {
  let last = 0;
  const connected = new Set();
  const waiting = new Map();
  const server = createServer((socket) => {
    connected.add(socket);
    socket.on("close", () => connected.delete(socket)).on("error", () => undefined);
    socket.write(`${JSON.stringify({ kind })}\n`);
    const lines = createInterface({ input: socket });
    lines.on("error", () => undefined); // a program that is killed resets its connection
    lines.on("line", (line) => {
      const { id, result, error } = JSON.parse(line);
      const { done, fail } = waiting.get(id);
      if (error) fail(new Error(JSON.stringify(error)));
      else done(result);
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  server.unref();
  const ask = (socket, what) =>
    new Promise((done, fail) => {
      const id = ++last;
      waiting.set(id, { done, fail });
      socket.write(`${JSON.stringify({ id, ...what })}\n`);
    });
  return {
    port: server.address().port,
    execute: (command, args) => ask([...connected][0], { command, args }),
    async show(wanted) {
      kind = wanted;
      await Promise.all([...connected].map((socket) => ask(socket, { kind })));
    },
  };
}

const control = await controlled("small");
const between = join(passing(mkdtempSync(join(tmpdir(), "contexture-answers-"))), "contexture");
writeFileSync(between, `#!/bin/sh\nexec "${process.execPath}" "${join(here, "tests/answers.mjs")}" ${control.port} "${resolve(given)}" "$@"\n`, { mode: 0o755 });
const code = await vscode(install, { program: between, vsix: [resolve(here, "contexture.vsix")] });
const { page, context, close } = await browser({ width: 1200, height: 800 });
const shot = (what) => page.screenshot({ path: join(out, `${name}-looks-${what}.png`) });
const { palette, expand, only, webview } = workbench(page);

/** What VS Code calls its themes differs by version: the default ones, and that with the highest contrast. */
const themes = (() => {
  const file = join(install, "code/node_modules/code-server/lib/vscode/extensions/theme-defaults/package.json");
  const ids = JSON.parse(readFileSync(file, "utf8")).contributes.themes.map((theme) => theme.id);
  const first = (...patterns) => patterns.map((pattern) => ids.find((id) => pattern.test(id))).find(Boolean);
  return {
    light: { id: first(/^Light 2026$/, /Light Modern$/), kind: "vs" },
    dark: { id: first(/^Dark 2026$/, /Dark Modern$/), kind: "vs-dark" },
    contrast: { id: first(/^Default High Contrast$/), kind: "hc-black" },
  };
})();
const wear = async (theme) => {
  code.set({ "workbench.colorTheme": themes[theme].id });
  await page.locator(`.monaco-workbench.${themes[theme].kind}`).waitFor();
};

/** Takes a picture of a part of the window when it is still: when two in a row are the same. */
async function still(clip) {
  await page.mouse.move(1100, 300);
  for (let i = 0, last = ""; i < 100; i++) {
    const now = await page.screenshot({ clip, animations: "disabled", caret: "hide" });
    const text = now.toString("base64");
    if (text === last) return now;
    last = text;
    await page.waitForTimeout(100);
  }
  return assert.fail("the window does not come to rest");
}

/** Keeps what is clicked from moving the window by some points: parts that only hide what is too large scroll all the same. */
async function fix() {
  await page.locator(".part.sidebar").evaluate((part) => {
    for (let around = part; around; around = around.parentElement) {
      around.scrollTop = 0;
      around.style.setProperty("overflow", "clip", "important");
    }
  });
}

/** The side bar, and what is below it in the status bar. */
async function sideBar() {
  const { x, y, width } = await page.locator(".part.sidebar").boundingBox();
  return { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: 800 - Math.round(y) };
}

let pictures;
async function look(what, clip) {
  const png = await still(clip);
  if (process.env.PICTURES) writeFileSync(join(out, `${name}-looks-${what}.png`), png);
  await pictures.compare(what, png);
}

const prompt = "where are payments retried?";
/** Asks for a context, as if the prompt had been typed again. */
async function ask() {
  const input = webview().getByLabel("Prompt");
  await input.fill("");
  await webview().getByText(shown.empty.Context).waitFor();
  await webview().locator(".context-aside").waitFor({ state: "detached" });
  await input.fill(prompt);
}
/** What must be seen in each view before its picture is taken, by kind of data. */
const damaged = "checksum mismatch";
const unexpected = "not as expected";
const stopped = "is not running";
const shown = {
  empty: { Context: "Type a prompt", "Rules and Decisions": "No rules or decisions yet", Conversations: "No conversations yet", Index: "No secrets were found" },
  small: { Context: "retryPayment", "Rules and Decisions": "Use spaces, not tabs", Conversations: "Should the pause", Index: "No secrets were found" },
  huge: { Context: "reconcileSettlement", "Rules and Decisions": "The settlement of the northern harbours", Conversations: "0: The settlement", Index: "services/payments" },
  broken: { Context: damaged, "Rules and Decisions": damaged, Conversations: damaged, Index: damaged },
  nonsense: { Context: unexpected, "Rules and Decisions": unexpected, Conversations: unexpected, Index: unexpected },
  offline: { Context: "This did not work", "Rules and Decisions": stopped, Conversations: stopped, Index: stopped },
};
/** Lines that are open in a view, from above to below. */
const parts = ["Languages", "Left Out", "Secrets", "Faults"];
const opened = {
  empty: { Index: parts },
  small: { Index: parts, "Rules and Decisions": ["Replaced"], Conversations: ["Retries of payments"] },
  huge: { Index: ["Languages", "Left Out", "Ignored"], Conversations: ["0: The settlement"] },
  broken: { Index: parts },
  nonsense: { Index: parts },
};
async function all(kind, theme) {
  const begun = performance.now();
  for (const view of views) {
    await only(view);
    if (view === "Context" && ["small", "huge", "broken"].includes(kind)) await ask();
    // It asks again when somebody comes back, which a click may or may not be.
    if (view === "Context" && kind === "offline") await webview().locator("main").evaluate(() => globalThis.dispatchEvent(new Event("focus")));
    await expand(view, ...(opened[kind]?.[view] ?? []));
    const inside = view === "Context" ? webview().locator("main") : page.locator(".part.sidebar");
    await inside.getByText(shown[kind][view]).first().waitFor();
    if (view === "Rules and Decisions" && kind === "broken") await inside.getByText("Try Again").first().waitFor(); // the rows go after the message came
    await look(`${view.toLowerCase().replaceAll(" ", "-")}-${kind}-${theme}`, await sideBar());
  }
  log(`${kind}, ${theme}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

/** Leaves pictures of the views in another language, which are compared with nothing: they need other fonts. */
async function speak(language) {
  const texts = JSON.parse(readFileSync(join(here, `package.nls.${language}.json`), "utf8"));
  const titles = ["panel", "rules", "conversations", "index"].map((view) => texts[`view.${view}`]);
  const other = await context.newPage();
  // A window without a language pack speaks English, but tells extensions the language that it is asked for.
  await other.addInitScript((wanted) => { Object.defineProperty(globalThis, "_VSCODE_NLS_LANGUAGE", { value: wanted }); }, language);
  await other.goto(`${code.url}/?folder=${encodeURIComponent(code.folder)}`);
  await other.locator(".statusbar-item", { hasText: "ctx" }).waitFor();
  await other.locator('.activitybar .action-label[aria-label*="Contexture"]').first().click();
  const { only, pane, webview } = workbench(other, titles);
  for (const [i, title] of titles.entries()) {
    await pane(title).waitFor();
    await only(title);
    if (i === 0) await webview().locator("textarea").fill(prompt);
    await other.waitForTimeout(2000);
    await other.screenshot({ path: join(out, `${name}-looks-${language}-${i}.png`), clip: { x: 48, y: 35, width: 420, height: 765 } });
  }
  await other.close();
  await page.bringToFront();
}

let failed;
try {
  pictures = await goldens(context, join(here, "tests/goldens", name), out);
  code.set({ "workbench.colorTheme": themes.light.id });
  await page.goto(`${code.url}/?folder=${encodeURIComponent(code.folder)}`);
  await page.locator('.statusbar-item [aria-label*="up to date"]').waitFor();
  await palette("Contexture: Show the Context of a Prompt");
  await page.locator(`.monaco-workbench.${themes.light.kind}`).waitFor();
  await webview().getByLabel("Prompt").waitFor();
  await fix();
  // Wide enough for sentences, as a person would have it.
  const { x, width } = await page.locator(".part.sidebar").boundingBox();
  await page.mouse.move(x + width, 400);
  await page.mouse.down();
  await page.mouse.move(x + 420, 400, { steps: 5 });
  await page.mouse.up();
  // What others write into the status bar comes and goes, such as the number of ports.
  await page.addStyleTag({ content: ".statusbar-item:not([id^=contexture]) { visibility: hidden }" });
  log("VS Code is there");
  await all("empty", "light");

  await fill(control.execute);
  await control.show("small");
  log("there are conversations");
  for (const theme of ["light", "dark", "contrast"]) {
    await wear(theme);
    await all("small", theme);
  }
  await wear("light");
  await page.setViewportSize({ width: 1500, height: 1100 }); // all of it is in sight, and nothing scrolls
  await palette("Contexture: Open the Walkthrough");
  await page.locator(".getting-started-step", { hasText: "Ask for a context" }).locator(".codicon-getting-started-step-checked").first().waitFor();
  await page.locator(".getting-started-step", { hasText: "See and accept a rule" }).first().click();
  await page.locator(".getting-started-step.expanded", { hasText: "What you say outright for the future" }).waitFor();
  await look("walkthrough-light", await page.locator(".part.editor").boundingBox());
  await page.setViewportSize({ width: 1200, height: 800 });
  await palette("View: Close All Editors");
  await page.locator("iframe.webview").nth(1).waitFor({ state: "detached" }); // the step's picture

  if (process.env.PICTURES) for (const language of ["de", "ja"]) await speak(language);
  for (const kind of ["huge", "broken", "nonsense"]) {
    await control.show(kind);
    await all(kind, "light");
  }
  // The program ends while there is an answer to be seen.
  await control.show("small");
  await only("Context");
  await webview().getByRole("button", { name: "Try again" }).click();
  await ask();
  await webview().getByText(shown.small.Context).first().waitFor();
  await control.show("offline");
  await page.locator('.statusbar-item [aria-label*="not running"]').waitFor();
  await shot("offline");
  await all("offline", "light");
  assert.deepEqual(pictures.stale(), [], "goldens of nothing");
  assert.deepEqual(pictures.wrong, []);
  log(`${pictures.seen.size} pictures ${pictures.comparable ? "are as they were looked at" : "were taken and not compared"}`);
} catch (error) {
  failed = error;
}
await conclude(`looks in ${name}`, failed, { shot, close, code });
