package remember

import (
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/profile"
)

// TestByTopic checks that among equal matches those about a heavy topic come first, and that
// clearly better matches stay ahead.
func TestByTopic(t *testing.T) {
	item := func(id string, score float64, source string) knowledge.Ranked {
		return knowledge.Ranked{Item: knowledge.Item{ID: id, SourceTurns: []string{source}}, Score: score}
	}
	set := &profile.Set{Topics: []profile.Topic{
		{Subject: profile.Subject{Weight: 1, Trend: profile.Rising, Turns: []string{"a/T-1"}}},
		{Subject: profile.Subject{Weight: .05, Trend: profile.Falling, Turns: []string{"b/T-1"}}},
	}}
	list := []knowledge.Ranked{item("best", .9, "b/T-1"), item("light", .5, "b/T-1"), item("none", .5, "c/T-1"), item("heavy", .49, "a/T-1")}
	byTopic(list, set)
	got := ""
	for _, r := range list {
		got += r.Item.ID + " "
	}
	if got != "best heavy none light " {
		t.Errorf("order %s", got)
	}
}

// TestSubjectsOf checks that turns have their topics and entities, a topic with its weight.
func TestSubjectsOf(t *testing.T) {
	set := &profile.Set{
		Topics: []profile.Topic{
			{Subject: profile.Subject{Label: "harbour works", Weight: 1, Trend: profile.Rising, Turns: []string{"a/T-1", "b/T-2"}}},
			{Subject: profile.Subject{Label: "elsewhere", Weight: 1, Turns: []string{"c/T-1"}}},
		},
		Entities: []profile.Entity{{Subject: profile.Subject{Label: "Quill", Turns: []string{"b/T-2"}}, Kind: profile.Person}},
	}
	got := subjectsOf([]string{"x/T-1", "b/T-2", "a/T-1"}, set)
	if len(got) != 2 || got[0].Label != "harbour works" || !slices.Equal(got[0].Turns, []int{2, 1}) || got[0].Factor <= 1 {
		t.Fatalf("subjects %+v", got)
	}
	if got[1].Label != "Quill" || !slices.Equal(got[1].Turns, []int{1}) || got[1].Factor != 0 {
		t.Errorf("entity %+v", got[1])
	}
}
