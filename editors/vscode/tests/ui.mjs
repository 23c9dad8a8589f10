// Drives the packaged extension in the workbench as a person would: node tests/ui.mjs INSTALL PROGRAM NAME
// Screenshots go to out/NAME-*.png.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { browser, conclude, vscode } from "./browser.mjs";
import { give } from "./program.mjs";
import { workbench } from "./window.mjs";

const [install, program, name] = process.argv.slice(2);
const here = resolve(import.meta.dirname, "..");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const code = await vscode(install, { program: resolve(program), vsix: [resolve(here, "contexture.vsix")] });
const { page, context, close } = await browser();
const elsewhere = new Set();
context.on("request", (r) => {
  const url = new URL(r.url());
  // A webview asks for its own files under a made-up host, which VS Code answers itself.
  const own = url.hostname === "127.0.0.1" || url.hostname.startsWith("vscode-remote+127-");
  if (url.protocol.startsWith("http") && !own) elsewhere.add(url.hostname);
});
const shot = (what) => page.screenshot({ path: resolve(here, `out/${name}-${what}.png`) });
const begin = performance.now();
const log = (what) => console.log(`${((performance.now() - begin) / 1000).toFixed(1).padStart(6)} s  ${what}`);
const { palette, webview: panel } = workbench(page);

let failed;
try {
  await page.goto(`${code.url}/?folder=${encodeURIComponent(code.folder)}`);
  await page.locator(".monaco-workbench").waitFor();
  await page.locator(".statusbar-item", { hasText: "ctx" }).waitFor();
  await page.locator('.statusbar-item [aria-label*="up to date: 3 of 3 files"]').waitFor();
  log("the status bar says that the index is up to date");
  await palette("Contexture: Show the Context of a Prompt");
  const prompt = panel().getByLabel("Prompt");
  await prompt.waitFor();
  await prompt.fill("where are payments retried");
  const typed = performance.now();
  await prompt.press("End");
  await prompt.pressSequentially("?");
  const item = panel().locator(".item", { hasText: "retry.go:" }).first();
  await item.waitFor();
  log(`the panel shows the first result ${(performance.now() - typed).toFixed(0)} ms after the last key`);
  await shot("panel");
  assert.equal(await page.locator(".notification-toast").count(), 0, "the person is told something at the start");
  const text = await panel().locator("main").innerText();
  for (const want of ["tokens", "Found for this prompt", "What the model gets", "retryPayment"]) assert.ok(text.includes(want), `${want} is not in ${text}`);

  const webview = page.frames().find((f) => f.name() === "active-frame" || f.url().includes("fake.html"));
  const frames = page.frames().filter((f) => f.parentFrame() && f !== webview);
  let checked = false;
  for (const frame of [webview, ...frames]) {
    if (!frame || !(await frame.locator("#contexture").count().catch(() => 0))) continue;
    // The panel's own policy admits no script of ours: the browser's debugger may.
    const result = await frame.evaluate(`(() => { ${axe}; return globalThis.axe.run("#contexture"); })()`).catch((error) => ({ error: String(error) }));
    assert.ok(!result.error, result.error);
    assert.deepEqual(result.violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.html} ${n.failureSummary}`).join(" ")}`), []);
    checked = true;
  }
  assert.ok(checked, "the panel was not checked for accessibility");
  log("no accessibility violation");

  const found = panel().locator(".item", { hasText: "retry.go:" });
  await found.first().locator(".item-main").click();
  await panel().getByRole("button", { name: "Leave out retry.go", exact: true }).click();
  await found.first().waitFor({ state: "detached" });
  await panel().getByRole("button", { name: "Undo: retry.go" }).click();
  await found.first().waitFor();
  log("a file is left out and brought back");

  const source = panel().locator(".item", { hasText: "retry.go:" }).first();
  await source.locator(".item-main").click();
  await panel().getByRole("button", { name: /^Open retry\.go/ }).first().click();
  await page.locator(".tab.active", { hasText: "retry.go" }).waitFor();
  log("an item opens its file");

  await page.locator('.statusbar-item [aria-label*="up to date"]').click();
  const offered = page.locator(".quick-input-list", { hasText: "Rebuild the index" });
  await offered.waitFor();
  assert.doesNotMatch(await offered.innerText(), /Given to assistants/);
  await page.keyboard.press("Escape");
  give(join(code.run, "state"), code.folder, "codex/unseen", new Date().toISOString(), 20);
  await page.locator('.statusbar-item [aria-label*="up to date"]').click();
  await page.locator(".quick-input-list", { hasText: "Given to assistants in thirty days: 20 tokens; what came of it is not known" }).waitFor();
  await shot("status");
  await page.keyboard.press("Escape");
  log("the status tells and offers");

  if (process.env.SHOTS_THEMES) {
    for (const theme of ["Default Light Modern", "Default High Contrast"]) {
      await palette("Preferences: Color Theme");
      await page.keyboard.type(theme);
      await page.keyboard.press("Enter");
      await page.waitForTimeout(1000);
      await shot(theme.toLowerCase().replaceAll(" ", "-"));
    }
  }
  assert.deepEqual([...elsewhere], [], "hosts were asked for");
} catch (error) {
  failed = error;
}
await conclude(`UI tests in ${name}`, failed, { shot, close, code });
