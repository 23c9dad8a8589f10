/**
 * Runs the tests that need a real extension host. host.mjs reads two kinds of lines: which test begins, and last, that
 * all have passed. VS Code reports success also where the extension host ends in the middle.
 */
import Mocha from "mocha";

export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: "bdd", color: false, timeout: 60_000, forbidOnly: true, forbidPending: true });
  mocha.suite.emit("pre-require", globalThis as unknown as Mocha.MochaGlobals, "", mocha);
  await import("./suite");
  await import("./views");
  return new Promise((resolve, reject) => {
    const runner = mocha.run((failures) => {
      const passes = runner.stats?.passes ?? 0;
      if (failures > 0) reject(new Error(`${failures} tests failed`));
      else if (passes === 0 || passes !== runner.total) reject(new Error(`${passes} of ${runner.total} tests passed`));
      else {
        console.log(`all ${passes} tests passed`);
        resolve();
      }
    });
    runner.on("test", (test) => console.log(`begins: ${test.fullTitle()}`));
  });
}
