package subject

import (
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

func TestInTurn(t *testing.T) {
	s := storetest.Open(t)
	apply(t, s, func(tx store.Tx) {
		Add(tx, Place{1, 2, 7}, day, mentionsOf("p:a/x.go s:Pool s:Pool.Get"))
		Add(tx, Place{1, 2, 8}, day, mentionsOf("s:Pool p:a/y.go"))
		Add(tx, Place{1, 3, 9}, day, mentionsOf("s:Other"))
		Add(store.Tx{View: s.View(other), Batch: tx.Batch}, Place{1, 2, 7}, day, mentionsOf("s:Elsewhere"))
	})
	apply(t, s, func(tx store.Tx) { Move(tx, "a", "b") })
	paths, symbols, err := InTurn(s.View(ws), 1, 2)
	if err != nil || !slices.Equal(paths, []string{"b/x.go", "b/y.go"}) || !slices.Equal(symbols, []string{"Pool", "Pool.Get"}) {
		t.Errorf("paths %v, symbols %v, %v", paths, symbols, err)
	}
	paths, symbols, err = InTurn(s.View(ws), 1, 99)
	if err != nil || len(paths)+len(symbols) != 0 {
		t.Errorf("of no turn: %v %v %v", paths, symbols, err)
	}
}
