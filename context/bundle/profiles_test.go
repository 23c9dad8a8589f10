package bundle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

// TestProfiles checks that profiles of what the prompt names are in L2 and L3, within their room,
// without the quotations that the history shows, and that a topic's tokens reduce the room for
// search.
func TestProfiles(t *testing.T) {
	line := func(n int) string {
		return fmt.Sprintf("quaymaster assigns berth number %d to the ferry before noon", n)
	}
	quote := func(lines ...int) (body string, says []string) {
		for _, n := range lines {
			body += "- 2026-03-01: \"" + line(n) + "\"\n"
			says = append(says, line(n))
		}
		return strings.TrimRight(body, "\n"), says
	}
	entity := item.Item{ID: "entity:1", Kind: "entity", Title: "quaymaster", Score: .5, Reason: "the prompt names it"}
	entity.Body, entity.Says = quote(1, 2, 3)
	shown := item.Item{ID: "entity:2", Kind: "entity", Title: "ferry", Score: .5, Reason: "the prompt names it"}
	shown.Body, shown.Says = quote(1, 2)
	topic := item.Item{ID: "topic:1", Kind: "topic", Title: "berths", Score: .5, Reason: "the prompt names it"}
	topic.Body, topic.Says = quote(7, 8)
	past := &memories{
		topics: []item.Item{topic}, entities: []item.Item{entity, shown},
		talk: Conversation{Messages: 8, Turns: 2, Tokens: 60},
		history: func(int) []item.Item {
			return []item.Item{{ID: "turn:1", Kind: "turn", Tag: "T-1-R", Body: "user: " + line(1) + "\nassistant: " + line(2), Format: "full", Score: 1}}
		},
	}
	b := remembered(t, past, 4000)
	plain := remembered(t, &memories{talk: past.talk, history: past.history}, 4000)
	if past.topicRoom <= 0 || past.entityRoom <= 0 || past.topicRoom > 4000/4 || past.entityRoom > 4000*12/100 {
		t.Errorf("room for topics %d, for entities %d", past.topicRoom, past.entityRoom)
	}
	text := ""
	for _, it := range b.Items {
		if it.Kind == "entity" || it.Kind == "topic" {
			text += it.ID + " " + it.Layer.String() + "\n"
		}
	}
	if text != "topic:1 L2_topic\nentity:1 L3_entity\n" && text != "entity:1 L3_entity\ntopic:1 L2_topic\n" {
		t.Errorf("items:\n%s", text)
	}
	for n, want := range map[int]int{1: 1, 2: 1, 3: 1, 7: 1, 8: 1} {
		if got := strings.Count(b.Text, line(n)); got != want {
			t.Errorf("line %d stands %d times, want %d", n, got, want)
		}
	}
	if with, without := b.Layers[item.L5JIT].Ideal, plain.Layers[item.L5JIT].Ideal; with > without {
		t.Errorf("ideal of L5 %d with a topic's tokens, %d without", with, without)
	}
}
