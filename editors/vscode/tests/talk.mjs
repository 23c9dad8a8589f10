// The chat of VS Code with a language model of ours, as tests use it.
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { passing } from "./browser.mjs";

/** Whether a VS Code admits a model of ours: from 1.104 on. */
export const admits = (install) => Number(/\.(\d+)\.\d+\/?$/.exec(install)?.[1] ?? Infinity) >= 104;

/** Packages the model, and returns its file. */
export function fakeModel() {
  const file = join(passing(mkdtempSync(join(tmpdir(), "contexture-fakelm-"))), "fakelm.vsix");
  const vsce = join(createRequire(import.meta.url).resolve("@vscode/vsce/package.json"), "../vsce");
  const packed = spawnSync(process.execPath, [vsce, "package", "--no-dependencies", "--allow-missing-repository", "--skip-license", "-o", file], { cwd: join(import.meta.dirname, "fakelm"), encoding: "utf8" });
  if (packed.status !== 0) throw new Error(`package the model: ${packed.stdout}${packed.stderr}`);
  return file;
}

/** Returns ways to use the chat of a window. */
export function chat(page) {
  /** Opens it, and waits until it offers the model. */
  const open = async () => {
    await page.keyboard.press("F1");
    await page.locator(".quick-input-widget input[type=text]").fill(">Chat: Open Chat");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "Open Chat" }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".interactive-input-part", { hasText: "Fake Echo" }).first().waitFor();
  };
  const ask = async (text) => {
    const input = page.locator(".interactive-input-part .monaco-editor").first();
    await input.click();
    await page.keyboard.type(text, { delay: 15 });
    await page.keyboard.press("Escape"); // the list that completes
    await page.keyboard.press("Enter");
  };
  /** Waits for a text, and returns all of the chat's. */
  const answer = async (text) => {
    const list = page.locator(".interactive-list").first();
    await list.getByText(text).first().waitFor();
    return list.innerText();
  };
  return { open, ask, answer };
}
