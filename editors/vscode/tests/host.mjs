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
let begun = "the first test";
let report;
const passed = new Promise((done) => (report = () => done(true)));
await page.exposeFunction("codeAutomationLog", (type, args) => {
  // Mocha's report arrives as console.log(format, …) with styles between.
  const text = format(...args.filter((a) => !/^color:/.test(String(a))).map((a, i) => (i === 0 && typeof a === "string" ? a.replaceAll("%c", "") : a)));
  if (/^begins: /.test(text)) begun = text.slice("begins: ".length);
  if (/^all \d+ tests passed$/.test(text)) report();
  if (/✔|passing|failing|\d+\) |Error|activation took|never:|\+ |- /.test(text)) console.log(text.slice(0, 600));
});
const remote = (path) => `vscode-remote://${new URL(code.url).host}${path}`;
const payload = [["extensionDevelopmentPath", remote(here)], ["extensionTestsPath", remote(resolve(here, "out/host.cjs"))], ["skipWelcome", "true"]];
await page.goto(`${code.url}/?folder=${encodeURIComponent(code.folder)}&payload=${encodeURIComponent(JSON.stringify(payload))}`);
let status = await ended;
// VS Code ends with 0 also where the extension host has died. What tests/host/index.ts reports last may arrive later.
if (status === 0 && !(await Promise.race([passed, new Promise((done) => setTimeout(done, 10_000))]))) {
  console.error(`the extension host has ended in or after the test “${begun}”, before the last one`);
  status = 1;
}
if (status !== 0) await page.screenshot({ path: resolve(here, "out/host-failed.png") });
await close();
await code.stop();
console.log(`in-host tests: ${status === 0 ? "ok" : `failed with ${status}`}`);
process.exit(status);
