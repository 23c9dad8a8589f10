package store

import (
	"testing"
	"time"
)

// TestTx checks that a transaction reads what was committed, not what it stages itself.
func TestTx(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	key := append(Prefix(Work, 3), 'x')
	tx := s.Begin(3, now)
	tx.Set(key, []byte("1"))
	if _, found, err := tx.Get(key); found || err != nil {
		t.Errorf("reads what it stages itself: %v %v", found, err)
	}
	if tx.Workspace != 3 || !tx.Now.Equal(now) {
		t.Errorf("of workspace %d at %v", tx.Workspace, tx.Now)
	}
	before := s.Snapshot()
	defer before.Close()
	if err := s.ApplyLater(tx.Batch); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		view  View
		found bool
	}{{"the store's", s.View(3), true}, {"the snapshot's", before.View(3), false}} {
		if _, found, err := c.view.Get(key); found != c.found || c.view.Workspace != 3 || err != nil {
			t.Errorf("%s state: %v %v", c.name, found, err)
		}
	}
}
