package board

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

const ws store.Workspace = 3

func putOn(t rapid.TB, s *store.Store, conversation string, ttl, turn int) (item Item) {
	t.Helper()
	storetest.Apply(t, s, ws, func(tx store.Tx) (err error) {
		item, err = Put(tx, conversation, New{Type: "note", Title: "t", Content: "c", TTL: ttl}, turn)
		return err
	})
	return item
}

func pin(t rapid.TB, s *store.Store, conversation, tag, content string, turn int) (item Item) {
	t.Helper()
	storetest.Apply(t, s, ws, func(tx store.Tx) (err error) {
		item, err = Pin(tx, conversation, tag, tag, content, turn)
		return err
	})
	return item
}

func expire(t rapid.TB, s *store.Store, conversation string, turn int) {
	t.Helper()
	storetest.Apply(t, s, ws, func(tx store.Tx) error { return Expire(tx, conversation, turn) })
}

func listed(t rapid.TB, s *store.Store, conversation string, turn int) []string {
	t.Helper()
	items, err := List(s.View(ws), conversation, turn)
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, item := range items {
		ids = append(ids, item.ID)
	}
	return ids
}

// stored counts the workspace's keys of items, without counters.
func stored(t rapid.TB, s *store.Store) (n int) {
	t.Helper()
	prefix := store.Prefix(store.Board, ws)
	err := s.Scan(prefix, store.PrefixEnd(prefix), func(k, _ []byte) (bool, error) {
		if k[len(prefix)] != counterKind {
			n++
		}
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLifetime checks that an item expires when the ttl-th user message after its put arrives.
func TestLifetime(t *testing.T) {
	s := storetest.Open(t)
	for _, c := range []struct{ turn, ttl, last int }{
		{0, 1, 0}, {0, 0, 4}, {0, 5, 4}, {1, 1, 1}, {1, 5, 5}, {7, 5, 11}, {7, 2, 8}, {3, 100, 102},
	} {
		name := fmt.Sprint(c)
		item := putOn(t, s, name, c.ttl, c.turn)
		if item.ExpiresAfterTurn != c.last {
			t.Errorf("%s: expires after %d, want %d", name, item.ExpiresAfterTurn, c.last)
		}
		ttl := c.ttl
		if ttl == 0 {
			ttl = DefaultTTL
		}
		for messages := range ttl + 3 { // user messages since the put
			turn := c.turn + messages
			want := messages < ttl
			if got := len(listed(t, s, name, turn)) == 1; got != want {
				t.Errorf("%s: after %d messages seen is %v", name, messages, got)
			}
		}
		expire(t, s, name, c.last)
		if len(listed(t, s, name, c.turn)) != 1 {
			t.Errorf("%s: expired in its last turn", name)
		}
		expire(t, s, name, c.last+1)
		if n := stored(t, s); n != 0 {
			t.Errorf("%s: %d keys left", name, n)
		}
	}
}

func TestBadLifetimesAreRefused(t *testing.T) {
	s := storetest.Open(t)
	for _, ttl := range []int{-1, 101} {
		if _, err := Put(s.Begin(ws, time.Time{}), "c", New{TTL: ttl}, 1); err == nil {
			t.Errorf("taken: %d", ttl)
		}
	}
}

func TestRemove(t *testing.T) {
	s := storetest.Open(t)
	a, b := putOn(t, s, "c", 5, 1), putOn(t, s, "c", 5, 1)
	storetest.Apply(t, s, ws, func(tx store.Tx) error { return Remove(tx, "c", a.ID, 2) })
	if got := listed(t, s, "c", 2); !slices.Equal(got, []string{b.ID}) {
		t.Errorf("left: %v", got)
	}
	for _, c := range []struct {
		conversation, id string
		turn             int
	}{
		{"c", a.ID, 2}, {"d", b.ID, 2}, {"c", b.ID, 6}, {"c", "B-02", 2}, {"c", "B-+2", 2}, {"c", "2", 2}, {"c", "", 2},
	} {
		if err := Remove(s.Begin(ws, time.Time{}), c.conversation, c.id, c.turn); !errors.Is(err, ErrNotFound) {
			t.Errorf("remove %v: %v", c, err)
		}
	}
	storetest.Apply(t, s, ws, func(tx store.Tx) error { return Remove(tx, "c", b.ID, 5) })
	if c := putOn(t, s, "c", 1, 5); c.ID == a.ID || c.ID == b.ID {
		t.Errorf("id %s is used again", c.ID)
	}
}

func TestPinRenews(t *testing.T) {
	s := storetest.Open(t)
	first := pin(t, s, "c", "T-1-S", "short", 3)
	other := pin(t, s, "c", "T-1-R", "long", 3)
	again := pin(t, s, "c", "T-1-S", "better", 6)
	if again.ID != first.ID || again.ExpiresAfterTurn != 10 || again.Content != "better" || again.Type != TurnType {
		t.Errorf("renewed: %+v, was %+v", again, first)
	}
	expire(t, s, "c", 8)
	if got := listed(t, s, "c", 8); !slices.Equal(got, []string{first.ID}) {
		t.Errorf("listed %v, the other is %s", got, other.ID)
	}
	// Pinned again after it expired, before and after the old item is removed.
	anew := pin(t, s, "c", "T-1-S", "new", 20)
	if anew.ID == first.ID {
		t.Error("an expired item was renewed")
	}
	expire(t, s, "c", 20)
	if same := pin(t, s, "c", "T-1-S", "new", 21); same.ID != anew.ID {
		t.Errorf("taking the old one out lost the pin: %s, want %s", same.ID, anew.ID)
	}
	storetest.Apply(t, s, ws, func(tx store.Tx) error { return Remove(tx, "c", anew.ID, 21) })
	if n := stored(t, s); n != 0 {
		t.Errorf("%d keys left", n)
	}
}

func TestDeleteConversation(t *testing.T) {
	s := storetest.Open(t)
	putOn(t, s, "c", 5, 1)
	pin(t, s, "c", "T-1-S", "x", 1)
	putOn(t, s, "cc", 5, 1)
	storetest.Apply(t, s, ws, func(tx store.Tx) error { return DeleteConversation(tx, "c") })
	if len(listed(t, s, "c", 1)) != 0 || len(listed(t, s, "cc", 1)) != 1 || stored(t, s) != 2 {
		t.Errorf("%v %v, %d keys", listed(t, s, "c", 1), listed(t, s, "cc", 1), stored(t, s))
	}
}

// TestModel compares a board with a list.
func TestModel(t *testing.T) {
	s := storetest.Open(t)
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		c := fmt.Sprint("model", run)
		type entry struct {
			id, tag string
			last    int
		}
		var board []entry
		turn := rapid.IntRange(0, 3).Draw(t, "first turn")
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1:
				turn++
				if rapid.Bool().Draw(t, "expire") {
					expire(t, s, c, turn)
				}
			case 2:
				ttl := rapid.IntRange(1, 6).Draw(t, "ttl")
				item := putOn(t, s, c, ttl, turn)
				board = append(board, entry{item.ID, "", turn + ttl - 1})
			case 3, 4:
				tag := fmt.Sprint("T-", rapid.IntRange(1, 3).Draw(t, "pin"), "-S")
				item := pin(t, s, c, tag, "x", turn)
				i := slices.IndexFunc(board, func(e entry) bool { return e.tag == tag && e.last >= turn })
				if i < 0 {
					board = append(board, entry{item.ID, tag, turn + 4})
				} else if board[i].last = turn + 4; board[i].id != item.ID {
					t.Fatalf("pin of %s is %s, want %s", tag, item.ID, board[i].id)
				}
			case 5:
				live := slices.DeleteFunc(slices.Clone(board), func(e entry) bool { return e.last < turn })
				if len(live) == 0 {
					continue
				}
				id := rapid.SampledFrom(live).Draw(t, "removed").id
				storetest.Apply(t, s, ws, func(tx store.Tx) error { return Remove(tx, c, id, turn) })
				board = slices.DeleteFunc(board, func(e entry) bool { return e.id == id })
			}
			want := []string{}
			for _, e := range board {
				if e.last >= turn {
					want = append(want, e.id)
				}
			}
			if got := listed(t, s, c, turn); !slices.Equal(got, want) {
				t.Fatalf("turn %d: %v, want %v", turn, got, want)
			}
		}
		expire(t, s, c, turn+1000)
		if n := stored(t, s); n != 0 {
			t.Fatalf("%d keys left", n)
		}
	})
}

