// What the tests in a browser share: the real program, its page, and what must hold of every page.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { browser } from "../../vscode/tests/browser.mjs";
import { indexed, panel, place } from "../../vscode/tests/program.mjs";

export const out = resolve(import.meta.dirname, "../out");
mkdirSync(out, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const begin = performance.now();

/** Says what holds, and when. */
export const log = (what) => console.log(`${((performance.now() - begin) / 1000).toFixed(1).padStart(6)} s  ok: ${what}`);

/**
 * Measures three times, and more while none is within the limit; fails where none of twenty is. What else runs on a machine
 * only adds to a time, so the least of several is what the program takes.
 *
 * @param {string} what says what is timed
 * @param {number} limit in milliseconds
 * @param {(round: number) => Promise<number>} once
 */
export async function within(what, limit, once) {
  const times = [];
  while (times.length < 3 || (times.length < 20 && Math.min(...times) > limit)) times.push(await once(times.length));
  const said = `${what} ${times.map((t) => t.toFixed(0)).join(", ")} ms (at most ${limit})`;
  assert.ok(Math.min(...times) <= limit, said);
  log(said);
}

/**
 * Runs a test with the page of a program of its own, and ends the process: with 1 where it failed, where the page logged
 * an error that `expected` does not match, or asked another host.
 *
 * @param {string} name
 * @param {(kit: object) => Promise<void>} test
 * @param {{width?: number, height?: number}} [viewport]
 */
export async function run(name, test, viewport = { width: 1280, height: 900 }) {
  const program = resolve(process.argv[2]);
  const here = place();
  const state = here.state();
  const served = await panel(program, { folder: here.folder, state });
  const { page, context, close } = await browser(viewport);
  const troubles = [];
  const expected = [];
  const trouble = (text) => expected.some((e) => e.test(text)) || troubles.push(text);
  const watch = (page) => {
    page.setDefaultTimeout(20_000);
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && trouble(message.text()));
    page.on("pageerror", (error) => trouble(String(error.stack ?? error)));
  };
  watch(page);
  context.on("page", watch);
  context.on("request", (r) => !r.url().startsWith(`${served.origin}/`) && !/^(data|blob):/.test(r.url()) && trouble(`asks ${r.url()}`));
  const execute = (command, args = {}) =>
    page.evaluate(async ([command, args]) => {
      const answer = await fetch("/execute", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ command, args }) });
      if (!answer.ok) throw new Error(`${command}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    }, [command, args]);
  const open = async (hash) => {
    await page.goto(`${served.origin}/#${hash}`);
    await page.locator("main").waitFor();
  };
  const shot = (what) => page.screenshot({ path: resolve(out, `${what}.png`) });
  let failed;
  try {
    await page.goto(served.url);
    await page.locator("main").waitFor();
    await indexed(execute);
    await test({ page, context, execute, open, shot, served, folder: here.folder, state, expect: (pattern) => expected.push(pattern) });
  } catch (error) {
    failed = error;
    await shot(`${name}-failed`).catch(() => undefined);
    console.error(error);
    console.error(served.said());
  }
  await close();
  const status = await served.stop();
  if (!failed && (status !== 0 || troubles.length)) {
    failed = { status, troubles };
    console.error("the end:", failed, served.said());
  }
  console.log(`${name}: ${failed ? "failed" : "ok"}`);
  process.exit(failed ? 1 : 0);
}

/** Returns what axe finds wrong with the page as it is. */
export async function violations(page) {
  const found = await page.evaluate(`(() => { ${axe}; return globalThis.axe.run({ exclude: [] }, { resultTypes: ["violations"] }); })()`);
  return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.html} ${n.failureSummary}`).join(" ")}`);
}

/** What has the keyboard: its name. */
export const focused = (page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    return at === document.body ? "nothing" : (at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent);
  });

/** Moves the keyboard until it is at what has a name. */
export async function tabTo(page, name, key = "Tab") {
  const passed = [];
  for (let i = 0; i < 80; i++) {
    if (name.test(await focused(page))) return;
    passed.push(await focused(page));
    await page.keyboard.press(key);
  }
  assert.fail(`${name} is not reached by ${key}: ${passed.join(", ")}`);
}
