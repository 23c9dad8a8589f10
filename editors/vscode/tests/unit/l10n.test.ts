import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { commandIds } from "../../src/contract.gen";
import { isProse, messages, sources, untranslated } from "./texts";

const root = resolve(import.meta.dirname, "../..");
const languages = ["de", "ja"];
type Texts = Record<string, string>;
const read = (name: string): Texts => JSON.parse(readFileSync(resolve(root, name), "utf8")) as Texts;
const manifest = readFileSync(resolve(root, "package.json"), "utf8");
const files = sources(resolve(root, "src"));
const keys = [...new Set(messages(files).map(({ text }) => text))].sort();

/** What a translation must have as often as the original: places for values, links, code, and icons. */
function marks(text: string): string[] {
  return (text.match(/\{\d\}|\(command:[^)]+\)|`[^`]+`|\$\([\w~-]+\)/g) ?? []).sort();
}

describe("the texts in the code", () => {
  it("are written out where they are translated", () => {
    expect(messages(files).filter(({ text }) => text === "")).toEqual([]);
  });
  it("are all translated", () => {
    expect(untranslated(files)).toEqual([]);
  });
  it("are found by the test", () => {
    const file = ts.createSourceFile("x.ts", 'import "vscode"; show("Remove the line?"); show(`Open ${1}`); show(l10n.t("Not this one"), "contexture.index"); output.warn("a log line"); show("Topics");', ts.ScriptTarget.Latest, true);
    expect(untranslated([file]).map(({ text }) => text)).toEqual(["Remove the line?", "Open ", "Topics"].filter(isProse));
    expect(messages([file]).map(({ text }) => text)).toEqual(["Not this one"]);
  });
  it.each(languages)("are in the bundle of %s, no more and no less", (language) => {
    expect(Object.keys(read(`l10n/bundle.l10n.${language}.json`)).sort()).toEqual(keys);
  });
  it.each(languages)("keep their values and links in %s", (language) => {
    for (const [key, text] of Object.entries(read(`l10n/bundle.l10n.${language}.json`))) {
      expect(text.trim(), key).not.toBe("");
      expect(marks(text), key).toEqual(marks(key));
    }
  });
});

describe("the texts of the manifest", () => {
  const english = read("package.nls.json");
  const used = [...manifest.matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key ?? "");
  it("are all there, and all used", () => {
    expect([...new Set(used)].sort()).toEqual(Object.keys(english).sort());
  });
  it.each(languages)("are all there in %s, with their links", (language) => {
    const texts = read(`package.nls.${language}.json`);
    expect(Object.keys(texts)).toEqual(Object.keys(english));
    for (const [key, text] of Object.entries(texts)) expect(marks(text), key).toEqual(marks(english[key] ?? ""));
  });
  it("are no words in the manifest itself", () => {
    const { contributes } = JSON.parse(manifest) as { contributes: Record<string, unknown> };
    const found: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value === "string") {
        // Descriptions for models stay in English; a setting's default is a value.
        const isOther = /\.(modelDescription|inputSchema|when|enablement|fullName|default)\b/.test(path);
        if (!isOther && isProse(value) && !["Contexture"].includes(value)) found.push(`${path}: ${value}`);
      } else if (value && typeof value === "object") {
        for (const [key, part] of Object.entries(value)) visit(part, `${path}.${key}`);
      }
    };
    visit(contributes, "");
    expect(found).toEqual([]);
  });
});

describe("the manifest", () => {
  interface Contributes {
    commands: { command: string; icon?: string }[];
    menus: Record<string, { command: string }[]>;
    walkthroughs: { steps: { media: { svg: string }; completionEvents: string[] }[] }[];
  }
  const { contributes } = JSON.parse(manifest) as { contributes: Contributes };
  const declared = contributes.commands.map(({ command }) => command);
  it("declares the commands that the code registers, and no others", () => {
    const inCode = files.flatMap((file) => [...file.text.matchAll(/\bregister\("(\w+)"/g)].map(([, name]) => `contexture.${name ?? ""}`));
    const actions = [...(files.find(({ fileName }) => fileName === "commands.ts")?.text ?? "").matchAll(/^ {2}(\w+): \{/gm)].map(([, name]) => `contexture.${name ?? ""}`);
    expect([...inCode, ...actions].sort()).toEqual([...declared].sort());
  });
  it("declares none that the server has", () => {
    expect(declared.filter((command) => (commandIds as readonly string[]).includes(command))).toEqual([]);
  });
  it("shows in menus only what it declares", () => {
    const shown = Object.values(contributes.menus).flat().map(({ command }) => command);
    expect(shown.filter((command) => !declared.includes(command))).toEqual([]);
  });
  it("links only to commands that there are", () => {
    const links = readdirSync(root).filter((name) => name.startsWith("package.nls")).flatMap((name) => [...readFileSync(resolve(root, name), "utf8").matchAll(/command:(contexture\.\w+)(?!\.focus)\b(?!\.)/g)].map(([, id]) => id ?? ""));
    expect(links.filter((id) => !declared.includes(id))).toEqual([]);
  });
  it("has a walkthrough of five steps, with a picture and an end for each", () => {
    const [{ steps } = { steps: [] }] = contributes.walkthroughs;
    expect(steps).toHaveLength(5);
    for (const { media, completionEvents } of steps) {
      expect(existsSync(resolve(root, media.svg)), media.svg).toBe(true);
      expect(completionEvents.length).toBeGreaterThan(0);
      for (const event of completionEvents) if (event.startsWith("onCommand:contexture.")) expect(declared).toContain(event.slice("onCommand:".length));
    }
  });
});
