import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { bytes, chosenLanguage, languageOf, t } from "../../src/texts";
import { de } from "../../src/texts/de";
import { en } from "../../src/texts/en";
import { ja } from "../../src/texts/ja";

const root = join(import.meta.dirname, "../../src");
const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((f) => /\.tsx?$/.test(f) && !f.endsWith(".d.ts") && !f.startsWith("texts"))
  .map((f) => ({ name: f, text: readFileSync(join(root, f), "utf8") }));

const forms = (text: string | { one?: string; other: string }): string[] => (typeof text === "string" ? [text] : [text.other, ...(text.one === undefined ? [] : [text.one])]);
const values = (text: string): string => [...text.matchAll(/\{\w+\}/g)].map((m) => m[0]).sort().join();

describe("texts", () => {
  it("stand in every language, with the same values", () => {
    for (const [name, other] of Object.entries({ de, ja })) {
      expect(Object.keys(other), name).toEqual(Object.keys(en));
      for (const [key, text] of Object.entries(en)) {
        const wanted = values(forms(text)[0] ?? "");
        const [form = "", one = form] = forms(other[key as keyof typeof en]);
        expect(values(form), `${name} ${key}`).toBe(wanted);
        expect([wanted, wanted.replace("{n}", "").replace(/^,|,$/, "")], `${name} ${key}, of one`).toContain(values(one)); // "one" needs no number
      }
    }
  });

  it("are translated", () => {
    const same = Object.keys(en).filter((key) => {
      const [a, b] = [forms(en[key as keyof typeof en])[0], forms(ja[key as keyof typeof en])[0]];
      return a === b && /[a-z]{3}/.test(a?.replace(/\{\w+\}/g, "") ?? "");
    });
    expect(same.filter((key) => !international.has(key))).toEqual([]);
  });

  it("are all used", () => {
    const code = sources.map((s) => s.text).join("\n");
    const prefixes = [...code.matchAll(/`([a-z]+\.(?:[\w]+\.)?)\$\{/g)].map((m) => m[1] ?? "");
    const unused = Object.keys(en).filter((key) => !code.includes(`"${key}"`) && !prefixes.some((p) => key.startsWith(p)));
    expect(unused).toEqual([]);
  });

  it("do not stand in code", () => {
    const found: string[] = [];
    for (const { name, text } of sources.filter((s) => s.name.endsWith(".tsx"))) {
      const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
      const visit = (node: ts.Node): void => {
        const written = ts.isJsxText(node) ? node.text : ts.isJsxAttribute(node) && spoken.has(node.name.getText()) && node.initializer && ts.isStringLiteral(node.initializer) ? node.initializer.text : "";
        // Keys of texts and names of icons are of lower case, without spaces.
        if (/\p{L}/u.test(written) && !(ts.isJsxAttribute(node) && /^[\w.]+$/.test(written) && !/^\p{Lu}/u.test(written))) found.push(`${name}: ${written.trim()}`);
        ts.forEachChild(node, visit);
      };
      visit(file);
    }
    expect(found).toEqual([]);
  });

  it("are chosen by the number, and written as the language writes numbers", () => {
    chosenLanguage.value = "en";
    expect(t("context.items", { n: 1 })).toBe("1 item");
    expect(t("context.items", { n: 1200 })).toBe("1,200 items");
    chosenLanguage.value = "de";
    expect(t("context.items", { n: 1200 })).toBe("1.200 Einträge");
    expect(bytes(1_234_567)).toBe("1,2 MB");
    chosenLanguage.value = undefined;
  });

  it("follow the tag of the surroundings", () => {
    expect([languageOf("de-CH"), languageOf("ja"), languageOf("pt-BR")]).toEqual(["de", "ja", "en"]);
  });
});

/** Texts that are the same in all languages: names, and examples of code. */
const international = new Set(["app.name", "context.copyMarkdown", "index.patternHint"]);
/** Attributes that a person reads or hears. */
const spoken = new Set(["label", "title", "name", "placeholder", "alt", "aria-label", "aria-valuetext", "aria-description"]);
