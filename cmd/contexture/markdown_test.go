package main

import "testing"

func TestMarkdownText(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		width int
		want  string
	}{
		"heading":    {"# budget: `--fill`\n\n## Next", 80, "budget: --fill\n\nNext\n"},
		"paragraph":  {"one **two**\nthree [four](five.md) `*six*`\n\nseven", 80, "one two three four *six*\n\nseven\n"},
		"wrapped":    {"one two three", 8, "one two\nthree\n"},
		"long word":  {"a contexture.knowledge.list b", 10, "a\ncontexture.knowledge.list\nb\n"},
		"list":       {"before\n- one\n  two\n- three\n\nafter", 80, "before\n\n- one two\n- three\n\nafter\n"},
		"list wraps": {"1. one two\n2. three", 9, "1. one\n   two\n2. three\n"},
		"code":       {"see\n\n```sh\na  *b*\n\n`c`\n```\nafter", 10, "see\n\n    a  *b*\n\n    `c`\n\nafter\n"},
		"table":      {"| a | b |\n| --- | --- |\n| `long` | one two three four five six seven |\n| x | |", 36, "  a     b\n  long  one two three four five six\n        seven\n  x\n"},
		"empty cell": {"| a | | c |\n| --- | --- | --- |\n| d | é | f |", 80, "  a     c\n  d  é  f\n"},
		"open code":  {"```\na", 80, "    a\n"},
	} {
		if got := markdownText(test.text, test.width, palette{}); got != test.want {
			t.Errorf("%s:\n%q, want\n%q", name, got, test.want)
		}
	}
}
