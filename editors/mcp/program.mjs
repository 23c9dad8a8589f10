// `contexture mcp` as an assistant starts it, by the shared process, in folders of its own and without a model server.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

// However a test ends, what it has made goes.
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit(1));

/** A workspace that is indexed, a shared process that serves it, and the command of an assistant's settings. */
export async function place(path) {
  const program = resolve(path);
  const top = realpathSync(mkdtempSync(join(tmpdir(), "contexture-mcp-")));
  const [home, folder, state] = ["home", "ws", "state"].map((name) => join(top, name));
  mkdirSync(home);
  cpSync(new URL("../../testdata/workspaces/shop", import.meta.url), folder, { recursive: true });

  const env = { PATH: process.env.PATH, HOME: home };
  for (const args of [["init", "-q"], ["add", "-A"], ["-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-q", "-m", "begin"]]) {
    const done = spawnSync("git", args, { cwd: folder, env, encoding: "utf8" });
    assert.equal(done.status, 0, `git ${args.join(" ")}: ${done.stderr}`);
  }
  const daemon = spawn(program, ["daemon", "--idle", "1m", "--state-dir", state], { env, stdio: "ignore" });
  // Sessions end first: one that has lost its shared process starts another.
  const sessions = [];
  process.once("exit", () => {
    for (const end of sessions) {
      try {
        end();
      } catch {
        // has ended
      }
    }
    daemon.kill("SIGKILL");
    rmSync(top, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  });
  for (let i = 0; !existsSync(join(state, "run", "contexture.sock")); i++) {
    assert.ok(i < 1000 && daemon.exitCode === null, "the shared process does not start");
    await new Promise((done) => setTimeout(done, 20));
  }

  const flags = ["--offline", "--state-dir", state, "--root", folder];
  /** Runs another command of the program to its end and gives what it prints. */
  const run = (...args) => {
    const done = spawnSync(program, [...args, ...flags], { env, encoding: "utf8" });
    assert.equal(done.status, 0, `${args.join(" ")}: ${done.stderr}`);
    return done.stdout;
  };
  run("index");
  /** Is told how a session is ended at once, should the test leave before it. */
  const ending = (end) => void sessions.push(end);
  return { env, folder, uri: pathToFileURL(folder).href, command: program, args: ["mcp", ...flags], run, ending };
}

/** Runs a test's parts in their order, says how each went, and leaves with a status. */
export async function report(title, parts) {
  let failed;
  try {
    for (const [name, part] of parts) {
      const begin = performance.now();
      const more = await part();
      console.log(`ok: ${name}, ${(performance.now() - begin).toFixed(0)} ms${typeof more === "string" ? `; ${more}` : ""}`);
    }
  } catch (error) {
    failed = error;
    console.error(error);
  }
  console.log(`${title}: ${failed ? "failed" : "ok"}`);
  process.exit(failed ? 1 : 0);
}
