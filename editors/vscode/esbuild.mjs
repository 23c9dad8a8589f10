// Builds the extension. What its view shows is built in editors/workbench.
import { copyFile, mkdir } from "node:fs/promises";
import { build } from "esbuild";

const production = process.argv.includes("--production");
const common = { bundle: true, minify: production, sourcemap: production ? false : "linked", logLevel: "warning" };
await mkdir("dist", { recursive: true });
await Promise.all([
  build({ ...common, entryPoints: ["src/extension.ts"], outfile: "dist/extension.cjs", format: "cjs", platform: "node", target: "node20", external: ["vscode"] }),
  build({ ...common, entryPoints: ["tests/host/index.ts"], outfile: "out/host.cjs", format: "cjs", platform: "node", target: "node20", external: ["vscode", "mocha"] }),
  ...["workbench.js", "workbench.css"].map((file) => copyFile(`../../server/panel/assets/${file}`, `dist/${file}`)),
]);
