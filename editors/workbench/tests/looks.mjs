// Looks at every place with every kind of data, and checks that it can be used by everyone:
//
//	node tests/looks.mjs PROGRAM            compares with tests/goldens
//	UPDATE=1 node tests/looks.mjs PROGRAM   writes them; look at each before it is committed
//	ONLY=rules node …                       some, by a part of their name
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fill, fillFromTheRight, given, huge, steady } from "./data.mjs";
import { goldens } from "./goldens.mjs";
import { log, out, run, violations } from "./kit.mjs";

const widths = [360, 768, 1280, 2560];
const themes = ["light", "dark", "contrast"];
const pictured = process.env.PICTURES === "all"; // also those that are no goldens, to out/

/** Places of what is written from right to left. */
const fromTheRight = { rtlTalk: "/conversations/rtl", rtlTurn: "/conversations/rtl/T-1" };

/** Places, with what is opened in them. */
const places = {
  context: "/context?q=where%20are%20payments%20retried%3F",
  search: "/search?q=retry",
  conversations: "/conversations",
  conversation: "/conversations/payments",
  turn: "/conversations/payments/T-2",
  sources: "/conversations?view=sources",
  rules: "/rules",
  topics: "/topics",
  graph: "/topics?view=graph",
  receipts: "/receipts",
  receipt: "/receipts/codex%2F0198f3a2",
  index: "/index",
};

await run("looks", async ({ page, context, execute, served, expect }) => {
  const pictures = await goldens(context, resolve(import.meta.dirname, "goldens"), out);
  const only = process.env.ONLY ?? "";
  let data = "empty";
  let language = "en";
  await context.route("**/execute", async (route) => {
    const { command, args } = route.request().postDataJSON();
    if (data === "broken") return route.fulfill({ status: 422, json: { code: -32803, message: "the memory is damaged: /state/memory: checksum mismatch", data: { code: "corrupt" } } });
    if (data === "nonsense") return route.fulfill({ json: {} });
    if (data === "offline") return route.abort("connectionrefused");
    const response = await route.fetch().catch(() => undefined);
    if (!response) return route.abort().catch(() => undefined);
    const body = response.ok() ? await response.json().catch(() => undefined) : undefined; // the page may have left meanwhile
    const answer = body && steady(command, body);
    const made = data === "huge" ? huge(command, args, answer ?? {}) : data === "empty" ? undefined : given(command, args);
    if (!answer && !made) return route.fulfill({ response });
    await route.fulfill({ status: 200, json: made ?? answer }).catch(() => undefined); // it was cancelled
  });
  // Two tabs, which share the work: most of it waits for a drawing.
  const tabs = [page, await context.newPage()];
  for (const tab of tabs) {
    await tab.clock.setFixedTime(new Date("2026-02-01T12:00:00Z"));
    // A tab's name outlives the page, which writes what was chosen whenever it changes, and last when it ends.
    await tab.addInitScript(() => globalThis.name.startsWith("{") && sessionStorage.setItem("workbench", globalThis.name));
    await tab.goto(served.origin);
  }

  /** Goes to a place, waits until it shows what it has, and returns its picture. */
  const show = async (tab, place, width, theme) => {
    const address = places[place] ?? fromTheRight[place];
    await tab.setViewportSize({ width, height: width < 500 ? 780 : 900 });
    await tab.evaluate(([hash, settings]) => Object.assign(globalThis, { name: settings }).location.hash = hash, [address, JSON.stringify({ theme, language })]);
    await tab.waitForFunction((hash) => location.hash.startsWith(`#${hash.split("?")[0]}`), address);
    if (data !== "offline") {
      await tab.reload();
      await tab.waitForFunction(([theme, language]) => document.documentElement.dataset.theme === theme && document.documentElement.lang === language, [theme, language]);
    }
    await tab.locator("main h1, main .trouble").first().waitFor({ state: "attached" });
    await tab.waitForFunction(() => !document.querySelector("main .loading, main [aria-busy=true]"));
    // Colours of code and measures of rows come a moment later: it is still when two pictures are the same.
    let last;
    for (let i = 0; i < 40; i++) {
      const now = await tab.screenshot({ animations: "disabled", caret: "hide" });
      if (last?.equals(now)) break;
      last = now;
      await tab.waitForTimeout(100);
    }
    return last;
  };
  let checked = 0;
  const wrong = [];
  const check = async (tab, name) => {
    for (const v of await violations(tab)) wrong.push(`${name}: ${v}`);
    const wide = await tab.evaluate(() => {
      const main = document.querySelector("main");
      const edge = document.documentElement.clientWidth;
      const widest = [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > edge + 1 && !e.closest(".code, nav")).map((e) => e.outerHTML.slice(0, 80));
      return [document.documentElement, main].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => `${e.tagName} ${e.scrollWidth} > ${e.clientWidth}: ${widest[0]}`);
    });
    if (wide.length) wrong.push(`${name}: scrolls sideways: ${wide}`);
    checked++;
  };
  const look = async (tab, { place, theme, width, golden }) => {
    const name = `${place}-${data}-${theme}-${width}${language === "en" ? "" : `-${language}`}`;
    if (!name.includes(only)) return;
    const picture = await show(tab, place, width, theme);
    await check(tab, name);
    if (golden) await pictures.compare(name, picture);
    else if (pictured) writeFileSync(`${out}/${name}.png`, picture);
  };
  /** Looks at views with the data and the language there are, each as [place, theme, width, is there a golden]. */
  const lookAt = async (what, views) => {
    const left = views.map(([place, theme, width, golden]) => ({ place, theme, width, golden }));
    await Promise.all(tabs.map(async (tab) => {
      for (let view = left.shift(); view; view = left.shift()) await look(tab, view);
    }));
    log(`${what}: ${views.length} views`);
  };

  expect(/status of 422|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|Failed to fetch|TypeError/);
  const all = Object.keys(places);
  const own = all.filter((p) => !["turn", "sources", "conversation", "graph", "receipt"].includes(p));
  await lookAt("nothing is there", own.flatMap((p) => [[p, "light", 1280, true], [p, "dark", 360, true]]));
  data = "small";
  await fill(execute);
  await lookAt("three themes, four widths", all.flatMap((p) => widths.flatMap((w) => themes.map((t) => [p, t, w, t === "light" || w === 1280]))));
  for (language of ["de", "ja"]) await lookAt(`the language ${language}`, all.flatMap((p) => [[p, "light", 1280, true], [p, "light", 360, false]]));
  language = "en";
  for (data of ["huge", "broken", "nonsense"]) await lookAt(data, (data === "huge" ? all : own).flatMap((p) => [[p, "light", 1280, true], [p, "dark", 360, data === "huge"]]));
  data = "small";
  for (const tab of tabs) await show(tab, "context", 1280, "light");
  data = "offline";
  await lookAt("the program is gone", own.slice(1).map((p) => [p, "light", 1280, true]));
  data = "rtl";
  await fillFromTheRight(execute);
  await lookAt("from right to left", ["conversations", "rtlTalk", "rtlTurn", "rules"].flatMap((p) => [[p, "light", 1280, true], [p, "light", 360, true]]));

  if (!only) {
    assert.deepEqual(pictures.stale(), [], "goldens of nothing");
  }
  assert.deepEqual([...new Set(wrong)].slice(0, 20), []);
  assert.deepEqual(pictures.wrong, []);
  log(`${checked} views without an accessibility violation or sideways scrolling, ${pictures.seen.size} pictures as they were looked at`);
});
