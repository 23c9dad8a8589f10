package remember

import (
	"testing"

	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/profile"
)

// TestByTopic: of what fits alike, what is about a heavy topic comes first; what fits clearly better stays ahead.
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
