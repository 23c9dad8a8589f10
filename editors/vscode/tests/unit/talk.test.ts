import { expect, it } from "vitest";
import { turnDocument } from "../../src/talk";

const raw = "<T-4-R title=\"Turn 4\">\nuser (Ada): Where?\nassistant: In `retry.go`.\n[reasoning: perhaps\nelsewhere]\n{tool read called with {}, result: ```go\nx\n```}\nuser: Thanks.\n</T-4-R>\n";

it("a turn is written with its title, its time and its authors, without the element around it", () => {
  const text = turnDocument(raw, { turnId: "T-4", title: "Where?", at: "2026-01-05T09:30:00Z" }, "payments", "en");
  expect(text).toMatch(/^# Where\?\n\nT-4 · .*2026.* · payments\n\n## Ada\n\nWhere\?\n\n## Assistant\n\n> Reasoning\n> \n> perhaps\n> elsewhere\n\nIn `retry\.go`\./);
  expect(text).toContain("Tool read\n\n````\n{}, result: ```go\nx\n```\n````");
  expect(text).toMatch(/## Person\n\nThanks\.\n$/);
});

it("an older server's turn has no title", () => {
  expect(turnDocument("<T-2-R>\nuser: Hello\n</T-2-R>", { turnId: "T-2", title: "" }, "talk", "en")).toBe("# T-2\n\nT-2 · talk\n\n## Person\n\nHello\n");
});
