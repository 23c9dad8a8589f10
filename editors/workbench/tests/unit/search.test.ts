// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";
import type { Hit } from "../../../vscode/src/contract.gen";
import type { Host } from "../../src/host/host";
import { titleOf, whereOf } from "../../src/places/search/open";
import { excerpt } from "../../src/places/search/results";
import { argumentsOf, contradicts, filtersOf, formatSearch, globsOf, parseSearch, recent, remember, why, type Search } from "../../src/places/search/state";
import { formatRoute, parseRoute } from "../../src/route";
import { begin } from "../../src/session";
import { chosenLanguage } from "../../src/texts";

const search = (more: Partial<Search> = {}): Search => ({ query: "retry", groups: [], language: "", path: "", symbols: false, ...more });
const hit = (more: Partial<Hit>): Hit => ({ id: "1", kind: "code", score: 1, title: "", snippet: "", messageIds: [], signals: {}, ...more });

beforeEach(() => {
  chosenLanguage.value = "en";
  begin({ roots: ["file:///w"], listen: () => () => undefined } as unknown as Host);
  recent.value = [];
});

describe("a search", () => {
  it("survives the address", () => {
    const s = search({ query: "a & b #1", groups: ["code", "rules"], language: "go", path: "src/**", symbols: true });
    expect(parseSearch(parseRoute(formatRoute({ place: "search", query: formatSearch(s) })).query)).toEqual(s);
    expect(parseSearch({ kind: "nonsense,docs" }).groups).toEqual(["docs"]);
  });

  it("asks for nothing without words, and only for what was chosen", () => {
    expect(argumentsOf(search({ query: " " }), 50)).toBeUndefined();
    expect(argumentsOf(search(), 50)).toEqual({ query: "retry", limit: 50 });
    expect(argumentsOf(search({ groups: ["turns", "lessons"], symbols: true }), 50)).toEqual({ query: "retry", limit: 50, mode: "symbol", kinds: ["message", "lesson", "reference"] });
  });

  it("takes paths as people type them", () => {
    expect(globsOf("src/**/*.go")).toEqual(["src/**/*.go"]);
    expect(globsOf("./server/")).toEqual(["server", "**/server"]);
    expect(globsOf("client")).toEqual(["client*", "**/*client*"]);
  });

  it("knows when its filters exclude each other", () => {
    expect(contradicts(search({ groups: ["turns"], language: "go" }))).toBe(true);
    expect(contradicts(search({ groups: ["turns", "code"], language: "go" }))).toBe(false);
    expect(contradicts(search({ groups: ["turns"] }))).toBe(false);
  });

  it("drops one filter at a time", () => {
    const s = search({ groups: ["code"], language: "go", path: "src", symbols: true });
    const filters = filtersOf(s);
    expect(filters).toHaveLength(4);
    for (const f of filters) expect(filtersOf({ ...s, ...f.drop })).toHaveLength(3);
  });
});

describe("recent searches", () => {
  it("are each there once, the latest first, without what was typed on the way", () => {
    for (const query of ["retr", "retry pay", "index", "retry pay"]) remember(search({ query }));
    expect(recent.value.map((r) => r.query)).toEqual(["retry pay", "index"]);
  });
});

describe("a hit", () => {
  it("says why it was found, the strongest reason first", () => {
    const at = (rank: number): { rank: number; score: number } => ({ rank, score: 1 });
    expect(why({ path: at(4), keyword: at(1), vector: at(30) })).toEqual(["matches the words", "matches the path"]);
    expect(why({ vector: at(30), file: at(40) })).toEqual(["similar in meaning"]);
  });

  it("says where it stands", () => {
    const range = { start: { line: 41, character: 0 }, end: { line: 50, character: 1 } };
    expect(whereOf(hit({ uri: "file:///w/a/b.go", range }))).toBe("a/b.go:42");
    expect(whereOf(hit({ turnId: "T-3" }))).toBe("T-3");
    expect(titleOf(hit({ turnId: "T-3", title: "Retries, turn by turn, turn 3, 2026-11-21" }))).toEqual({ title: "Retries, turn by turn", date: "2026-11-21" });
    expect(titleOf(hit({ title: "x, turn 3, 2026-11-21" }))).toEqual({ title: "x, turn 3, 2026-11-21" });
  });

  it("shows the lines around the first word, without their common indent", () => {
    expect(excerpt("\tone\n\n\ttwo\n\t\tretry()\n\tthree\n\tfour", ["retry"], 3)).toBe("two\n  retry()\nthree");
    expect(excerpt("one\ntwo", ["none"], 3)).toBe("one\ntwo");
    expect(excerpt("", ["none"], 3)).toBe("");
  });
});
