// Builds the extension and what its view shows.
import { copyFile, mkdir } from "node:fs/promises";
import { build } from "esbuild";

const production = process.argv.includes("--production");
const common = { bundle: true, minify: production, sourcemap: production ? false : "linked", logLevel: "warning" };
await mkdir("dist", { recursive: true });
await Promise.all([
  build({ ...common, entryPoints: ["src/extension.ts"], outfile: "dist/extension.cjs", format: "cjs", platform: "node", target: "node20", external: ["vscode"] }),
  build({ ...common, entryPoints: ["src/webview/main.ts"], outfile: "dist/panel.js", format: "esm", platform: "browser", target: "es2022" }),
  build({ ...common, entryPoints: ["tests/host/index.ts"], outfile: "out/host.cjs", format: "cjs", platform: "node", target: "node20", external: ["vscode", "mocha"] }),
  copyFile("../../server/panel/assets/panel.css", "dist/panel.css"),
]);
