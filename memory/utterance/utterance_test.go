package utterance

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// texts returns the sentences of a message.
func texts(message string) []string {
	out := []string{}
	for _, s := range Sentences(message) {
		out = append(out, message[s.Start:s.End])
	}
	return out
}

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		message string
		want    []string
	}{
		{"", []string{}},
		{"One. Two! Three?", []string{"One.", "Two!", "Three?"}},
		{"done. now the other one", []string{"done.", "now the other one"}},
		{"use e.g. Redis here. z.B. auch Kafka.", []string{"use e.g. Redis here.", "z.B. auch Kafka."}},
		{"see no. 5 in the list", []string{"see no. 5 in the list"}},
		{"floats? no. integers only", []string{"floats?", "no.", "integers only"}},
		{"run `make x. Then y` first", []string{"run `make x. Then y` first"}},
		{"- use tabs\n- no mocks\n1. keep it short", []string{"use tabs", "no mocks", "keep it short"}},
		{"a line that somebody has wrapped at some column\nand that goes on here", []string{"a line that somebody has wrapped at some column\nand that goes on here"}},
		{"first line\nsecond line", []string{"first line", "second line"}},
		{"今日は。テストを書いて。", []string{"今日は。", "テストを書いて。"}},
		{"before\n```go\nx := 1. y\n```\nafter", []string{"before", "after"}},
		{strings.Repeat("word ", 400), []string{}},
	} {
		if got := texts(c.message); !slices.Equal(got, c.want) {
			t.Errorf("%q gives %q, want %q", c.message, got, c.want)
		}
	}
}

func TestBlocks(t *testing.T) {
	names := map[Source]string{Own: "own", Code: "code", Output: "output", Quoted: "quoted", Document: "document", Host: "host"}
	for _, c := range []struct{ message, want string }{
		{"hello\nthere", "own"},
		{"look:\n```\ncode\n```\nok", "own code own"},
		{"```\nnever closed", "code"},
		{"> quoted\nmine", "quoted own"},
		{"<system-reminder>\nbe good\n</system-reminder>\nhi", "host own"},
		{"<b>bold</b> words", "own"},
		{"a < b and <c> too", "own"},
		{"Implement this plan:\n# Plan\n\nNever stop.", "own document"},
		{"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nwhat is wrong here?", "code own"},
		{"2026-03-01 10:00:01 ERROR boom\nwhy?", "output own"},
		{"main.go:12:3: undefined: x\nfix it", "output own"},
		{"panic at\n    at com.foo.Bar(Bar.java:12)\nhm", "own output own"},
		{"{\"a\": 1, \"b\": [2]}\nwhat is b?", "output own"},
		{"if (x == null) { return; }\nis that right?", "code own"},
		{"This session is being continued from a previous conversation.\nNever do x.", "host"},
		{"use `a()` and `b()`; then {c}", "own"},
	} {
		var got []string
		end := 0
		for _, b := range Blocks(c.message) {
			if b.Start != end || b.End <= b.Start {
				t.Fatalf("%q: block %+v after %d", c.message, b, end)
			}
			end = b.End
			got = append(got, names[b.Source])
		}
		if end != len(c.message) || strings.Join(got, " ") != c.want {
			t.Errorf("%q is %q, want %q", c.message, got, c.want)
		}
	}
}

// TestRead checks that clear sentences of several languages are classified correctly.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		text  string
		label Label
	}{
		{"From now on every function gets a doc comment.", Directive},
		{"We always squash before merging in this repository.", Directive},
		{"Ab jetzt bitte nur noch kurze Antworten.", Directive},
		{"今後は必ずテストも書いてください。", Directive},
		{"Ok, let's go with Postgres then.", Decision},
		{"Gut, dann nehmen wir Postgres.", Decision},
		{"Why does the second test fail?", Question},
		{"Warum schlägt der Test fehl?", Question},
		{"Rename the function to loadUser.", Order},
		{"We could use Redis or keep it in memory.", Proposal},
	} {
		scores := Score(c.text, Person, "")
		for l, p := range scores {
			if Label(l) != c.label && Label(l) != Change && p > scores[c.label] {
				t.Errorf("%q is read as %s %.2f, not %s %.2f", c.text, Label(l), p, c.label, scores[c.label])
			}
		}
	}
}

func TestSameSubject(t *testing.T) {
	same := func(a, b string, change float64) float64 { return SameSubject(NewProfile(a), NewProfile(b), change) }
	a, b, c := "Indent with four spaces in this repository.", "Indentation is two spaces in this repository now.", "Ask Mei before you change a schema."
	if p, q := same(a, b, .5), same(a, c, .5); p < .8 || q > .4 {
		t.Errorf("same subject %.2f, another %.2f", p, q)
	}
	if like := NewProfile(a).Likeness(NewProfile(a)); like < .999 {
		t.Errorf("a sentence is like itself by %.3f", like)
	}
}

func TestMarks(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"use tabs", "[]"}, {"don't use tabs", "[¬]"}, {"max 80 in foo_bar", "[80 foo_bar]"}, {"タブを使わない", "[¬]"}, {"nicht so", "[¬]"},
	} {
		if got := fmt.Sprint(Marks(c.text)); got != c.want {
			t.Errorf("%q has %s, want %s", c.text, got, c.want)
		}
	}
}

// FuzzRead checks that whatever is read are parts of the text in order, with probabilities.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "a. b", "`", "```", "<a-b>", "> x\n\n- y", "今日は。", "\xff\xfe. x", "1. 2. 3", "e.g. x", strings.Repeat("x ", 500)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, b := range Blocks(text) {
			if b.Start != end || b.End <= b.Start {
				t.Fatalf("block %+v after %d", b, end)
			}
			end = b.End
		}
		if end != len(text) {
			t.Fatalf("blocks end at %d of %d", end, len(text))
		}
		end = 0
		for _, s := range Read(text, Person, "before") {
			if s.Start < end || s.End <= s.Start || s.End > len(text) {
				t.Fatalf("sentence %+v after %d", s, end)
			}
			end = s.End
			for l, p := range s.Scores {
				if !(p >= 0 && p <= 1) {
					t.Fatalf("%s %v", Label(l), p)
				}
			}
		}
		for _, x := range Terms(text) {
			if x.Start < 0 || x.End <= x.Start || x.End > len(text) {
				t.Fatalf("term %+v", x)
			}
		}
		NewProfile(text)
		Marks(text)
	})
}

// FuzzLoad checks that a damaged model is rejected without a panic.
func FuzzLoad(f *testing.F) {
	f.Add(weights[:64])
	f.Add(Encode(Parameters{}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := Load(b); err == nil {
			m.probabilities(m.margins(&features{{1}, {2}, {3}, {4}, {5}}))
		}
	})
}

// BenchmarkRead reads a message of about 200 words.
func BenchmarkRead(b *testing.B) {
	message := strings.Repeat("I looked at the settlement job again and the second test fails on my machine with a rounding difference of one cent. "+
		"Please never log the account numbers in this service. ", 7)
	Read(message, Person, "")
	for b.Loop() {
		Read(message, Person, "")
	}
}
