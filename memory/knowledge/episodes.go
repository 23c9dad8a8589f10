package knowledge

import (
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// Part is what a quotation of an episode states.
type Part string

// The parts of an episode.
const (
	Decided  Part = "decided"
	Replaced Part = "replaced" // a decision that is no longer active
	Open     Part = "open"     // an unanswered question
	Wrong    Part = "wrong"    // what did not work
	Worked   Part = "worked"   // what helped afterwards
)

// Conclusion is a quotation of a conversation with what it states.
type Conclusion struct {
	Part Part
	Quotation
}

// SettledIn returns what a conversation settled, left open, and learned: the decisions and the open
// questions of its arc, its rules and its lessons, without duplicates. turn reads one of its turns;
// what an error of it concerns is left out. known is false for a conversation that no offline run
// has read.
func SettledIn(view store.View, conversation string, turn func(number int) (dialogue.Turn, error)) (out []Conclusion, known bool, err error) {
	var f struct {
		Turns         int        `json:"turns"`
		Decided, Open []arcEntry // of the arc
	}
	if err := readJSON(view.Reader, key(view.Workspace, keyFacts, conversation), &f, "read facts"); err != nil || f.Turns == 0 {
		return nil, false, err
	}
	// An interrupted run has stored facts of what no run has learned from.
	var done progress
	if err := readJSON(view.Reader, key(view.Workspace, keyProgress, conversation), &done, "read the progress of runs"); err != nil || done.Seen == 0 {
		return nil, false, err
	}
	add := func(part Part, q Quotation) {
		for _, o := range out {
			if strings.Contains(o.Text, q.Text) {
				return
			}
		}
		out = append(out, Conclusion{part, q})
	}
	s, err := openShelf(view)
	if err != nil {
		return nil, false, err
	}
	items, err := s.under(keyHeard, conversation)
	if err != nil {
		return nil, false, err
	}
	for _, it := range items {
		said := it.quotationsIn(conversation)
		switch {
		case len(said) == 0:
		case it.Kind == Lesson:
			add(Wrong, said[0])
			add(Worked, said[len(said)-1])
		case it.Kind == Rule && it.Holds():
			add(Decided, said[0])
		case it.Kind == Rule:
			add(Replaced, said[0])
		}
	}
	for _, list := range []struct {
		part Part
		from []arcEntry
	}{{Decided, f.Decided}, {Open, f.Open}} {
		for _, one := range list.from {
			t, err := turn(one.Turn)
			if err != nil || one.Turn > done.Seen {
				continue // forgotten, an ancestor's, or not learned from
			}
			if st, ok := statementIn(&TalkTurn{Conversation: conversation, Turn: t}, one.Text); ok {
				add(list.part, st.Quotation)
			}
		}
	}
	return out, true, nil
}

// quotationsIn returns the item's quotations from one conversation.
func (it *Item) quotationsIn(conversation string) (out []Quotation) {
	for _, q := range it.Quotations {
		if q.Conversation == conversation {
			out = append(out, q)
		}
	}
	return out
}
