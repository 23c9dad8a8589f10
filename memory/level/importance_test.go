package level

import (
	"math"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

func TestImportance(t *testing.T) {
	words := func(n int) float64 { return math.Min(25, math.Log2(float64(n)+1)*5) }
	user, assistant := dialogue.User, dialogue.Assistant
	for _, c := range []struct {
		role         dialogue.Role
		text         string
		index, total int
		want         float64
	}{
		{assistant, "", 5, 10, 10 + words(1)},
		{assistant, "plain words here", 5, 10, 10 + words(3)},
		{assistant, " plain words here ", 5, 10, 10 + words(5)},
		{user, "plain words", 0, 10, words(2) + 5 + 15},
		{assistant, "plain words", 9, 10, 18 + words(2) + 15},
		{assistant, "one", 0, 1, words(1) + 15},
		{assistant, "a? b? c? d?", 5, 10, 10 + words(4) + 15},
		{assistant, "```go\nx\n```", 5, 10, 10 + words(3) + 15},
		{assistant, "``` open", 5, 10, 10 + words(2) + 7.5},
		{assistant, "Decided. final FINAL", 5, 10, 10 + words(3) + 30},
		{assistant, "Let's go with tabs, we'll use them", 5, 10, 10 + words(7) + 20},
		{assistant, "let's go within, we'll used", 5, 10, 10 + words(5)},
		{assistant, "undecided finally answers", 5, 10, 10 + words(3)},
		{assistant, "Error, bug; issue problem", 5, 10, 10 + words(4) + 15},
		{assistant, "TypeError: undefined", 5, 10, 10 + words(2) + 10},
		{assistant, "errors fixed", 5, 10, 10 + words(2)},
		{assistant, "fünf\u00a0Wörter\u2003und\u3000zwei\ufeffmehr", 5, 10, 10 + words(5)},
		{assistant, strings.Repeat("w ", 500), 5, 10, 10 + 25},
	} {
		got := Importance(dialogue.Message{Role: c.role, Content: c.text}, c.index, c.total)
		if math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%q (%s, %d of %d): %v, want %v", c.text, c.role, c.index, c.total, got, c.want)
		}
	}
}
