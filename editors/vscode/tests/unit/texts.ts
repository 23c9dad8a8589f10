/** Reads the texts of the extension's own code, as the compiler sees them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** A text in the code. */
export interface Text {
  text: string;
  /** The file and line, for the message of a test. */
  place: string;
}

/** Files whose texts are not the extension's to translate: generated, or for models. */
const others = ["contract.gen.ts", "modeltext.ts"];

/** The extension's own files. */
export function sources(folder: string): ts.SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !others.includes(name))
    .map((name) => ts.createSourceFile(name, readFileSync(join(folder, name), "utf8"), ts.ScriptTarget.Latest, true));
}

function placeOf(node: ts.Node): string {
  const file = node.getSourceFile();
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

function callee(node: ts.Node): string {
  return ts.isCallExpression(node) ? node.expression.getText() : "";
}

function isTranslation(node: ts.Node): node is ts.CallExpression {
  return /(^|\.)l10n\.t$/.test(callee(node));
}

/** The messages that are given to `l10n.t`. One that is not written out is listed as empty. */
export function messages(files: readonly ts.SourceFile[]): Text[] {
  const found: Text[] = [];
  const visit = (node: ts.Node): void => {
    if (isTranslation(node)) {
      const [first] = node.arguments;
      found.push({ text: first && ts.isStringLiteral(first) ? first.text : "", place: placeOf(node) });
    }
    ts.forEachChild(node, visit);
  };
  for (const file of files) visit(file);
  return found;
}

/** Reports whether a text reads like words for a person: two words, or one that begins like a sentence. The product's name is none, nor is HTML. */
export function isProse(text: string): boolean {
  if (/[<>]/.test(text)) return false;
  const words = text.replace(/Contexture:?/g, "");
  return /\p{L}{2,}[,;:.]? +\p{L}{2,}/u.test(words) || /^\p{Lu}\p{Ll}{2,}(…|\.|:)?$/u.test(words.trim());
}

/** Texts that read like words for a person and do not go through `l10n.t`. */
export function untranslated(files: readonly ts.SourceFile[]): Text[] {
  const found: Text[] = [];
  const visit = (node: ts.Node): void => {
    // The output is a log, which is English in every language.
    if (/\boutput\.\w+$/.test(callee(node)) || ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (isTranslation(node)) {
      for (const value of node.arguments.slice(1)) visit(value);
      return;
    }
    const parts = ts.isTemplateExpression(node) ? [node.head.text, ...node.templateSpans.map((span) => span.literal.text)] : ts.isStringLiteralLike(node) ? [node.text] : [];
    for (const text of parts) if (isProse(text)) found.push({ text, place: placeOf(node) });
    ts.forEachChild(node, visit);
  };
  for (const file of files) visit(file);
  return found;
}
