package conversation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

// counting counts reads of a store.
type counting struct {
	store.Reader
	gets, scans, keys int
}

func (c *counting) Get(key []byte) ([]byte, bool, error) {
	c.gets++
	return c.Reader.Get(key)
}

func (c *counting) Scan(lower, upper []byte, f func(key, value []byte) (bool, error)) error {
	c.scans++
	return c.Reader.Scan(lower, upper, func(key, value []byte) (bool, error) {
		c.keys++
		return f(key, value)
	})
}

func (c *counting) ScanBack(lower, upper []byte, f func(key, value []byte) (bool, error)) error {
	c.scans++
	return c.Reader.ScanBack(lower, upper, func(key, value []byte) (bool, error) {
		c.keys++
		return f(key, value)
	})
}

// fill appends turns of two messages each, a minute apart, of the given number of words.
func fill(t testing.TB, s *store.Store, id string, turns, words int) conversation.Info {
	t.Helper()
	text := strings.Repeat("conversation ", words)
	messages := make([]dialogue.Message, 0, 2*turns)
	for turn := range turns {
		at := start.Add(time.Duration(turn) * time.Minute)
		messages = append(messages,
			dialogue.Message{Role: dialogue.User, ID: fmt.Sprintf("u%d", turn), Content: text, At: at},
			dialogue.Message{Role: dialogue.Assistant, ID: fmt.Sprintf("a%d", turn), Content: text, At: at})
	}
	return say(t, s, id, messages...).Info
}

// TestLongConversation checks that appending, forking and looking up a turn read no more of a
// longer conversation.
func TestLongConversation(t *testing.T) {
	s := storetest.Open(t)
	reads := func(id string) (all []counting) {
		info := find(t, s, id)
		measure := func(f func(tx store.Tx) error) {
			c := counting{Reader: s}
			storetest.Apply(t, s, ws, func(tx store.Tx) error {
				tx.Reader = &c
				return f(tx)
			})
			c.Reader = nil
			all = append(all, c)
		}
		measure(func(tx store.Tx) error {
			_, err := stage(tx, addition{ID: id, Now: start, Messages: []dialogue.Message{
				user("new", "one more"), answer("newer", "yes"), user("u3", "known"), answer("", "unnamed"),
			}})
			return err
		})
		measure(func(tx store.Tx) error {
			_, err := conversation.Turn(tx.View, info, info.Turns/2)
			return err
		})
		measure(func(tx store.Tx) error {
			_, err := conversation.TurnsOf(tx.View, info, []int{0, info.Messages / 2, info.Messages - 1})
			return err
		})
		measure(func(tx store.Tx) error {
			_, err := conversation.Fork(tx, id, info.Turns/2, "fork of "+id)
			return err
		})
		measure(func(tx store.Tx) error {
			_, _, err := conversation.List(tx.View, 1, "")
			return err
		})
		measure(func(tx store.Tx) error {
			_, err := conversation.Pending(tx.View, 5)
			return err
		})
		return all
	}
	fill(t, s, "short", 50, 1)
	fill(t, s, "long", 100_000, 1)
	short, long := reads("short"), reads("long")
	for i := range short {
		if short[i] != long[i] {
			t.Errorf("operation %d reads %+v of 50 turns and %+v of 100,000", i, short[i], long[i])
		}
	}
	if info := find(t, s, "long"); info.Turns != 100_001 {
		t.Error(info.Turns)
	}
}

func BenchmarkAppendTurn(b *testing.B) {
	s := storetest.Open(b)
	fill(b, s, "c", 100_000, 25)
	n := 0
	for b.Loop() {
		n++
		say(b, s, "c", user(fmt.Sprintf("b%d", n), "a question"), answer(fmt.Sprintf("c%d", n), "an answer"))
	}
}

func BenchmarkMessages(b *testing.B) {
	s := storetest.Open(b)
	info := fill(b, s, "c", 5_000, 25)
	for b.Loop() {
		if m, err := conversation.Messages(s.View(ws), info, 0, info.Messages); err != nil || len(m) != 10_000 {
			b.Fatal(len(m), err)
		}
	}
}

func putAll(b *testing.B, s *store.Store, info conversation.Info) {
	tx := s.Begin(ws, start)
	for turn := 1; turn <= info.Turns; turn++ {
		v := conversation.Versions{S: "s", C: "c", T: "t", Messages: 2, Sizes: conversation.Sizes{R: 900, S: 500, C: 300, T: 20}}
		conversation.PutVersions(tx, info.Number, turn, v)
	}
	if err := s.ApplyLater(tx.Batch); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkTurnSizes(b *testing.B) {
	s := storetest.Open(b)
	info := fill(b, s, "c", 10_000, 25)
	putAll(b, s, info)
	for b.Loop() {
		if sizes, err := conversation.TurnSizes(s.View(ws), info, 1); err != nil || sizes[9_999].R != 900 {
			b.Fatal(err)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	s := storetest.Open(b)
	fill(b, s, "c", 100_000, 25)
	for b.Loop() {
		find(b, s, "c")
	}
}
