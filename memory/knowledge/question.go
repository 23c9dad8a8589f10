package knowledge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// personQuestion is a question of a person.
type personQuestion struct {
	Quotation
	names []string // topics that it may name
}

func (q *personQuestion) source() string { return SourceTurn(q.Conversation, q.Turn) }

// Bounds of questions.
const (
	questionWords = 4
	questionBytes = 400
)

// questionsOf returns the questions of people in a conversation's own turns.
func questionsOf(a *conversationLog) []personQuestion {
	var out []personQuestion
	for _, s := range a.said {
		t := a.talk[s.turn]
		if !s.person || t.Shared || s.scores[utterance.Question] < questionAt || len(s.text) > questionBytes ||
			utterance.CountWords(s.text) < questionWords {
			continue
		}
		m := &t.Turn.Messages[s.message]
		q := personQuestion{Quotation: Quotation{
			Conversation: t.Conversation, Turn: dialogue.TurnID(t.Turn.Number), Message: m.ID, Text: strings.Clone(s.text), At: m.At.UTC(), Author: m.Author,
		}}
		for _, term := range utterance.Terms(s.text) {
			if name := topical(s.text, term); name != "" && !slices.Contains(q.names, name) {
				q.names = append(q.names, name)
			}
		}
		out = append(out, q)
	}
	return out
}

// ordered sorts questions, the latest first, and returns them without duplicates: a resumed
// conversation contains those of the one before.
func ordered(questions []personQuestion) []personQuestion {
	slices.SortFunc(questions, func(a, b personQuestion) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.source(), b.source()), cmp.Compare(a.Text, b.Text))
	})
	seen := map[string][]Quotation{}
	return slices.DeleteFunc(questions, func(q personQuestion) bool {
		was := slices.ContainsFunc(seen[q.Text], func(o Quotation) bool { return isCopy(o, q.Quotation) })
		seen[q.Text] = append(seen[q.Text], q.Quotation)
		return was
	})
}
