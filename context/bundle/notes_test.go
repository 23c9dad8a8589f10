package bundle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/budget"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
	"pgregory.net/rapid"
)

// Notes, tasks and pinned turns take the room of a bundle that nothing else needs, beyond their
// share and their layer's cap.
func TestNotesTakeWhatIsFree(t *testing.T) {
	long := func(prefix string, n int) []item.Item {
		out := make([]item.Item, n)
		for i := range out {
			out[i] = item.Item{ID: fmt.Sprint(prefix, i), Kind: "notice", Title: fmt.Sprint(prefix, i), Body: strings.Repeat("word ", 310), Short: "word […]", Score: 1}
		}
		return out
	}
	for _, tt := range []struct {
		name            string
		board, work     int
		talk            Conversation
		boards, workers int // shown whole
	}{
		{"five notes", 5, 0, Conversation{}, 5, 0},
		{"more than the layer's fifth", 12, 0, Conversation{}, 12, 0},
		{"tasks", 0, 12, Conversation{}, 0, 12},
		{"both", 10, 10, Conversation{}, 10, 10},
		{"the board first", 30, 30, Conversation{}, 30, 7},
		{"beside a conversation", 5, 5, Conversation{Messages: 30, Turns: 15, Tokens: 3000}, 5, 5},
	} {
		m := &memories{board: long("board", tt.board), work: long("work", tt.work), talk: tt.talk, history: func(room int) []item.Item {
			return []item.Item{{ID: "turn", Kind: "turn", Body: strings.Repeat("said ", min(room-50, tt.talk.Tokens)), Score: 1}}
		}}
		b := remembered(t, m, 12_000)
		boards, _ := shown(b, "board")
		workers, _ := shown(b, "work")
		if boards != tt.boards || workers != tt.workers {
			t.Errorf("%s: %d of %d notes and %d of %d tasks are whole, want %d and %d, in %d tokens, %+v", tt.name, boards, tt.board, workers, tt.work,
				tt.boards, tt.workers, b.Tokens, b.Layers[item.L4Conversation])
		}
		if tt.talk.Messages > 0 && !slices.ContainsFunc(b.Items, func(it item.Item) bool { return it.ID == "arc" }) {
			t.Errorf("%s: the arc is not there", tt.name)
		}
		each := map[string]int{}
		for _, it := range b.Items {
			each[it.ID]++
		}
		for _, d := range b.Dropped {
			each[d.ID]++
		}
		for _, list := range [][]item.Item{m.board, m.work} {
			for _, n := range list {
				if each[n.ID] != 1 {
					t.Errorf("%s: %s is told %d times", tt.name, n.ID, each[n.ID])
				}
			}
		}
	}
}

// Code keeps the room that it needs.
func TestNotesKeepToTheirShareBesideCode(t *testing.T) {
	src := sources(newWorkspace(t, shop()).index())
	src.Past = &memories{board: []item.Item{
		{ID: "note0", Kind: "notice", Body: strings.Repeat("a word ", 200), Short: "a word […]", Score: 1},
		{ID: "note1", Kind: "notice", Body: strings.Repeat("a word ", 200), Short: "a word […]", Score: 1},
	}}
	b := made(t, request("how are orders opened, closed, counted, sent and cancelled?", 4000), src)
	if whole, short := shown(b, "note"); whole != 0 || short != 2 {
		t.Errorf("%d notes are whole and %d shortened", whole, short)
	}
}

// The figures of every bundle are consistent, whatever the caller overrides.
func TestLayersAreInOrder(t *testing.T) {
	src := sources(newWorkspace(t, shop()).index(), Personal{Identity: true, Name: "identity.md", Text: "I keep a shop."},
		Personal{Name: "AGENTS.md", Text: strings.Repeat("A rule to keep to.\n", 200)})
	rapid.Check(t, func(t *rapid.T) {
		m := &memories{board: notes(rapid.IntRange(0, 6).Draw(t, "notes"), 90, "short"), rules: notes(rapid.IntRange(0, 2).Draw(t, "rules"), 10, "")}
		for i := range m.rules {
			m.rules[i].ID = fmt.Sprint("rule", i)
		}
		if rapid.Bool().Draw(t, "conversation") {
			m.talk = Conversation{Messages: rapid.IntRange(1, 400).Draw(t, "messages"), Turns: 1, Tokens: rapid.IntRange(1, 90_000).Draw(t, "tokens")}
			m.history = func(room int) []item.Item {
				return []item.Item{{ID: "turn", Kind: "turn", Body: strings.Repeat("said ", max(1, min(room, m.talk.Tokens)/2)), Score: 1}}
			}
		}
		src := src
		src.Past = m
		tokens := rapid.OneOf(rapid.IntRange(256, 2000), rapid.IntRange(256, 1_000_000)).Draw(t, "budget")
		req := request(rapid.SampledFrom(prompts).Draw(t, "prompt"), tokens)
		req.Order = rapid.SampledFrom([]render.Order{render.Cache, "primed"}).Draw(t, "order")
		req.Overrides = map[item.Layer]budget.Override{}
		for range rapid.IntRange(0, 4).Draw(t, "overrides") {
			o := budget.Override{Ideal: rapid.Ptr(rapid.IntRange(0, 9000), true).Draw(t, "ideal"), Max: rapid.Ptr(rapid.IntRange(0, 9000), true).Draw(t, "max")}
			most := 9000
			if o.Max != nil {
				most = *o.Max
			}
			o.Min = rapid.Ptr(rapid.IntRange(0, most), true).Draw(t, "min")
			req.Overrides[item.Layer(rapid.IntRange(0, 7).Draw(t, "layer"))] = o
		}
		b := made(t, req, src)
		check(t, req, b)
		for _, l := range b.Layers {
			if l.Min < 0 || l.Min > l.Ideal || l.Ideal > l.Max {
				t.Errorf("%v: min %d, ideal %d, max %d", l.Layer, l.Min, l.Ideal, l.Max)
			}
		}
	})
}
