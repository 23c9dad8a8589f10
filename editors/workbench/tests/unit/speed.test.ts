import { describe, expect, it } from "vitest";
import { barScale } from "../../src/places/index/speed";

describe("the bar of a request", () => {
  const height = (stages: number[], took: number, most: number): number => {
    const staged = stages.reduce((sum, ms) => sum + ms, 0);
    const scale = barScale(staged, took, most);
    return [Math.max(0, took - staged), ...stages].map((ms) => parseFloat(scale(ms))).reduce((sum, px) => sum + px, 0);
  };

  it("stays in the plot when its stages do, each by itself", () => expect(height([90, 90, 90], 300, 100)).toBeCloseTo(120));
  it("stays in the plot when stages overlap", () => expect(height([80, 80], 90, 100)).toBeCloseTo(120));
  it("is as high as its time", () => expect(height([20, 10], 50, 100)).toBeCloseTo(60));
  it("has no height without time", () => expect(height([0], 0, 1)).toBe(0));
});
