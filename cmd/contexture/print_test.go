package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/command"
)

// itemsOf returns items of these kinds in a layer L.
func itemsOf(kinds ...string) (items []command.Item) {
	for _, kind := range kinds {
		items = append(items, command.Item{Layer: "L", Kind: kind})
	}
	return items
}

func TestFigures(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{count(0), "0"}, {count(999), "999"}, {count(1000), "1,000"}, {count(1234567), "1,234,567"}, {count(-1234), "-1,234"},
		{counted(1, "file"), "1 file"}, {counted(0, "file"), "0 files"}, {counted(2000, "entry"), "2,000 entries"},
		{kindsOf(itemsOf("topic", "topic"), "L"), "2 topics"}, {kindsOf(itemsOf("topic"), "L"), "1 topic"},
		{kindsOf(itemsOf("code", "code", "tickler", "tickler", "entity", "entity", "summary"), "L"), "2 code, 2 entities, 2 reminders, 1 summary"},
		{bytesText(0), "0 bytes"}, {bytesText(1), "1 byte"}, {bytesText(999), "999 bytes"}, {bytesText(1000), "1.0 kB"}, {bytesText(12_345), "12 kB"},
		{bytesText(999_400), "999 kB"}, {bytesText(999_600), "1.0 MB"}, {bytesText(5_000_000_000_000), "5.0 TB"},
		{durationText(1500 * time.Microsecond), "1.5 ms"}, {durationText(42 * time.Millisecond), "42 ms"}, {durationText(1500 * time.Millisecond), "1.5 s"},
		{durationText(125 * time.Second), "2 min 5 s"}, {durationText(time.Minute - 20*time.Millisecond), "60.0 s"},
		{tally(map[string]int{"code": 4, "doc": 1, "arc": 4}), "4 arc, 4 code, 1 doc"}, {tally(nil), ""},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestFocusLine(t *testing.T) {
	list := []command.Focus{
		{Kind: "file", Name: "pool.go", From: "conversation", TurnID: "T-3"},
		{Kind: "symbol", Name: "Acquire", From: "earlier"},
	}
	if got, want := focusLine(list), "The conversation is about pool.go (T-3), Acquire (an earlier conversation)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := focusLine(nil); got != "" {
		t.Errorf("without a focus: %q", got)
	}
}

// Text from files must not control the terminal.
func TestTextCannotControlTerminal(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"plain", 0, "plain"},
		{"a\nb\tc", 0, `a\nb c`},
		{"red \x1b[31m", 0, `red \u001b[31m`},
		{"bad \xff byte", 0, `bad \xff byte`},
		{"turned \u202e round", 0, `turned \u202e round`},
		{"abcdef", 4, "abc…"},
		{"abcd", 4, "abcd"},
		{"äöüß", 3, "äö…"},
		{"whole words only", 14, "whole words…"},
	} {
		if got := oneLine(c.in, c.width); got != c.want {
			t.Errorf("oneLine(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
	if got := block("a\r\nb\tc\x1b[2J\x07"); got != "a\nb\tc\uFFFD[2J\uFFFD" {
		t.Errorf("block = %q", got)
	}
}

func TestPaletteIsPlainWithoutTerminal(t *testing.T) {
	if p := (&environment{getenv: os.Getenv}).outPalette(); p.on || p.red("x") != "x" {
		t.Error("a buffer got colours")
	}
	if got := (palette{on: true}).red("x"); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("red = %q", got)
	}
}

// TestListed checks that items have an empty line between them, and that each line of a text is
// indented and safe for a terminal.
func TestListed(t *testing.T) {
	write := func(b *strings.Builder, text string) { b.WriteString("at\n" + indented("  ", text)) }
	if got, want := listed([]string{"a\nb\x1b", "c"}, write), "at\n  a\n  b\ufffd\n\nat\n  c\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := listed(nil, write); got != "" {
		t.Errorf("nothing is listed as %q", got)
	}
}
