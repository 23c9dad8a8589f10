package knowledge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func openStore(t testing.TB) *store.Store {
	t.Helper()
	st, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// change applies one batch.
func change(t testing.TB, st *store.Store, f func(b *store.Batch) error) {
	t.Helper()
	b := st.NewBatch()
	if err := f(b); err != nil {
		t.Fatal(err)
	}
	if err := st.ApplyLater(b); err != nil {
		t.Fatal(err)
	}
}

// say appends messages to a conversation, each "role: text" or "role/author: text", and learns from each.
func say(t testing.TB, st *store.Store, conversation string, from int, lines ...string) {
	t.Helper()
	for i, line := range lines {
		who, text, _ := strings.Cut(line, ": ")
		role, author, _ := strings.Cut(who, "/")
		m := dialogue.Message{
			ID: fmt.Sprintf("%s-%d", conversation, from+i), Role: dialogue.Role(role), Author: author, Content: text,
			At: noon.Add(time.Duration(from+i) * time.Minute),
		}
		change(t, st, func(b *store.Batch) error {
			heard := Heard{Message: m, Turn: from + i, Found: Hear(&m, "")}
			_, err := Learn(st, b, 1, Learning{Conversation: conversation, Messages: []Heard{heard}, Now: noon})
			return err
		})
	}
}

// inForce returns the contents of the rules in force, the latest first.
func inForce(t testing.TB, st *store.Store) []string {
	t.Helper()
	items, _, err := Active(st, 1)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, it := range items {
		out = append(out, it.Content)
	}
	return out
}
