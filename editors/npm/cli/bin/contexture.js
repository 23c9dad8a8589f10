#!/usr/bin/env node
// Runs the program of this platform, which an optional dependency brings.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const platform = `${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`@contexture/cli-${platform}/bin/contexture${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`contexture: there is no program for ${platform}: the package @contexture/cli-${platform} is not installed. ` +
    "Install again without --omit=optional; where there is no such package, build from source with Go.");
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
// What ends this process is the program's to hear: it may have work to finish.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`contexture: ${program} cannot be run: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
