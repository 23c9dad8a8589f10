package stream

import (
	"slices"
	"testing"
)

// TestReplicaBehind checks that a version of a fact that only a replica behind the others still has
// is not delivered after the one that replaced it.
func TestReplicaBehind(t *testing.T) {
	var got []string
	fl := &following{f: Follower{Message: func(m *Message) error {
		got = append(got, string(m.Data))
		return nil
	}}}
	r := &followedRepository{early: map[uint64]bool{}, latest: map[fact]uint64{}}
	message := func(seq uint64, id, data string) *Message {
		return &Message{Author: "A", ID: id, Seq: seq, Data: []byte(data)}
	}
	fetched := func(messages ...*Message) {
		t.Helper()
		for _, m := range messages {
			if err := fl.deliverFetched(t.Context(), r, m); err != nil {
				t.Fatal(err)
			}
		}
	}
	fetched(message(1, "a", "a1"))
	for _, m := range []*Message{message(5, "a", "a5"), message(6, "c", "c6")} {
		if err := fl.deliverLive(live{r, m}); err != nil {
			t.Fatal(err)
		}
	}
	fetched(message(2, "b", "b2"), message(3, "a", "a3"), message(4, "c", "c4"), message(5, "a", "a5"), message(6, "c", "c6"), message(7, "a", "a7"))
	if want := []string{"a1", "a5", "c6", "b2", "a7"}; !slices.Equal(got, want) {
		t.Errorf("delivered %q, not %q", got, want)
	}
}
