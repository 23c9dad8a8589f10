import { describe, expect, it } from "vitest";
// @ts-expect-error the page's own JavaScript is checked with the web page's types
import { content, exactly, relative } from "../../../../server/panel/assets/panel.js";

describe("the panel's words", () => {
  it("shows paths below their root", () => {
    expect(relative("file:///w/a%20b/c.go", ["file:///x", "file:///w"])).toBe("a b/c.go");
    expect(relative("file:///else/c.go", ["file:///w"])).toBe("/else/c.go");
    expect(relative("untitled:Untitled-1", [])).toBe("Untitled-1");
  });
  it("excludes one path and no other", () => {
    expect(exactly("a[1]/{b}*.go")).toBe("a\\[1\\]/\\{b\\}\\*.go");
  });
  it("takes an item's text out of its delimiters, counting bytes", () => {
    const text = 'é<ctx-code path="a">\nüber\nx\n</ctx-code>\n';
    const start = 2;
    const end = new TextEncoder().encode(text).length;
    expect(content(text, { start, end })).toBe("über\nx");
  });
});
