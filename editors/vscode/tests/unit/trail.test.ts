import { describe, expect, it } from "vitest";
import { limits, local, Trail } from "../../src/trail";

const noon = Date.UTC(2026, 9, 5, 12);

describe("trail", () => {
  it("tells where the person is, once", () => {
    const trail = new Trail();
    trail.visit("file:///a.go", noon);
    trail.visit("file:///a.go", noon + 1);
    trail.visit("file:///b.go", noon + 2);
    expect(trail.wait(noon + 2)).toBe(0);
    expect(trail.report(noon + 2)).toMatchObject({
      activeDocument: "file:///b.go",
      navigation: [{ path: "file:///a.go", at: "2026-10-05T12:00:00.000Z" }, { path: "file:///b.go", at: "2026-10-05T12:00:00.002Z" }],
    });
    expect(trail.report(noon + 2 + limits.between)).toBeUndefined();
  });
  it("tells little at a time", () => {
    const trail = new Trail();
    let reports = 0;
    for (let i = 0; i < 600; i++) {
      trail.visit(`file:///${i}.go`, noon + i * 100);
      const report = trail.report(noon + i * 100);
      if (report) {
        reports++;
        expect(report.navigation?.length).toBeLessThanOrEqual(limits.visits);
      }
    }
    expect(reports).toBe(60_000 / limits.between);
    expect(trail.wait(noon + 59_900)).toBeLessThanOrEqual(limits.between);
  });
  it("tells once that the person is idle, and that they are back", () => {
    const trail = new Trail();
    trail.visit("file:///a.go", noon);
    expect(trail.report(noon)).not.toHaveProperty("idleSince");
    expect(trail.wait(noon + 10)).toBe(limits.idle - 10);
    expect(trail.report(noon + limits.idle)).toMatchObject({ idleSince: "2026-10-05T12:00:00.000Z" });
    expect(trail.wait(noon + limits.idle)).toBe(Number.POSITIVE_INFINITY);
    expect(trail.report(noon + 2 * limits.idle)).toBeUndefined();
    trail.sign(noon + 3 * limits.idle);
    expect(trail.report(noon + 3 * limits.idle)).not.toHaveProperty("idleSince");
  });
  it("knows the latest conversation and those before", () => {
    const trail = new Trail();
    for (const id of ["a", "b", "c", "d", "e", "c"]) trail.speak(id, noon);
    expect(trail.report(noon)).toMatchObject({ activeConversationId: "c", visibleConversationIds: ["e", "d", "b"] });
  });
  it("leaves out what is not there", () => {
    const trail = new Trail();
    trail.visit("file:///a.go", noon);
    trail.visit(undefined, noon + 1);
    const report = trail.report(noon + 1);
    expect(report).not.toHaveProperty("activeDocument");
    expect(report).not.toHaveProperty("activeConversationId");
  });
  it("writes times with their offset", () => {
    const at = new Date(noon);
    expect(Date.parse(local(at))).toBe(noon);
    expect(local(at)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
  });
});
