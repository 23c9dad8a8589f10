package conversation

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMakeTitle(t *testing.T) {
	for in, want := range map[string]string{
		"":                                        "",
		"\n \t\n":                                 "",
		"--- \n***\n":                             "",
		"Why is main.go so slow? It was fast.":    "Why is main.go so slow?",
		"\n\n  Rename   it\tnow \nand then stop":  "Rename it now",
		"```go\nfunc main() {}\n```":              "func main() {}",
		"... and so on. Next":                     "... and so on.",
		"日本語の文。次の文":                               "日本語の文。",
		"a\x00b":                                  "a b",
		"[image]\n\nWhy is it grey? Mend it.":     "Why is it grey?",
		"[Image #1]\n[Pasted text #2 +4 lines]":   "[Image #1]",
		"/clear\nWhy is it grey?":                 "Why is it grey?",
		"/model":                                  "",
		"/etc/hosts is wrong":                     "/etc/hosts is wrong",
		"[draft] of the note":                     "[draft] of the note",
		"[a](b)":                                  "[a](b)",
		"## Context\n\n- State: open\n- Due: May": "Context: State: open",
		"# Plan: retry\n## Why\nIt fails. Often.": "Plan: retry: It fails.",
		"Carry this out:\n\n# Plan: retry\nWhy":   "Carry this out: Plan: retry",
		"# Retry":                                 "Retry",
		"Look at this:":                           "Look at this",
		"#5 is wrong":                             "#5 is wrong",
		strings.Repeat("word ", 40):               strings.Repeat("word ", 15) + "word…",
		strings.Repeat("é", 90):                   strings.Repeat("é", 79) + "…",
		strings.Repeat("x", 80):                   strings.Repeat("x", 80),
	} {
		got := makeTitle(in)
		if got != want {
			t.Errorf("title of %q is %q, want %q", in, got, want)
		}
		if utf8.RuneCountInString(got) > maxTitleRunes {
			t.Errorf("title of %q has %d runes", in, utf8.RuneCountInString(got))
		}
	}
}

// FuzzDecode checks that no value makes a decoder panic or loop.
func FuzzDecode(f *testing.F) {
	f.Add(encodeEntry(entry{turn: 3, made: true}))
	f.Add(encodeInfo(Info{ID: "c", Title: "t", past: []link{{1, 2, 3}}}))
	f.Add(encodeMark(mark{first: 300, sessions: 2}))
	f.Add(encodeSize(7, 2, Sizes{R: 1000, S: 500, C: 300, T: 20}))
	f.Fuzz(func(t *testing.T, value []byte) {
		e, err := decodeEntry(value)
		if err == nil {
			if n, err := turnOfEntry(value); err != nil || n != e.turn {
				t.Errorf("turn %d, %v; want %d", n, err, e.turn)
			}
			again, err := decodeEntry(encodeEntry(e))
			if err != nil || again.Content != e.Content || again.ID != e.ID || !again.At.Equal(e.At) {
				t.Errorf("%+v became %+v, %v", e, again, err)
			}
		}
		if i, err := decodeInfo(1, value); err == nil && len(i.past) > len(value) {
			t.Error("more links than bytes")
		}
		_, _ = decodeMark(value)
		_, _ = decodeVersions(value)
		_, _ = decodeSessions(value)
	})
}
