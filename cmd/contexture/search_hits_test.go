package main

import (
	"slices"
	"strings"
	"testing"
)

// TestBestLines checks which lines of a snippet a terminal shows, by the number of terms in each.
func TestBestLines(t *testing.T) {
	for name, c := range map[string]struct{ terms, want []int }{
		"a line in the middle":      {[]int{0, 0, 2, 0, 0}, []int{1, 2, 3}},
		"the last line":             {[]int{0, 0, 0, 1}, []int{2, 3}},
		"those with the most terms": {[]int{1, 0, 0, 3, 0, 2, 0, 2, 0, 0}, []int{2, 3, 4, 5, 6, 7, 8}},
		"no line, but their sense":  {[]int{0, 0, 0, 0, 0}, []int{0, 1, 2}},
		"a single line":             {[]int{0}, []int{0}},
	} {
		if got := bestLines(c.terms); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestQueryWordsAreMarked checks that a word matches in its other forms and as part of a name, and
// that what a line holds cannot control the terminal.
func TestQueryWordsAreMarked(t *testing.T) {
	words := queryWords("where are retries of the payment limited")
	for _, c := range []struct {
		line, want string
		terms      int
	}{
		{"if retry > limit {", "if [retry] > [limit] {", 2},
		{"func newPayment() // the payment", "func [newPayment]() // the [payment]", 1},
		{"nothing of the kind", "nothing of the kind", 0},
		{"\x1b[2J retry é retry", "�[2J [retry] é [retry]", 1},
	} {
		text, terms := words.match(palette{on: true}, c.line)
		if text = brackets.Replace(text); text != c.want || terms != c.terms {
			t.Errorf("%q: %q with %d terms, want %q with %d", c.line, text, terms, c.want, c.terms)
		}
	}
}

// brackets replaces the colour of a match.
var brackets = strings.NewReplacer("\x1b[1;31m", "[", "\x1b[0m", "]")

// TestMatchAtItsPlace: a word is coloured where it is, not at an equal text before it that is none.
func TestMatchAtItsPlace(t *testing.T) {
	text, n := queryWords("grade S").match(palette{on: true}, "John'S S")
	if want := "John'S " + (palette{on: true}).match("S"); text != want || n != 1 {
		t.Errorf("%q with %d terms, want %q", text, n, want)
	}
}
