package memory

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/store"
)

// longWords splits a text at spaces; before format 2 it omitted words of more than six letters.
func longWords(from2 bool) func(text string, yield func(string)) {
	return func(text string, yield func(string)) {
		for _, w := range strings.Fields(strings.ToLower(text)) {
			if from2 {
				w, _ = strings.CutPrefix(w, "old:")
			}
			if from2 || len(w) <= 6 {
				yield(w)
			}
		}
	}
}

// storedPostings returns the index of messages by key, in a canonical order, without the versions
// of blocks, which differ between stores.
func storedPostings(t *testing.T, dir string) map[string]string {
	t.Helper()
	st, err := store.Open(dir, store.Options{Migrations: formats(nil, Options{Log: slog.New(slog.DiscardHandler)})})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	out := map[string]string{}
	for ws := range store.Workspace(3) {
		prefix := store.Prefix(store.Recall, ws)
		err := st.Scan(prefix, store.PrefixEnd(prefix), func(k, v []byte) (bool, error) {
			list := slices.SortedFunc(slices.Chunk(bytes.Clone(v), 4), bytes.Compare)
			if out[string(k)] = string(bytes.Join(list, nil)); k[len(prefix)] == 3 {
				out[string(k)] = ""
			}
			return true, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestOlderFormat checks that a memory whose words were split differently is rebuilt: every message
// is found by today's words, and nothing removed is left.
func TestOlderFormat(t *testing.T) {
	fill := func(m *Memory) {
		for _, root := range []string{"", "/r", "/q"} {
			w, err := m.Workspace(context.Background(), root)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range []string{"a", "b", "c"} {
				_, err := w.Append(Addition{Conversation: id, Messages: []dialogue.Message{
					{Role: dialogue.User, Content: "call old:1234567 in " + id}, {Role: dialogue.Assistant, Content: "the digest is f61d0a499a90"},
					{Role: dialogue.User, Content: "old:forget this"}, {Role: dialogue.User, Content: "last one"},
				}})
				if err != nil {
					t.Fatal(err)
				}
			}
			_, forked := w.Fork("a", 2, "fork")
			_, err = w.Append(Addition{Conversation: "fork", Messages: []dialogue.Message{{Role: dialogue.User, Content: "old:another way"}}})
			for _, err := range []error{forked, err, w.Delete("a"), w.Delete("b")} {
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := w.ForgetTurn(context.Background(), "c", 2); err != nil {
				t.Fatal(err)
			}
		}
	}
	old, fresh := t.TempDir(), t.TempDir()
	m := openedWith(t, old, func(o *Options) { o.Terms, o.formats = longWords(false), []store.Migration{} })
	fill(m)
	closed(t, m)
	now := func(o *Options) { o.Terms = longWords(true) }
	m = openedWith(t, fresh, now)
	fill(m)
	closed(t, m)
	m = openedWith(t, old, now)
	v := workspace(t, m).View()
	for _, word := range []string{"1234567", "f61d0a499a90", "another", "last"} {
		if hits, err := v.Messages.Search(context.Background(), nil, word, 0, 10); err != nil || len(hits) == 0 {
			t.Errorf("%q: %v, error %v", word, hits, err)
		}
	}
	v.Close()
	closed(t, m)
	got, want := storedPostings(t, old), storedPostings(t, fresh)
	if len(want) == 0 || !maps.Equal(got, want) {
		t.Errorf("%d terms, want %d: %q, want %q", len(got), len(want), slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

func closed(t *testing.T, m *Memory) {
	t.Helper()
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestNamesAreFoundAgain checks that in a memory of an earlier format the names in messages and the
// failures of commands are found, and that the topics and episodes that a run had stored are gone.
func TestNamesAreFoundAgain(t *testing.T) {
	dir := t.TempDir()
	list := slices.DeleteFunc(formats(nil, Options{Log: slog.New(slog.DiscardHandler)}), func(m store.Migration) bool { return m.To >= 7 })
	m := openedWith(t, dir, func(o *Options) { o.formats = list })
	w := workspace(t, m)
	tellAll(t, w, "c", dialogue.Message{Role: dialogue.User, Content: "zorbex drops parcels, see a.go"}, dialogue.Message{Role: dialogue.User, Content: "restart zorbex"},
		dialogue.Message{Role: dialogue.User, Content: "zorbex is fine"},
		dialogue.Message{Role: dialogue.Assistant, ToolCalls: []dialogue.ToolCall{{Name: "sh", Arguments: []byte(`{"command":"make"}`), Result: []byte(`"no rule 7"`), IsError: true}}})
	ws := w.number
	settle(m)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(dir, store.Options{Migrations: list})
	if err != nil {
		t.Fatal(err)
	}
	tx := st.Begin(ws, time.Time{})
	var old [][]byte
	for _, part := range []byte(knowledge.OldEpisodes + knowledge.OldTopics) {
		old = append(old, append(store.Prefix(store.Knowledge, ws), part))
		tx.Set(old[len(old)-1], []byte("what a run found"))
	}
	for _, space := range []store.Space{store.Entities, store.Failures} {
		all := store.Prefix(space, ws)
		tx.DeleteRange(all, store.PrefixEnd(all))
	}
	if err := errors.Join(st.ApplyLater(tx.Batch), st.Close()); err != nil {
		t.Fatal(err)
	}
	m = opened(t, dir)
	defer m.Close()
	w = workspace(t, m)
	if got := subjects(t, w); len(got.Topics) != 1 || got.Topics[0].Label != "zorbex" || got.Topics[0].Count != 3 {
		t.Errorf("topics %+v", got.Topics)
	}
	v := w.View()
	defer v.Close()
	if got, err := v.Messages.Failing(knowledge.NewFailure("make", "no rule 9"), 2); err != nil || len(got) != 1 || got[0].Message != 3 {
		t.Errorf("failures %+v, %v", got, err)
	}
	for _, k := range old {
		if _, found, err := w.latest().Get(k); err != nil || found {
			t.Errorf("%q is found: %v, %v", k, found, err)
		}
	}
}
