// Makes the pictures of the extension's page and of the README, from this repository: node tests/pictures.mjs INSTALL PROGRAM
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { browser, conclude, vscode } from "./browser.mjs";
import { workbench } from "./window.mjs";

const [install, program] = process.argv.slice(2);
const here = resolve(import.meta.dirname, "..");
const folder = join(here, "media/pictures");
mkdirSync(folder, { recursive: true });
const code = await vscode(install, { program: resolve(program), vsix: [join(here, "contexture.vsix")], folder: resolve(here, "../..") });
const { page, close } = await browser({ width: 1120, height: 780 });
const shot = (what) => page.screenshot({ path: join(here, `out/pictures-${what}.png`) });
const { palette, row, expand, only, webview } = workbench(page);
const prompt = "where is the relevance threshold of items applied?";

async function picture(name, clip) {
  await page.mouse.move(900, 20);
  for (let i = 0, last = ""; i < 100; i++) {
    const now = await page.screenshot({ animations: "disabled", caret: "hide", ...(clip && { clip }), path: join(folder, `${name}.png`) });
    if (now.toString("base64") === last) return console.log(`editors/vscode/media/pictures/${name}.png`);
    last = now.toString("base64");
    await page.waitForTimeout(200);
  }
  throw new Error(`${name}: the window does not come to rest`);
}

let failed;
try {
  // What is not ours is as quiet as can be.
  code.set({ "git.enabled": false, "window.commandCenter": false, "window.title": "contexture", "editor.minimap.enabled": false, "editor.stickyScroll.enabled": false });
  await page.goto(`${code.url}/?folder=${encodeURIComponent(code.folder)}`);
  await page.locator('.statusbar-item [aria-label*="up to date"]').waitFor({ timeout: 180_000 });
  await page.addStyleTag({ content: ".statusbar-item:not([id^=contexture]) { visibility: hidden }" });
  await palette("Contexture: Show the Context of a Prompt");
  await webview().getByLabel("Prompt").fill(prompt);
  const { x, width } = await page.locator(".part.sidebar").boundingBox();
  await page.mouse.move(x + width, 400);
  await page.mouse.down();
  await page.mouse.move(x + 470, 400, { steps: 5 });
  await page.mouse.up();
  await webview().locator(".block .syntax-keyword").first().waitFor();
  await webview().getByRole("button", { name: /^Open / }).first().click();
  await page.locator(".tab.active").waitFor();
  await page.locator(".view-line .mtk6, .view-line [class*=mtk]").first().waitFor();
  await webview().locator(".announcer p").waitFor({ state: "detached" });
  await webview().getByLabel("Prompt").click();
  await only("Context");
  await picture("context");

  await only("Index");
  await expand("Index", "Left Out", "Languages");
  await row("Index", "go").waitFor();
  const bar = await page.locator(".part.sidebar").boundingBox();
  await picture("index", { ...bar, height: 500 });
} catch (error) {
  failed = error;
}
await conclude("pictures", failed, { shot, close, code });
