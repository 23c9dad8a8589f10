package transport

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestOffsets(t *testing.T) {
	const line = "aé𝄞z"
	for _, tt := range []struct {
		e          Encoding
		char, want int
	}{
		{UTF16, 0, 0}, {UTF16, 1, 1}, {UTF16, 2, 3}, {UTF16, 3, 3}, {UTF16, 4, 7}, {UTF16, 5, 8}, {UTF16, 99, 8},
		{UTF8, 0, 0}, {UTF8, 1, 1}, {UTF8, 2, 1}, {UTF8, 3, 3}, {UTF8, 5, 3}, {UTF8, 7, 7}, {UTF8, 99, 8},
		{UTF16, -1, 0}, {UTF8, -1, 0},
	} {
		if got := tt.e.offset(line, tt.char); got != tt.want {
			t.Errorf("%s: character %d is byte %d, want %d", tt.e, tt.char, got, tt.want)
		}
	}
	if UTF16.Units(line) != 5 || UTF8.Units(line) != len(line) {
		t.Errorf("the line has %d and %d units", UTF16.Units(line), UTF8.Units(line))
	}
}

func TestApply(t *testing.T) {
	at := func(l, c, m, d int, text string) Change {
		return Change{Range: &Range{Position{l, c}, Position{m, d}}, Text: text}
	}
	for _, tt := range []struct {
		name, before string
		change       Change
		want         string
	}{
		{"whole", "abc", Change{Text: "x"}, "x"},
		{"insert", "abc", at(0, 1, 0, 1, "X"), "aXbc"},
		{"into nothing", "", at(0, 0, 0, 0, "X"), "X"},
		{"delete a line", "a\nb\nc", at(1, 0, 2, 0, ""), "a\nc"},
		{"across lines", "ab\ncd\nef", at(0, 1, 2, 1, "-"), "a-f"},
		{"CRLF counts as one break", "a\r\nb\r\nc", at(1, 0, 1, 1, "X"), "a\r\nX\r\nc"},
		{"bare CR is a break", "a\rb", at(1, 0, 1, 1, "X"), "a\rX"},
		{"behind the end of a line", "ab\r\ncd", at(0, 9, 0, 99, "X"), "abX\r\ncd"},
		{"behind the last line", "ab", at(7, 0, 9, 0, "X"), "abX"},
		{"line after a last break", "ab\n", at(1, 0, 1, 0, "X"), "ab\nX"},
		{"end before start", "abc", at(0, 2, 0, 1, "X"), "abXc"},
		{"surrogates", "𝄞𝄞", at(0, 2, 0, 4, "X"), "𝄞X"},
		{"inside a surrogate pair", "𝄞", at(0, 1, 0, 2, "X"), "X"},
	} {
		if got := UTF16.Apply(tt.before, tt.change); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestApplyAgainstModel compares edits with those of an editor that keeps its lines as UTF-16 or
// bytes.
func TestApplyAgainstModel(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune{'a', 'b', 'é', '語', '𝄞', '\n', '\r'}))
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom([]Encoding{UTF8, UTF16}).Draw(t, "encoding")
		got := text.Draw(t, "text")
		model := got
		for range rapid.IntRange(1, 6).Draw(t, "edits") {
			start, end := rapid.IntRange(0, len(model)).Draw(t, "start"), rapid.IntRange(0, len(model)).Draw(t, "end")
			start, end = border(model, min(start, end)), border(model, max(start, end))
			insert := text.Draw(t, "insert")
			change := Change{Range: &Range{positionOf(e, model, start), positionOf(e, model, end)}, Text: insert}
			got = e.Apply(got, change)
			model = model[:start] + insert + model[end:]
			if got != model {
				t.Fatalf("%+v gives %q, want %q", change.Range, got, model)
			}
		}
	})
}

// border moves an offset back to where an editor can have its cursor: not inside a rune, nor
// between CR and LF.
func border(s string, at int) int {
	for at > 0 && at < len(s) && (!utf8.RuneStart(s[at]) || s[at-1] == '\r' && s[at] == '\n') {
		at--
	}
	return at
}

// positionOf counts lines and units up to a byte, by LSP's three line breaks.
func positionOf(e Encoding, s string, at int) Position {
	before := strings.ReplaceAll(s[:at], "\r\n", "\n")
	before = strings.ReplaceAll(before, "\r", "\n")
	lines := strings.Split(before, "\n")
	last := lines[len(lines)-1]
	units := len(last)
	if e == UTF16 {
		units = len(utf16.Encode([]rune(last)))
	}
	return Position{len(lines) - 1, units}
}

// FuzzApply: no change makes invalid UTF-8 of valid, or fails.
func FuzzApply(f *testing.F) {
	f.Add("a\r\n𝄞b", 0, 1, 1, 1, "x", true)
	f.Add("", 5, -1, -3, 9, "", false)
	f.Fuzz(func(t *testing.T, text string, l, c, m, d int, insert string, wide bool) {
		e := UTF8
		if wide {
			e = UTF16
		}
		got := e.Apply(text, Change{Range: &Range{Position{l, c}, Position{m, d}}, Text: insert})
		if utf8.ValidString(text) && utf8.ValidString(insert) && !utf8.ValidString(got) {
			t.Fatalf("%q became %q", text, got)
		}
		if len(got) < len(insert) {
			t.Fatalf("%q lost what was inserted", got)
		}
	})
}
