// Builds the front end into what the program embeds: node esbuild.mjs [--check]
// With --check nothing is written; it fails where what is there is not what the sources give.
import { readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const out = new URL("../../server/panel/assets/", import.meta.url);
const mostBytes = 150 * 1024; // compressed, all files together

const { outputFiles } = await build({
  entryPoints: { workbench: "src/main.tsx" },
  bundle: true, minify: true, format: "esm", platform: "browser", target: "es2022", charset: "utf8", legalComments: "none",
  banner: { js: "// Code generated from editors/workbench by its esbuild.mjs. DO NOT EDIT.", css: "/* Code generated from editors/workbench by its esbuild.mjs. DO NOT EDIT. */" },
  jsx: "automatic", jsxImportSource: "preact", write: false, outdir: "out", logLevel: "warning",
});
const compressed = outputFiles.reduce((sum, file) => sum + gzipSync(file.contents).length, 0);
console.log(`workbench: ${(compressed / 1024).toFixed(1)} KiB compressed`);
if (compressed > mostBytes) throw new Error(`the workbench takes ${compressed} bytes compressed, at most ${mostBytes} are allowed`);
for (const file of outputFiles) {
  const target = new URL(file.path.split(/[\\/]/).at(-1), out);
  if (!process.argv.includes("--check")) await writeFile(target, file.contents);
  else if (!Buffer.from(file.contents).equals(await readFile(target))) throw new Error(`${target.pathname} is stale; run npm run build in editors/workbench`);
}
