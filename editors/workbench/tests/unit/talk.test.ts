import { describe, expect, it } from "vitest";
import { wordsOf } from "../../src/parts/marked";
import { blocks, inner, spans, utterances } from "../../src/parts/talk_text";

const raw = `<T-1-R title="Turn 1">
user (Mara): Where are retries handled?
It charged twice.
assistant: In \`client.go\`:

\`\`\`text
user: this is code
\`\`\`
[reasoning: perhaps
the timeout]
{tool read_file called with {"path":"client.go"}, result: package payment

func Charge() {}}
{tool run called with {}, error: failed}
user: Thanks.
</T-1-R>
`;

describe("a turn's text", () => {
  it("is cut into what each author says, with calls and thoughts apart", () => {
    const said = utterances(inner(raw));
    expect(said.map((u) => [u.role, u.author, u.calls.map((c) => c.name)])).toEqual([
      ["user", "Mara", []],
      ["assistant", undefined, ["read_file", "run"]],
      ["user", undefined, []],
    ]);
    expect(said[0]?.text).toBe("Where are retries handled?\nIt charged twice.");
    expect(said[1]?.text).toContain("user: this is code");
    expect(said[1]?.reasoning).toBe("perhaps\nthe timeout");
    expect(said[1]?.calls[0]?.text).toContain("func Charge() {}");
  });

  it("is one piece without an author where it is a summary", () => {
    expect(utterances(inner("<T-1-T>\nWhere? → Here. (1 tool call)\n</T-1-T>\n"))).toEqual([{ text: "Where? → Here. (1 tool call)", calls: [] }]);
    expect(utterances("")).toEqual([]);
  });
});

describe("what somebody wrote", () => {
  it("is cut into paragraphs, headings, quotations, tables and code", () => {
    const text = "# Waits\nfirst\nline\n\n> quoted\n> twice\n| a | b |\n|---|---|\n~~~go\nx := 1\n```\n~~~\nend";
    expect(blocks(text)).toEqual([
      { kind: "heading", text: "Waits" },
      { kind: "text", text: "first\nline" },
      { kind: "quote", text: "quoted\ntwice" },
      { kind: "table", text: "| a | b |\n|---|---|" },
      { kind: "code", text: "x := 1\n```", language: "go" },
      { kind: "text", text: "end" },
    ]);
  });

  it("keeps code whose fence is never closed", () => {
    expect(blocks("```\na\n\nb")).toEqual([{ kind: "code", text: "a\n\nb", language: "" }]);
  });

  it("marks code and strong text in a line, and leaves the rest as it is", () => {
    expect(spans("a `b` **c** <i>d</i> 2 * 3")).toEqual([
      { kind: "text", text: "a " },
      { kind: "code", text: "b" },
      { kind: "text", text: " " },
      { kind: "strong", text: "c" },
      { kind: "text", text: " <i>d</i> 2 * 3" },
    ]);
  });
});

describe("the words to mark", () => {
  it("are the long ones, and a plural's singular", () => {
    expect(wordsOf("where are the payments")).toEqual(["where", "payments", "payment"]);
    expect(wordsOf("the end")).toEqual(["the", "end"]);
    expect(wordsOf("a !")).toEqual([]);
  });
});
