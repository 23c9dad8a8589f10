// Units that speak to a person ask VS Code for the words: the tests answer in English.
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({ test: { dir: "tests/unit" }, resolve: { alias: { vscode: resolve(import.meta.dirname, "tests/unit/vscode.ts") } } });
