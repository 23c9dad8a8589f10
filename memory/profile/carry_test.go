package profile

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// spoken returns turns of a conversation, one a day, each with one sentence of a person.
func spoken(conversation string, from time.Time, sentences ...string) []Turn {
	var out []Turn
	for i, text := range sentences {
		at := from.Add(time.Duration(i) * 24 * time.Hour)
		out = append(out, Turn{
			Source: fmt.Sprintf("%s/T-%d", conversation, i+1), Conversation: conversation, Number: i + 1, At: at,
			Sentences: []Sentence{{Text: text, Message: fmt.Sprint(conversation, i), At: at, Person: true}},
		})
	}
	return out
}

func findIn(t *testing.T, o Options, talks ...[]Turn) Set {
	t.Helper()
	var r Reader
	for _, talk := range talks {
		for _, turn := range talk {
			r.Add(turn)
		}
	}
	set, err := r.Find(o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func topicOf(set Set, label string) *Topic {
	i := slices.IndexFunc(set.Topics, func(t Topic) bool { return t.Label == label })
	if i < 0 {
		return nil
	}
	return &set.Topics[i]
}

// TestFindingsAreCarriedOver checks that findings of conversations that are not read again stay,
// with their age and a lower weight, and grow with new findings; if everything is read, they are
// replaced.
func TestFindingsAreCarriedOver(t *testing.T) {
	january, may := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)
	old := spoken("old", january, "the zorbex stumbles", "restart zorbex twice", "zorbex and the quorvil again", "is zorbex awake", "quorvil is slow", "the quorvil crawls", "see quorvil")
	other := spoken("other", january, "look at the glimfeather", "glimfeather is green", "the glimfeather once more", "ask glimfeather")
	before := findIn(t, Options{}, old, other)
	was := topicOf(before, "zorbex")
	if was == nil || topicOf(before, "glimfeather") == nil {
		t.Fatalf("topics are %+v", before.Topics)
	}
	now := spoken("new", may, "the zorbex is back", "zorbex runs", "where is zorbex", "thank you zorbex")
	set := findIn(t, Options{Before: before, Partial: true}, now)
	z := topicOf(set, "zorbex")
	if z == nil || z.ID != was.ID || z.Count != was.Count+4 || !z.First.Equal(was.First) || len(z.Turns) != z.Count || z.Turns[0] != was.Turns[0] {
		t.Errorf("zorbex was %+v and is %+v", was, z)
	}
	g, had := topicOf(set, "glimfeather"), topicOf(before, "glimfeather")
	if g == nil || g.ID != had.ID || g.Count != had.Count || g.Weight >= had.Weight/2 || g.Trend != Falling {
		t.Errorf("glimfeather was %+v and is %+v", had, g)
	}
	again := findIn(t, Options{Before: set, Partial: true}, now)
	if a := topicOf(again, "zorbex"); a == nil || a.Count != z.Count || a.ID != z.ID {
		t.Errorf("a run over the same turns makes %+v of %+v", a, z)
	}
	if all := findIn(t, Options{Before: before}, now); topicOf(all, "glimfeather") != nil {
		t.Error("a topic of no turn that was read stays, though all were")
	}
	if forgotten := findIn(t, Options{Before: before, Partial: true, Steering: []Steering{{Act: Forget, ID: had.ID, Keys: had.Keys()}}}, now); topicOf(forgotten, "glimfeather") != nil {
		t.Error("what a person had forgotten is carried on")
	}
}
