// Makes the README's picture of the workbench, from this repository: node tests/pictures.mjs PROGRAM
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { browser, passing } from "../../vscode/tests/browser.mjs";
import { panel } from "../../vscode/tests/program.mjs";

const root = resolve(import.meta.dirname, "../../..");
const prompt = "where is the relevance threshold of items applied?";
const state = passing(mkdtempSync(join(tmpdir(), "contexture-pictures-")));
const served = await panel(resolve(process.argv[2]), { folder: root, state: join(state, "state") });
const { page, close } = await browser({ width: 1180, height: 800 });
await page.goto(served.url);
await page.locator(".index-state.idle", { hasText: /[1-9]/ }).waitFor({ timeout: 120_000 });
await page.goto(`${served.origin}/#/context?q=${encodeURIComponent(prompt)}`);
await page.locator(".block .syntax-keyword").first().waitFor();
assert.equal(await page.locator(".degraded").count(), 0, "the picture shows an answer that lacks something");
await page.screenshot({ path: resolve(root, "editors/screenshots/workbench.png"), animations: "disabled", caret: "hide" });
await close();
await served.stop();
console.log("editors/screenshots/workbench.png");
process.exit(0);
