package bundle

import (
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

func TestRepeats(t *testing.T) {
	const text = "The nightly export for Porto starts at 03:00 and writes to the bucket exports-porto."
	for _, tt := range []struct {
		name, said, again string
		want              bool
	}{
		{"the same", text, text, true},
		{"in other letters and signs", text, "the nightly export for porto starts at 03:00, and writes to the bucket `exports-porto`", true},
		{"a part", text, "the nightly export starts at 03:00 and writes to the bucket", false},
		{"a part as it is", text, "starts at 03:00 and writes to the bucket", true},
		{"another name", text + " " + strings.Repeat("and so on it goes ", 9), strings.Replace(text, "Porto", "Gdansk", 1), false},
		{"another number", text, strings.Replace(text, "03", "04", 1), false},
		{"a word more of a few", text, "the nightly export never starts at", false},
		{"the same words in another order", text, "writes nightly to Porto and exports the bucket at 03:00 for the start", false},
		{"too little", text, "the nightly export", false},
		{"nothing", text, "", false},
		{"without spaces", "全ての金額は整数のセントです。", "金額は整数のセント", true},
		{"another without spaces", "全ての金額は整数のセントです。", "金額は小数のユーロ", false},
	} {
		said := newSaidIndex()
		said.add(tt.said)
		if got := said.repeats(tt.again); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestMemoriesAreNotRepeated checks that a memory of any kind that the history, a rule or a better
// memory contains is not repeated.
func TestMemoriesAreNotRepeated(t *testing.T) {
	const fact = "Releases are cut on Thursdays by Hanneke and by nobody else"
	told := func(int) []item.Item {
		return []item.Item{{ID: "turns", Kind: "turn", Tag: "T-1-R", Body: "user: mind you. " + fact + ".\nassistant: Ok.", Score: 1}}
	}
	rule := []item.Item{{ID: "rules", Kind: "rule", Body: "- " + fact, Score: 1}}
	passage := item.Item{ID: "turn1", Kind: "turn", Body: "user: " + fact + ". And the staging host is cleaned before.", Score: .9}
	reminder := item.Item{ID: "tickler", Kind: "tickler", Body: "This reminds you of turn 9: " + fact + ". Fetch it.", Says: []string{fact}, Score: .5}
	lesson := item.Item{ID: "lesson", Kind: "lesson", Body: fact + ".", Score: .8}
	other := item.Item{ID: "other", Kind: "lesson", Body: "Invoices are cut on Mondays by Sofia and by nobody else.", Score: .7}
	talk := Conversation{Messages: 2, Turns: 1, Tokens: 40}
	for _, tt := range []struct {
		name   string
		past   *memories
		reason map[string]string // of the dropped items, by id
		shown  []string
	}{
		{"of the history", &memories{talk: talk, history: told, known: []item.Item{lesson, other}, says: []item.Item{reminder}},
			map[string]string{"lesson": "duplicate", "tickler": "duplicate"}, []string{"turns", "other"}},
		{"of a rule", &memories{rules: rule, known: []item.Item{lesson}, says: []item.Item{reminder}},
			map[string]string{"lesson": "redundant", "tickler": "redundant"}, []string{"rules"}},
		{"of a passage", &memories{passages: []item.Item{passage}, says: []item.Item{reminder}},
			map[string]string{"tickler": "redundant"}, []string{"turn1"}},
		{"nothing", &memories{passages: []item.Item{passage}, known: []item.Item{other}}, nil, []string{"turn1", "other"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := remembered(t, tt.past, 4000)
			for id, reason := range tt.reason {
				if !slices.ContainsFunc(b.Dropped, func(d item.Omission) bool { return d.ID == id && string(d.Reason) == reason }) {
					t.Errorf("%s is not dropped as %s: %v\n%s", id, reason, b.Dropped, b.Text)
				}
			}
			for _, id := range tt.shown {
				if !slices.ContainsFunc(b.Items, func(it item.Item) bool { return it.ID == id }) {
					t.Errorf("%s is not shown:\n%s", id, b.Text)
				}
			}
		})
	}
}

// TestQuotationsAreNotRepeated checks that of a list of quotations only those that the history
// shows are dropped.
func TestQuotationsAreNotRepeated(t *testing.T) {
	b := remembered(t, &memories{
		talk: Conversation{Messages: 2, Turns: 1, Tokens: 40},
		history: func(int) []item.Item {
			return []item.Item{{ID: "turns", Kind: "turn", Tag: "T-1-R", Body: "user: amounts are always integer cents in payloads", Score: 1}}
		},
		rules: []item.Item{{
			ID: "rules:said", Kind: "rule", Score: 1,
			Body: "- 2026-10-05: \"amounts are always integer cents in payloads\"\n- 2026-10-06: \"mocks live in the support folder\"",
			Says: []string{"amounts are always integer cents in payloads", "mocks live in the support folder"},
		}},
	}, 4000)
	if n := strings.Count(b.Text, "integer cents"); n != 1 {
		t.Errorf("said %d times:\n%s", n, b.Text)
	}
	if !strings.Contains(b.Text, "support folder") {
		t.Errorf("the other quotation is gone:\n%s", b.Text)
	}
}
