package bundle

import (
	"fmt"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

// TestLedger checks that an id is recorded once, with its first reason, and neither when it is
// shown nor when the caller named it, and that the list is bounded but for what the caller left
// out.
func TestLedger(t *testing.T) {
	l := ledger{included: map[string]bool{"wanted": true}, excluded: map[string]bool{}, count: func(s string) int { return len(s) }}
	for _, d := range []item.Omission{
		{ID: "a", Reason: item.OverBudget}, {ID: "a", Reason: item.Duplicate}, {ID: "shown", Reason: item.OverBudget}, {ID: "wanted", Reason: item.Duplicate},
	} {
		l.drop(d)
	}
	l.settleDropped([]item.Item{{ID: "shown"}})
	if len(l.list) != 1 || l.list[0].ID != "a" || l.list[0].Reason != item.OverBudget {
		t.Errorf("the list is %+v", l.list)
	}
	for i := range 2 * maxDropped {
		l.drop(item.Omission{ID: fmt.Sprint(i)})
	}
	l.exclude(&item.Item{ID: "unwanted", Name: "Its name", Body: "text"})
	l.exclude(&item.Item{ID: "unwanted"})
	if last := l.list[len(l.list)-1]; len(l.list) != maxDropped+1 || last.Title != "Its name" || last.Tokens == 0 || last.Reason != item.Excluded {
		t.Errorf("%d items, the last one %+v", len(l.list), last)
	}
}
