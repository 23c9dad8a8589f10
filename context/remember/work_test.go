package remember

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestBrief(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"", 5, ""},
		{"short", 5, ""},
		{"exactly ten", 11, ""},
		{"three words", 8, "three […]"},
		{"onelongword", 6, "onelon […]"},
		{"äöüäöü äöü", 8, "äöüäöü […]"},
		{"a bbbbbbbbbbbbbbb", 8, "a bbbbbb […]"},
	} {
		if got := brief(tt.text, tt.most); got != tt.want {
			t.Errorf("brief(%q, %d) = %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}

func FuzzBrief(f *testing.F) {
	f.Add("some words and more", 7)
	f.Add("ä\n\nö", 2)
	f.Fuzz(func(t *testing.T, text string, most int) {
		if most < 1 || !utf8.ValidString(text) {
			return
		}
		got := brief(text, most)
		if short := utf8.RuneCountInString(text) <= most; short != (got == "") {
			t.Fatalf("brief(%q, %d) = %q", text, most, got)
		}
		if cut := strings.TrimSuffix(got, " […]"); !strings.HasPrefix(text, cut) || utf8.RuneCountInString(cut) > most {
			t.Fatalf("brief(%q, %d) = %q", text, most, got)
		}
	})
}

func FuzzTurnsID(f *testing.F) {
	f.Add("c", 1, 1)
	f.Add("a/T-3", 2, 9)
	f.Add("a/T-3-through-4:x", 7, 7)
	f.Fuzz(func(t *testing.T, conversation string, from, to int) {
		if from < 1 || to < from {
			return
		}
		c, a, b, ok := ParseTurnsID(TurnsID(conversation, from, to))
		if !ok || c != conversation || a != from || b != to {
			t.Fatalf("%q: %q, %d, %d, %v", TurnsID(conversation, from, to), c, a, b, ok)
		}
	})
}
