package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"pgregory.net/rapid"
)

func TestGrid(t *testing.T) {
	for name, c := range map[string]struct {
		most  int
		right []int
		rows  [][]string
		want  string
	}{
		"no limit":      {0, []int{1}, [][]string{{"name", "n", "why"}, {"äöü", "1,000", ""}, {"x", "7", "because"}}, "> name      n  why\n> äöü   1,000\n> x         7  because\n"},
		"wide letters":  {0, nil, [][]string{{"変更", "a"}, {"x", "b"}}, "> 変更  a\n> x     b\n"},
		"last column":   {40, nil, [][]string{{"daemon", "none runs; an editor starts one of its own"}}, "> daemon  none runs; an editor starts\n>         one of its own\n"},
		"a long word":   {40, nil, [][]string{{"state", "short"}, {"place", "/a/path/that/is/longer/than/its/own/column"}}, "> state  short\n> place\n      /a/path/that/is/longer/than/its/own/column\n"},
		"two columns":   {64, nil, [][]string{{"the archive for Linux, macOS or Windows", "unpack it, and put it into PATH", "x"}}, "> the archive for Linux, macOS or    unpack it, and put it     x\n> Windows                            into PATH\n"},
		"too narrow":    {40, nil, [][]string{{"found", "330", "context/budget/errors.go:1-36", "keyword match: prompt, exceeds, budget"}}, "> found  330\n      context/budget/errors.go:1-36\n      keyword match: prompt, exceeds,\n      budget\n"},
		"nothing to do": {40, nil, nil, ""},
	} {
		if got := (grid{c.most, "> ", c.right, c.rows}).String(); got != c.want {
			t.Errorf("%s:\n%swant:\n%s", name, got, c.want)
		}
	}
}

func TestFold(t *testing.T) {
	const word = "a-word-that-is-longer-than-the-line-it-stands-on"
	for _, c := range []struct {
		line         string
		indent, most int
		want         string
	}{
		{"a b", 2, 0, "a b"},
		{"some words that do not fit", 2, 12, "some words\n  that do\n  not fit"},
		{"  kept  apart  here", 4, 14, "  kept  apart\n    here"},
		{"x " + word + " y", 2, 20, "x\n  " + word + "\n  y"},
		{"\x1b[1msome words\x1b[0m fit", 2, 14, "\x1b[1msome words\x1b[0m fit"},
		{"変更の検出 と 変更", 1, 14, "変更の検出 と\n 変更"},
	} {
		if got := fold(c.line, c.indent, c.most); got != c.want {
			t.Errorf("fold(%q, %d) = %q, want %q", c.line, c.most, got, c.want)
		}
	}
	if got, want := hang("  contexture x    what it does for a person", 42), "  contexture x    what it does for a\n                  person"; got != want {
		t.Errorf("hang = %q, want %q", got, want)
	}
	if got, want := hang("  contexture with many words and flags    what it does", 44), "  contexture with many words and flags\n      what it does"; got != want {
		t.Errorf("hang = %q, want %q", got, want)
	}
	if got, want := prose("One paragraph\nof two lines.\n\n  a list    of its own\n", 80), "One paragraph of two lines.\n\n  a list    of its own\n"; got != want {
		t.Errorf("prose = %q, want %q", got, want)
	}
}

// commandLines returns the command line of the help of every command and topic.
func commandLines() (out [][]string) {
	var walk func(c *cobra.Command, words []string)
	walk = func(c *cobra.Command, words []string) {
		out = append(out, append(words[:len(words):len(words)], "--help"))
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				walk(sub, append(words[:len(words):len(words)], sub.Name()))
			}
		}
	}
	walk(newRoot(&environment{getenv: func(string) string { return "" }}), nil)
	for _, topic := range topics() {
		out = append(out, []string{"help", topic.name})
	}
	return out
}

// TestGridKeepsColumns checks of any table at any width that no line is too wide but for one word,
// that the words of each column are in their order, and that the cells of a column begin at the
// same place in every row.
func TestGridKeepsColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 5).Draw(t, "columns")
		g := grid{most: rapid.IntRange(30, 120).Draw(t, "most"), indent: blanks(rapid.IntRange(0, 4).Draw(t, "indent"))}
		words := make([][]string, columns)
		for range rapid.IntRange(1, 6).Draw(t, "rows") {
			row := make([]string, columns)
			for i := range row {
				letter := string(rune('a' + i)) // of which all words of the column are
				for range rapid.IntRange(1, 6).Draw(t, "words") {
					word := strings.Repeat(letter, rapid.IntRange(1, 40).Draw(t, "letters"))
					words[i] = append(words[i], word)
					row[i] = strings.TrimSpace(row[i] + " " + word)
				}
				row[i] = palette{rapid.Bool().Draw(t, "colour")}.path(row[i])
			}
			g.rows = append(g.rows, row)
		}
		got, at := make([][]string, columns), make([]int, columns)
		for line := range strings.Lines(bare(g.String())) {
			line = strings.TrimSuffix(line, "\n")
			fields := strings.Fields(line)
			if len(line) > g.most && len(fields) > 1 {
				t.Fatalf("%d columns: %s\n%s", len(line), line, g)
			}
			alone := true
			for _, word := range fields {
				i := int(word[0] - 'a')
				got[i] = append(got[i], word)
				alone = alone && word[0] == fields[0][0]
			}
			for i := range columns {
				if begin := strings.IndexByte(line, byte('a'+i)); begin >= 0 && !alone {
					if at[i] != 0 && at[i] != begin+1 {
						t.Fatalf("column %d begins at %d and %d:\n%s", i, at[i]-1, begin, g)
					}
					at[i] = begin + 1
				}
			}
		}
		if !reflect.DeepEqual(got, words) {
			t.Fatalf("words differ:\n%s", g)
		}
	})
}
