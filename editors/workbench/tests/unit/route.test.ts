import { describe, expect, it } from "vitest";
import { formatRoute, parseRoute } from "../../src/route";

describe("addresses", () => {
  it("come back as they were written", () => {
    const route = { place: "conversations" as const, path: ["a/b ä", "T-7"], query: { q: "x & y=z?#", mark: "rule" } };
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });
  it("leave out what is empty", () => {
    expect(formatRoute({ place: "search", query: { q: "", kind: undefined } })).toBe("#/search");
  });
  it("are forgiving", () => {
    expect(parseRoute("")).toEqual({ place: "context", path: [], query: {} });
    expect(parseRoute("#/nowhere/x?q=1")).toEqual({ place: "context", path: ["x"], query: { q: "1" } });
    expect(parseRoute("#search/%zz")).toEqual({ place: "search", path: ["%zz"], query: {} });
  });
});
