package knowledge

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

func FuzzDistill(f *testing.F) {
	for _, s := range []string{
		"Always start function names with 'f_' and end them with '_g'.", "From now on, for variable names, use the prefix 'x_' as in 'x_y'.",
		"Never use `eval`, even if you need it.", "forget what I said about docstrings", "All of your names must.", "when naming, always", "- a\n1. b\n```\nc",
		"use 'a' instead of 'b' for all", "\"Always\" 'x", "Name 'a' names 'b'.", "I'll make sure that they always", "avoid", "it is to it", "are to be",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, role := range []dialogue.Role{dialogue.User, dialogue.Assistant} {
			for _, found := range Distill(s, role) {
				if found.Line == "" || found.Subject.Key == "" || strings.Contains(found.Line, "\n") {
					t.Errorf("%q gives %+v", s, found)
				}
				if utf8.ValidString(s) && !utf8.ValidString(found.Line) {
					t.Errorf("%q gives broken text %q", s, found.Line)
				}
			}
		}
		subjectOf(s, s)
		IsTask(s)
		WantsRules(s)
		affirms(s)
	})
}

// BenchmarkDistill reads messages without and with a rule, and the worst that fits into one message.
func BenchmarkDistill(b *testing.B) {
	for name, text := range map[string]string{
		"talk":  "That sounds great. I went there last summer with my sister and we had a wonderful time at the lake.",
		"rule":  "Great. Now, about the code: from now on, I'd like you to end all your function names with '_f'. It helps us a lot.",
		"paste": strings.Repeat("and we always use names, and all names must use it so that ", 2000),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Distill(text, dialogue.User)
			}
		})
	}
}
