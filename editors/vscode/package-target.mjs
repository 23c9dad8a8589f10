// Packs the extension with the program of one platform: node package-target.mjs TARGET PROGRAM OUT.vsix
import { spawnSync } from "node:child_process";
import { closeSync, cpSync, chmodSync, mkdirSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The format and the processor that a program of a target has, as its first bytes say them. */
const machines = {
  "linux-x64": "ELF 62", "linux-arm64": "ELF 183", "alpine-x64": "ELF 62", "alpine-arm64": "ELF 183",
  "darwin-x64": "Mach-O 7", "darwin-arm64": "Mach-O 12", "win32-x64": "PE 34404",
};

/** Reads what a program runs on, in the form of `machines`. */
function machineOf(file) {
  const head = Buffer.alloc(4096);
  const fd = openSync(file, "r");
  readSync(fd, head);
  closeSync(fd);
  if (head.readUInt32BE(0) === 0x7f454c46) return `ELF ${head.readUInt16LE(18)}`;
  if (head.readUInt32LE(0) === 0xfeedfacf) return `Mach-O ${head.readUInt32LE(4) & 0xff}`;
  const pe = head.readUInt32LE(0x3c);
  if (head.toString("latin1", 0, 2) === "MZ" && pe < 4090) return `PE ${head.readUInt16LE(pe + 4)}`;
  return "no program";
}

function fail(text) {
  console.error(`package-target: ${text}`);
  process.exit(2);
}

const [target, program, out] = process.argv.slice(2);
if (!out) fail("takes TARGET PROGRAM OUT.vsix");
if (!machines[target]) fail(`target ${target} is not one of ${Object.keys(machines).join(", ")}`);
if (!statSync(program, { throwIfNoEntry: false })?.isFile()) fail(`${program} is not a file`);
if (machineOf(program) !== machines[target]) fail(`${program} is not for ${target}: it is ${machineOf(program)}, wanted is ${machines[target]}`);

const here = import.meta.dirname;
const bin = join(here, "bin");
rmSync(bin, { recursive: true, force: true });
mkdirSync(bin);
try {
  const own = join(bin, target.startsWith("win32") ? "contexture.exe" : "contexture");
  cpSync(resolve(program), own, { dereference: true });
  chmodSync(own, 0o755);
  mkdirSync(dirname(resolve(out)), { recursive: true });
  const vsce = join(here, "node_modules/.bin/vsce");
  const flags = ["package", "--target", target, "--no-dependencies", "--no-rewrite-relative-links", "--skip-license", "-o", resolve(out)];
  const done = spawnSync(vsce, flags, { cwd: here, encoding: "utf8" });
  if (done.status !== 0) fail(`${done.stdout}${done.stderr}`);
} finally {
  rmSync(bin, { recursive: true, force: true });
}
