package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
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

// screen runs a command line as in a terminal of a width, and returns all that the person sees.
func screen(t *testing.T, env map[string]string, dir string, columns int, args ...string) string {
	t.Helper()
	var seen bytes.Buffer
	env["COLUMNS"] = ""
	run(t.Context(), &environment{
		args: args, getenv: func(name string) string { return env[name] }, dir: dir, stdin: io.NopCloser(strings.NewReader("")),
		stdout: gathered{&seen}, stderr: &seen, out: terminal{On: columns > 0, Columns: columns}, err: terminal{On: columns > 0, Columns: columns},
	})
	return seen.String()
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

var loneWord = regexp.MustCompile(`^ {12,}\S+$`)

// narrow reports what is wrong with a screen: a line wider than the terminal that could have been
// folded, or a column of single words.
func narrow(text string, columns int) string {
	lone := 0
	for line := range strings.SplitSeq(text, "\n") {
		if columnsOf(line) > columns && len(strings.Fields(line)) > 1 {
			return line
		}
		if lone++; !loneWord.MatchString(line) {
			lone = 0
		}
		if lone > 3 {
			return "a word a line: " + strings.TrimSpace(line)
		}
	}
	return ""
}

// TestScreensFitTheTerminal checks that no help is broken inside a word or has a word a line, at
// the width of the terminal, and at 80 columns where the output is no terminal.
func TestScreensFitTheTerminal(t *testing.T) {
	lines := commandLines()
	if len(lines) < 60 {
		t.Fatalf("%d screens", len(lines))
	}
	for _, args := range lines {
		for _, columns := range []int{60, 80, 120} {
			if wrong := narrow(screen(t, map[string]string{}, "/", columns, args...), columns); wrong != "" {
				t.Errorf("%v in %d columns: %q", args, columns, wrong)
			}
		}
		if wrong := narrow(screen(t, map[string]string{}, "/", 0, args...), 80); wrong != "" {
			t.Errorf("%v without a terminal: %q", args, wrong)
		}
	}
}

// TestAnswersFitTheTerminal checks the same of the screens about a workspace.
func TestAnswersFitTheTerminal(t *testing.T) {
	root := bank(t)
	if err := os.WriteFile(filepath.Join(root, "notes.md"), []byte("# Accounts\n\n"+strings.Repeat("An account is never overdrawn without a limit. ", 8)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, root)
	for _, args := range [][]string{
		{"bundle", "--explain", "how is an account overdrawn?"}, {"search", "account limit overdrawn"}, {"impact"}, {"doctor"}, {"status"}, {"index"}, {"state", "list"},
		{"chats", "list"}, {"chats", "show", "nothing"}, {"rules", "list"}, {"rules", "why", "rule-that-does-not-exist"}, {"capture", "status"}, {"recall", "why are accounts limited"}, {"blame", "notes.md"}, {"how", "make"}, {"fix", "error: no account"}, {"receipts"},
		{"memory", "stats"}, {"version", "--check"}, {"bundel"}, {"memory", "forget"},
	} {
		for _, columns := range []int{60, 80, 120} {
			text := screen(t, w.env, root, columns, args...)
			if args[0] == "bundle" { // the bundle itself is for a model, and stays as it is
				_, text, _ = strings.Cut(text, "</ctx-prompt>\n")
			}
			if wrong := narrow(text, columns); wrong != "" || text == "" {
				t.Errorf("%v in %d columns: %q of\n%s", args, columns, wrong, text)
			}
		}
	}
}
