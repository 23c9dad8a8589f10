package recall

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/recall"
)

// hitsOf makes hits of messages with the scores of their own words; a message with 0 is found
// through links only.
func hitsOf(own ...float64) []recall.Hit {
	out := make([]recall.Hit, len(own))
	for i, o := range own {
		out[i] = recall.Hit{Conversation: 1, Message: i, Score: o + .1, Own: o, Lent: .1}
	}
	return out
}

// TestLinksOverRareWords checks that a message without a word of the query is linked with the one
// that answers by a name that only these two have, and a third with the second, for less, and that
// words that all have link nothing.
func TestLinksOverRareWords(t *testing.T) {
	tests := []struct {
		query, name, second string
		texts               []string
	}{
		{"heron", "Quillfeather", "dinghy", []string{
			"the heron project goes to Quillfeather", "the Quillfeather team has a dinghy", "the dinghy leaks again", "the weather is the weather",
		}},
		{"Reiher", "Quellmoos", "Kahn", []string{
			"das Vorhaben Reiher geht an Quellmoos", "das Team Quellmoos hat den Kahn", "das Leck ist im Kahn", "das Wetter ist das Wetter",
		}},
		{"цапля", "Камышово", "лодка", []string{
			"это цапля и Камышово", "это Камышово и лодка", "это течь лодка", "это погода и погода",
		}},
	}
	for _, test := range tests {
		s := dialog(t, 2, test.texts...)
		list, err := Links(context.Background(), test.query, hitsOf(.9, 0, 0, 0), s)
		if err != nil {
			t.Fatal(err)
		}
		one, two, none := list[1].Signs.Link, list[2].Signs.Link, list[3].Signs.Link
		if one <= two || two <= 0 || none != 0 {
			t.Errorf("%s: links %.3f, %.3f, %.3f; want them to decay by steps and to end", test.query, one, two, none)
		}
		if want := `linked with T-1 by "` + test.name + `"`; list[1].why != want {
			t.Errorf("%s: reason %q, want %q", test.query, list[1].why, want)
		}
		if !strings.Contains(list[2].why, test.second) || list[0].why != "" {
			t.Errorf("%s: reasons %q and %q", test.query, list[2].why, list[0].why)
		}
	}
}

// linkedShelf has a topic of turns.
type linkedShelf struct {
	*shelf
	subject Subject
}

func (s *linkedShelf) Subjects(_ context.Context, turns []string) ([]Subject, error) {
	out := s.subject
	out.Turns = nil
	for _, n := range s.subject.Turns {
		if n < len(turns) {
			out.Turns = append(out.Turns, n)
		}
	}
	return []Subject{out}, nil
}

// TestLinksOverFilesAndSubjects checks that a file and a topic link messages without common words,
// and that a heavy topic raises its messages.
func TestLinksOverFilesAndSubjects(t *testing.T) {
	texts := []string{"heron starts", "noted", "rain today", "fine", "tea later", "yes"}
	plain := dialog(t, 6, texts...)
	plain.said[0].Message.URIs = []string{"file:///w/boat/hull.go"}
	plain.said[2].Message.URIs = []string{"file:///w/boat/hull.go"}
	list, err := Links(context.Background(), "heron", hitsOf(.9, 0, 0, 0, 0, 0), plain)
	if err != nil {
		t.Fatal(err)
	}
	if list[2].Signs.Link <= 0 || list[2].why != `linked with T-1 by "hull.go"` || list[4].Signs.Link != 0 {
		t.Errorf("by a file: %.3f %q, another %.3f", list[2].Signs.Link, list[2].why, list[4].Signs.Link)
	}
	topical := &linkedShelf{dialog(t, 6, texts...), Subject{Label: "harbour works", Factor: 1.1, Turns: []int{0, 2}}}
	hits := []recall.Hit{hitsOf(.9)[0]}
	for _, message := range []int{2, 4, 3} {
		hits = append(hits, recall.Hit{Conversation: 1, Message: message, Score: .2, Lent: .2})
	}
	ranked, notes, err := spread(context.Background(), Request{Query: "heron"}, hits, topical)
	if err != nil {
		t.Fatal(err)
	}
	if ranked[0].Message != 0 || ranked[0].Score != 1 || ranked[1].Message != 4 {
		t.Errorf("ranked %+v, want the message of the topic second", ranked)
	}
	if got := notes.reasons[location{1, 4}]; got != `linked with T-1 by "harbour works"` {
		t.Errorf("reason %q", got)
	}
	again, _, _ := spread(context.Background(), Request{Query: "heron"}, hits, topical)
	if !reflect.DeepEqual(ranked, again) {
		t.Error("the same hits are ranked otherwise the second time")
	}
}

// TestLinksDoNotAffectRecency checks that links change no score in a query for the newest messages.
func TestLinksDoNotAffectRecency(t *testing.T) {
	s := dialog(t, 2, "heron Quill", "Quill", "heron", "no")
	hits := hitsOf(.9, 0, .5, 0)
	for _, req := range []Request{{Query: "heron", Recency: 1}, {Query: "heron", LeastShare: .4}} {
		got, notes, err := spread(context.Background(), req, hits, s)
		if err != nil || !reflect.DeepEqual(got, hits) || len(notes.reasons) > 0 {
			t.Errorf("%+v: %+v, %v, %v", req, got, notes, err)
		}
	}
}

// TestLinkIsReported checks that the item of a message found through a link says so.
func TestLinkIsReported(t *testing.T) {
	c := Candidate{ID: "c", Kind: "turn", ConversationID: "x", Reason: "said about the query", Lines: []Line{
		{Turn: 1, ID: "a", Text: "one", Score: .2}, {Turn: 2, ID: "b", Text: "two", Score: .5, Reason: `linked with T-9 by "pier"`},
	}}
	if it := c.item(c.Lines, 1); it.Reason != `linked with T-9 by "pier"` {
		t.Errorf("reason %q", it.Reason)
	}
	if it := c.item(c.Lines[:1], 1); it.Reason != "said about the query" {
		t.Errorf("reason %q", it.Reason)
	}
}
