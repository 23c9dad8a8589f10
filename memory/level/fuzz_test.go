package level

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// FuzzPieces checks that only white space is lost between pieces, and that nothing is added.
func FuzzPieces(f *testing.F) {
	for _, s := range sentenceParts {
		f.Add(s, true)
	}
	for _, s := range []string{"a\n```go\nx\n", "1. a\n2. b\nOption B: c", "No. Yes. Perhaps not.", "## a\nb\n# c", "\xff x. \xc3 y", "<abc>\nx", "> q\nr", "$ go test\nFAIL: x"} {
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, person bool) {
		role := utterance.Assistant
		if person {
			role = utterance.Person
		}
		var b strings.Builder
		for _, p := range pieces(text, role) {
			b.WriteString(p.text)
		}
		if squeeze(b.String()) != squeeze(text) {
			t.Errorf("%q became %q", text, b.String())
		}
		if missing := Missing(Anchors(text, role), text); len(missing) > 0 {
			t.Errorf("anchors that are not in %q: %q", text, missing)
		}
	})
}

// FuzzTurn checks that the levels' sizes decrease, that S has every anchor and that T is one line.
func FuzzTurn(f *testing.F) {
	for i, s := range sentenceParts {
		f.Add(s, sentenceParts[(i+5)%len(sentenceParts)]+".\nIt took 40 ms.", strings.Repeat(s+"\n", i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, user, assistant, output string, bad bool) {
		if !utf8.ValidString(user + assistant + output) {
			return // messages come out of JSON
		}
		turn := dialogue.Turn{Number: 1, Messages: []dialogue.Message{{Role: dialogue.User, Content: user},
			{Role: dialogue.Assistant, Content: assistant, ToolCalls: []dialogue.ToolCall{{Name: "bash", Arguments: quoted(user), Result: quoted(output), IsError: bad}}}}}
		check(t, turn)
		if text := compacted(turn.Messages, 40, Options{Count: wordish}); wordish(text) > 40 {
			t.Errorf("%d tokens of 40: %q", wordish(text), text)
		}
	})
}
