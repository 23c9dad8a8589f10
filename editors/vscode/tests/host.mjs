// Runs tests/host inside the real extension host: node tests/host.mjs INSTALL PROGRAM
import { format } from "node:util";
import { resolve } from "node:path";
import { browser, vscode } from "./browser.mjs";

const [install, program] = process.argv.slice(2);
const here = resolve(import.meta.dirname, "..");
const code = await vscode(install, { program: resolve(program), smoke: true });
const { page, close } = await browser();
const ended = new Promise((done) => {
  void page.exposeFunction("codeAutomationExit", done);
  setTimeout(() => done(124), 180_000).unref();
});
await page.exposeFunction("codeAutomationLog", (type, args) => {
  // Mocha's report arrives as console.log(format, …) with styles between.
  const text = format(...args.filter((a) => !/^color:/.test(String(a))).map((a, i) => (i === 0 && typeof a === "string" ? a.replaceAll("%c", "") : a)));
  if (/✔|passing|failing|\d+\) |Error|activation took|never:|\+ |- /.test(text)) console.log(text.slice(0, 600));
});
const remote = (path) => `vscode-remote://${new URL(code.url).host}${path}`;
const payload = [["extensionDevelopmentPath", remote(here)], ["extensionTestsPath", remote(resolve(here, "out/host.cjs"))], ["skipWelcome", "true"]];
await page.goto(`${code.url}/?folder=${encodeURIComponent(code.folder)}&payload=${encodeURIComponent(JSON.stringify(payload))}`);
const status = await ended;
if (status !== 0) await page.screenshot({ path: resolve(here, "out/host-failed.png") });
await close();
await code.stop();
console.log(`in-host tests: ${status === 0 ? "ok" : `failed with ${status}`}`);
process.exit(status);
