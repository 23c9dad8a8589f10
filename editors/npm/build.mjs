// Packs the wrapper and the packages of platforms: node build.mjs OUT linux-x64=PROGRAM darwin-arm64=PROGRAM …
// It writes tarballs and prints their paths, the wrapper's last.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const here = import.meta.dirname;
const wrapper = JSON.parse(readFileSync(join(here, "cli/package.json"), "utf8"));
const licence = resolve(here, "../../LICENSE");

function fail(text) {
  console.error(`build: ${text}`);
  process.exit(2);
}

const [out, ...pairs] = process.argv.slice(2);
if (!out || pairs.length === 0) fail("takes OUT and PLATFORM=PROGRAM …");
mkdirSync(out, { recursive: true });
const made = mkdtempSync(join(tmpdir(), "contexture-npm-"));
const pack = (folder) => {
  const [{ filename }] = JSON.parse(execFileSync("npm", ["pack", "--json", "--pack-destination", resolve(out)], { cwd: folder, encoding: "utf8" }));
  console.log(join(resolve(out), filename));
};
try {
  for (const pair of pairs) {
    const [platform, program] = pair.split("=");
    const name = `@contexture/cli-${platform}`;
    if (!wrapper.optionalDependencies[name]) fail(`platform ${platform} is not one of ${Object.keys(wrapper.optionalDependencies).map((d) => d.slice(16)).join(", ")}`);
    if (!program || !statSync(program, { throwIfNoEntry: false })?.isFile()) fail(`${pair}: PROGRAM is not a file`);
    const [os, cpu] = platform.split("-");
    const folder = join(made, platform);
    const own = join(folder, "bin", os === "win32" ? "contexture.exe" : "contexture");
    mkdirSync(join(folder, "bin"), { recursive: true });
    cpSync(program, own, { dereference: true });
    chmodSync(own, 0o755);
    cpSync(licence, join(folder, "LICENSE"));
    const { version, license, repository } = wrapper;
    const manifest = { name, version, description: `The program of @contexture/cli for ${platform}`, license, repository, os: [os], cpu: [cpu], files: ["bin"], preferUnplugged: true };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, null, 2));
    pack(folder);
  }
  const folder = join(made, "cli");
  cpSync(join(here, "cli"), folder, { recursive: true });
  cpSync(licence, join(folder, "LICENSE"));
  pack(folder);
} finally {
  rmSync(made, { recursive: true, force: true });
}
