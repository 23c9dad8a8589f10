import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Pace } from "../../src/pace";
import { Pages, slices } from "../../src/pages";
import { patternOf } from "../../src/pattern";
import { longTime, shortTime } from "../../src/when";

describe("the pace of refreshes", () => {
  beforeEach(() => { vi.useFakeTimers(); });
  afterEach(() => { vi.useRealTimers(); });

  it("is at most two in a second, however many ask", () => {
    let runs = 0;
    const pace = new Pace(() => runs++, 500);
    for (let i = 0; i < 1000; i++) {
      pace.ask();
      vi.advanceTimersByTime(10);
    }
    expect(runs).toBeGreaterThanOrEqual(19);
    expect(runs).toBeLessThanOrEqual(21);
  });
  it("is soon for one who asks, and none for nobody", () => {
    let runs = 0;
    const pace = new Pace(() => runs++, 500);
    vi.advanceTimersByTime(10_000);
    expect(runs).toBe(0);
    pace.ask();
    vi.advanceTimersByTime(1);
    expect(runs).toBe(1);
  });
  it("waits for what still goes on", () => {
    let runs = 0;
    let isBusy = true;
    const pace = new Pace(() => runs++, 500, () => isBusy);
    pace.ask();
    vi.advanceTimersByTime(3000);
    expect(runs).toBe(0);
    isBusy = false;
    vi.advanceTimersByTime(500);
    expect(runs).toBe(1);
  });
  it("ends with the view", () => {
    let runs = 0;
    const pace = new Pace(() => runs++, 500);
    pace.ask();
    pace.dispose();
    vi.advanceTimersByTime(3000);
    expect(runs).toBe(0);
  });
});

describe("pages", () => {
  const all = Array.from({ length: 100_000 }, (_, i) => i);
  it("begin with one page and grow, a thousand at a time at most", async () => {
    const pages = new Pages(50);
    const sizes: number[] = [];
    for (let i = 0; i < 8; i++) {
      const { items, more } = await pages.load(slices(all));
      expect(items).toEqual(all.slice(0, items.length));
      expect(more).toBe(true);
      sizes.push(items.length);
      pages.grow();
    }
    expect(sizes).toEqual([50, 100, 200, 400, 800, 1600, 2600, 3600]);
    pages.reset();
    expect((await pages.load(slices(all))).items).toHaveLength(50);
  });
  it("ask for no more than a thousand at once, and for nothing twice", async () => {
    const asked: [number, string | undefined][] = [];
    const pages = new Pages(1500);
    const { items } = await pages.load((limit, from) => {
      asked.push([limit, from]);
      return slices(all)(limit, from);
    });
    expect(items).toHaveLength(1500);
    expect(asked).toEqual([[1000, undefined], [500, "1000"]]);
  });
  it("end where the list does", async () => {
    expect(await new Pages(50).load(slices([1, 2, 3]))).toEqual({ items: [1, 2, 3], more: false });
    expect(await new Pages(3).load(slices([1, 2, 3]))).toEqual({ items: [1, 2, 3], more: false });
    expect(await new Pages(3).load(slices([]))).toEqual({ items: [], more: false });
  });
});

describe("patterns", () => {
  it.each([
    ["src/a.go", false, "/src/a.go"],
    ["build", true, "/build/"],
    ["a[1]*?.md", false, "/a\\[1\\]\\*\\?.md"],
    ["#notes", false, "/#notes"],
    ["back\\slash", false, "/back\\\\slash"],
    ["end ", false, "/end\\ "],
  ])("of %s", (path, isFolder, pattern) => {
    expect(patternOf(path, isFolder)).toBe(pattern);
  });
});

describe("times", () => {
  const now = new Date(2026, 9, 5, 12);
  it("are short: the hour today, the day this year, else with the year", () => {
    expect(shortTime(new Date(2026, 9, 5, 9, 5).toISOString(), now, "de")).toBe("09:05");
    expect(shortTime(new Date(2026, 0, 2).toISOString(), now, "en")).toBe("Jan 2");
    expect(shortTime(new Date(2025, 0, 2).toISOString(), now, "en")).toBe("Jan 2, 2025");
    expect(longTime(new Date(2025, 0, 2, 3, 4).toISOString(), "en-GB")).toBe("2 Jan 2025, 03:04");
  });
  it("are empty where there is none", () => {
    expect([shortTime(undefined, now, "en"), shortTime("no time", now, "en"), longTime(undefined, "en")]).toEqual(["", "", ""]);
  });
});
