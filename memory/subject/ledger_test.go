package subject

import (
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

// TestLedger checks that names mentioned often and recently come first, that renamed paths have
// their current names, and that the size is bounded.
func TestLedger(t *testing.T) {
	s := storetest.Open(t)
	apply(t, s, func(tx store.Tx) {
		for turn := 1; turn <= 10; turn++ { // often, long ago
			Add(tx, Place{1, turn, turn}, day, mentionsOf("p:a/old.go s:Old"))
		}
		for turn := 90; turn <= 92; turn++ {
			Add(tx, Place{1, turn, turn}, day, mentionsOf("p:a/new.go s:Pool.Get"))
		}
		Add(tx, Place{1, 92, 93}, day, mentionsOf("p:a/once.go"))
		Add(tx, Place{1, 93, 94}, day, mentionsOf("p:a/later.go"))
		Add(tx, Place{2, 92, 92}, day, mentionsOf("p:a/elsewhere.go"))
	})
	apply(t, s, func(tx store.Tx) { Move(tx, "a", "b") })
	var l Ledger
	if err := l.Count(s.View(ws), Run{Conversation: 1, From: 0, To: 94, FirstTurn: 1, LastTurn: 92}); err != nil {
		t.Fatal(err)
	}
	words := func(s string) int { return len(strings.Fields(s)) }
	for tokens, want := range map[int]string{
		100: "Files: b/new.go, b/once.go, b/old.go\nNames: Pool.Get, Old",
		5:   "Files: b/new.go, b/once.go\nNames: Pool.Get",
		2:   "Files: b/new.go",
		1:   "",
		0:   "",
	} {
		if got := l.Text(tokens, words); got != want {
			t.Errorf("%d tokens: %q, want %q", tokens, got, want)
		}
	}
	if top := l.Top(1); !slices.Equal(top, []Mention{{Path, "b/new.go"}}) {
		t.Errorf("first is %v", top)
	}
	if none := new(Ledger); none.Text(100, words) != "" || len(none.Top(3)) != 0 {
		t.Error("a ledger of nothing names something")
	}
}
