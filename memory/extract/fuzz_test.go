package extract

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

func seeds(f *testing.F) {
	for _, s := range sentenceParts {
		f.Add(s)
	}
	for _, s := range []string{decisions, wishes, noDecisions, "a\n```go\nx\n", "1. a\n2. b\nOption B: c", "I'd rather than", "Let's use for", "let's instead of", "no", "it is then", "we'll not",
		"\xff let's use \xc3 over b", "Actually should be", "the first", "“let’s go with” – x", "$ go test ./...\nFAIL: x"} {
		f.Add(s)
	}
}

// FuzzSentences: nothing but white space is lost, and nothing is added.
func FuzzSentences(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		joined := strings.Join(Sentences(text), " ")
		if squeeze(joined) != squeeze(text) {
			t.Errorf("%q became %q", text, joined)
		}
	})
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// FuzzDecide: what is chosen and ruled out stands in the sentence, and valid text stays valid.
func FuzzDecide(f *testing.F) {
	seeds(f)
	for line := range strings.Lines(decisions + wishes) {
		f.Add(strings.TrimPrefix(line, "!"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := Decide(text)
		if !ok {
			return
		}
		for _, part := range append([]string{c.Chosen, c.Subject}, c.Rejected...) {
			if !strings.Contains(c.Text, part) || utf8.ValidString(text) && !utf8.ValidString(part) {
				t.Errorf("%q: %q is not in it: %+v", text, part, c)
			}
		}
		if c.Chosen == "" && len(c.Rejected) == 0 {
			t.Errorf("%q decides nothing: %+v", text, c)
		}
	})
}

// FuzzTurn: the levels' sizes fall, S has every anchor and T is a line.
func FuzzTurn(f *testing.F) {
	for i, s := range sentenceParts {
		f.Add(s, sentenceParts[(i+5)%len(sentenceParts)]+".\nIt took 40 ms.", strings.Repeat(s+"\n", i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, user, assistant, output string, bad bool) {
		if !utf8.ValidString(user + assistant + output) {
			return // messages come out of JSON
		}
		check(t, dialogue.Turn{Number: 1, Messages: []dialogue.Message{{Role: dialogue.User, Content: user},
			{Role: dialogue.Assistant, Content: assistant, ToolCalls: []dialogue.ToolCall{{Name: "bash", Arguments: quoted(user), Result: quoted(output), IsError: bad}}}}})
	})
}
