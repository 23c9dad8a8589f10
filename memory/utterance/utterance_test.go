package utterance

import (
	"fmt"
	"math"
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
		{`never ask "shall I go on?" if it is plain. Just do it.`, []string{`never ask "shall I go on?" if it is plain.`, "Just do it."}},
		{"he said \"why?\" Then he left", []string{"he said \"why?\"", "Then he left"}},
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
		{"it fails:\n> npm run build\nnpm WARN old@2: no longer supported\nnpm ERR! Never use --force.", "own quoted output"},
		{"Traceback (most recent call last):\n  File \"/a.py\", line 2, in f\n    g()\nRuntimeError: Always call setup() first. Never twice.\nwhy?", "output own"},
		{"no\n ! [rejected] main -> main\nhint: Updates were rejected\nhint: behind. Never force push.\n\nhm", "own output own"},
		{"$ make lint\nNever print in a library\n2 problems\n\nNever print in a library.", "output own"},
		{"thread 'main' panicked at src/a.rs:3:9:\nAlways call init\nnote: run with RUST_BACKTRACE=1", "output"},
		{"src/a.rs:3:9: panicked:\nAlways call init\nnote: run again", "output"},
		{"remote: error: GH006\nremote: Never push to main.", "output"},
		{"level=warn msg=\"always close\" n=2\nok?", "output own"},
		{"me@host:~/src$ make\nAlways run configure first", "output"},
		{"Alice: we must always squash\nBob: never!\nAlice: always\n\nWhat do you think?", "quoted own"},
		{"Tests: always with pytest\nStyle: tabs", "own"},
		{"From: Mei <mei@example.org>\nTo: all\n\nNever merge on Fridays.\nMei", "quoted"},
		{"Von: Mei\nAn: alle@example.org\n\nNie freitags mergen.", "quoted"},
		{"look at this:\n\nHi all,\nfrom now on we squash.\nBest, Mei", "own quoted"},
		{"see\nOn Monday Mei <mei@example.org> wrote:\nAlways squash.", "own quoted"},
		{"-----Original Message-----\nAlways squash.", "quoted"},
		{"the docs:\n\n    Never call it twice.\n\nok?", "own code own"},
		{"rules:\n- tabs\n\n    never spaces", "own"},
		{"One.  Two.  Three.  Always tabs.", "own"},
		{"Always tabs.\nAlways tests.\nNever mocks.", "own"},
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

func TestQuoted(t *testing.T) {
	for _, c := range []struct {
		message string
		quoted  []string
	}{
		{`The README says: "Always use tabs. Never mix them." Is that right?`, []string{"Never mix them.\""}},
		{`"Never use panic in a library." What do you think?`, []string{`"Never use panic in a library."`}},
		{"„Nie auf main pushen. Immer rebasen.“ Stimmt das?", []string{"„Nie auf main pushen.", "Immer rebasen.“"}},
		{"« N'utilisez jamais eval. » C'est vrai ?", []string{"« N'utilisez jamais eval."}},
		{"「必ずテストを書いてください。」は本当ですか。", []string{"「必ずテストを書いてください。」"}},
		{"“永远不要删除缓存。”是这样吗？", []string{"“永远不要删除缓存。”"}},
		{"Don't use 'any', it's the users' choice. Don't.", nil},
		{`Start commits with "feat" from now on.`, nil},
		{"5\" wide\n\nNever use mocks.\n\n6\" high", nil},
	} {
		var got []string
		for _, s := range Sentences(c.message) {
			if s.Quoted {
				got = append(got, c.message[s.Start:s.End])
			}
		}
		if !slices.Equal(got, c.quoted) {
			t.Errorf("%q: %q are quoted, want %q", c.message, got, c.quoted)
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

// TestWorths checks that a person's words are told from pasted ones, and what lasts from errands.
func TestWorths(t *testing.T) {
	kinds := func(text string) Kinds {
		_, inputs := ReadStatements(text, "")
		if len(inputs) == 0 || len(inputs[0].Signs) != numSigns {
			t.Fatalf("%q has %d sentences", text, len(inputs))
		}
		return worths().Kinds(&inputs[0])
	}
	for _, c := range []struct{ lasts, passes string }{
		{"we always wrap errors with the operation's name here", "wrap the error in line 12"},
		{"we no longer support Python 3.8, so drop it from the matrix", "run the tests again"},
		{"the staging config lives in ../infra, not in this repository", "what does this function return?"},
	} {
		if a, b := kinds(c.lasts).Kept(), kinds(c.passes).Kept(); a < 2*b {
			t.Errorf("%q is kept with %.2f, %q with %.2f", c.lasts, a, c.passes, b)
		}
	}
	pasted := "## Summary\n\n**Status:** completed\n<result>The agent verified every claim. No CR characters remain.\n- `a.go` — updated the handler.\n- `b.go` — added a regression test."
	for _, s := range Read(pasted, Person, "") {
		t.Errorf("%q is read as the person's own", pasted[s.Start:s.End])
	}
}

// TestLoadWorths checks that a written model is read as it was, and a damaged one is rejected.
func TestLoadWorths(t *testing.T) {
	m := NewWorths()
	m.Bias[Rule], m.Signs[3][Fact], m.Words[7][Choice] = 1, -2, .5
	b := m.Encode()
	got, err := LoadWorths(b)
	if err != nil || got.Bias != m.Bias || got.Signs[3] != m.Signs[3] || math.Abs(got.Words[7][Choice]-.5) > .01 {
		t.Errorf("it is read as %v, %v", got, err)
	}
	for _, bad := range [][]byte{nil, b[:len(b)-1], append([]byte("UTM"), b[3:]...)} {
		if _, err := LoadWorths(bad); err == nil {
			t.Errorf("%d bytes are read as a model", len(bad))
		}
	}
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
