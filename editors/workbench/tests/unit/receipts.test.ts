import { afterEach, describe, expect, it } from "vitest";
import { balanceOf } from "../../src/places/receipts/balance";
import { chosenLanguage, signed } from "../../src/texts";

afterEach(() => (chosenLanguage.value = undefined));

describe("a balance", () => {
  it("has what was spared beside what was given, and may be negative", () => {
    expect(balanceOf({ given: 1200, spared: 200 }, true)).toEqual(["1,200 tokens given", "200 spared", "net -1,000"]);
    expect(balanceOf({ given: 40, spared: 0 }, true)).toEqual(["40 tokens given", "0 spared", "net -40"]);
    expect(balanceOf({ given: 100, spared: 350 }, true)).toEqual(["100 tokens given", "350 spared", "net +250"]);
  });
  it("has no number of what is not known", () => {
    expect(balanceOf({ given: 40, spared: 0 }, false)).toEqual(["40 tokens given", "what came of it is not known"]);
  });
  it("is written as the language writes numbers", () => {
    chosenLanguage.value = "de";
    expect(balanceOf({ given: 1200, spared: 0 }, true)).toEqual(["1.200 Token gegeben", "0 erspart", "netto -1.200"]);
    expect(signed(0)).toBe("0");
  });
});
