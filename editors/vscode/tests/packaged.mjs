// The package of one platform, in a VS Code that has nothing else: node tests/packaged.mjs INSTALL PROGRAM NAME
// No setting names the program and PATH has none: the one in the package is found, and brings the first bundle.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { browser, conclude, vscode } from "./browser.mjs";
import { workbench } from "./window.mjs";

const [install, given, name] = process.argv.slice(2);
const here = resolve(import.meta.dirname, "..");
const pack = (target, out) => spawnSync(process.execPath, [join(here, "package-target.mjs"), target, resolve(given), out], { encoding: "utf8" });
const vsix = join(here, "out", "contexture-linux-x64.vsix");

const wrong = pack("win32-x64", join(here, "out", "contexture-win32-x64.vsix"));
assert.equal(wrong.status, 2);
assert.match(wrong.stderr, /is not for win32-x64: it is ELF 62, wanted is PE 34404/);
const packed = pack("linux-x64", vsix);
assert.equal(packed.status, 0, packed.stderr);

const code = await vscode(install, { vsix: [vsix] });
const { page, close } = await browser();
const shot = (what) => page.screenshot({ path: join(here, `out/${name}-packaged-${what}.png`) });
let failed;
try {
  await page.goto(`${code.url}/?folder=${encodeURIComponent(code.folder)}`);
  await page.locator('.statusbar-item [aria-label*="up to date"]').waitFor();
  const { palette, webview } = workbench(page);
  await palette("Contexture: Show the Context of a Prompt");
  await webview().getByLabel("Prompt").fill("Where are payments retried?");
  await webview().getByText("retry.go").first().waitFor();
} catch (error) {
  failed = error;
}
await conclude(`the package for linux-x64 in ${name}`, failed, { shot, close, code });