func TestExportImportExport(t *testing.T) {
	a, b := storetest.Open(t), storetest.Open(t)
	putOn(t, a, "c", 5, 1)
	pin(t, a, "c", "T-1-S", "<T-1-S>é</T-1-S>", 1)
	putOn(t, a, "d\x01", 100, 9)
	data := storetest.Export(t, a.View(ws), Export)
	for range 2 {
		storetest.Apply(t, b, ws, func(tx store.Tx) error {
			var im store.Importer
			Import(&im, tx)
			for line := range bytes.Lines(data) {
				if err := errors.Join(im.Add(line), im.Add(line)); err != nil {
					return err
				}
			}
			return im.Finish()
		})
		if got := storetest.Export(t, b.View(ws), Export); !bytes.Equal(got, data) {
			t.Errorf("export of the import:\n%s\nwant\n%s", got, data)
		}
	}
	if x, y := pin(t, a, "c", "T-1-S", "z", 2), pin(t, b, "c", "T-1-S", "z", 2); x != y {
		t.Errorf("pinned again: %+v and %+v", x, y)
	}
	if x, y := putOn(t, a, "c", 5, 2), putOn(t, b, "c", 5, 2); x != y {
		t.Errorf("put next: %+v and %+v", x, y)
	}
	for _, line := range []string{`{}`, `{"type":"board","conversationId":"c","item":{"id":"x"}}`, `{"type":"board","item":{"id":"B-1"}}`, `x`} {
		if err := storetest.AddLine(b, ws, line, Import); err == nil {
			t.Errorf("taken: %s", line)
		}
	}
}
