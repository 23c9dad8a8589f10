package cabinet

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

const ws store.Workspace = 3

var start = time.Date(2026, 3, 4, 5, 6, 7, 89, time.UTC)

func random(seed byte) io.Reader { return rand.NewChaCha8([32]byte{seed}) }

func file(t rapid.TB, s *store.Store, n New, now time.Time, from io.Reader) (f File) {
	t.Helper()
	storetest.ApplyAt(t, s, ws, now, func(tx store.Tx) (err error) {
		f, err = Put(tx, n, from)
		return err
	})
	return f
}

func use(t rapid.TB, s *store.Store, key string, now time.Time) (f File, renewed bool, err error) {
	t.Helper()
	tx := s.Begin(ws, now)
	f, renewed, err = Get(tx, key)
	if err == nil {
		if err := s.ApplyLater(tx.Batch); err != nil {
			t.Fatal(err)
		}
	}
	return f, renewed, err
}

func TestPutGet(t *testing.T) {
	s := storetest.Open(t)
	n := New{Title: "Deploy notes", Content: "line\n\x00é", Note: "from the wiki", URI: "https://example.com/a"}
	from := random(1)
	put := file(t, s, n, start, from)
	want := File{
		Key: put.Key, Title: n.Title, Content: n.Content, Note: n.Note, URI: n.URI,
		SavedAt: start, ExpiresAt: start.Add(30 * 24 * time.Hour),
	}
	if put != want || len(put.Key) != 16 {
		t.Errorf("put %+v", put)
	}
	got, renewed, err := use(t, s, put.Key, start)
	if err != nil || got != want || renewed {
		t.Errorf("got %+v, renewed %v, %v", got, renewed, err)
	}
	if other := file(t, s, n, start, from); other.Key == put.Key {
		t.Error("the same key twice")
	}
	// The random source repeats itself: a key in use is skipped.
	if again := file(t, s, n, start, random(1)); again.Key == put.Key {
		t.Error("a taken key was given")
	}
	if _, err := Put(s.Begin(ws, start), n, strings.NewReader("short")); err == nil {
		t.Error("no randomness, and a key")
	}
}

func TestRenewal(t *testing.T) {
	s := storetest.Open(t)
	key := file(t, s, New{}, start, random(1)).Key
	for _, c := range []struct {
		after   time.Duration // since the put
		renewed bool
	}{
		{0, false}, {time.Hour, false}, {time.Hour + 1, true}, {2 * time.Hour, false},
		{20 * 24 * time.Hour, true}, {50*24*time.Hour - 1, true}, {79 * 24 * time.Hour, true},
	} {
		now := start.Add(c.after)
		got, renewed, err := use(t, s, key, now)
		if err != nil || renewed != c.renewed || !got.ExpiresAt.Equal(now.Add(lifetime)) {
			t.Errorf("after %v: renewed %v, expires %v, %v", c.after, renewed, got.ExpiresAt, err)
		}
	}
	last := start.Add(79 * 24 * time.Hour)
	if _, _, err := Get(store.Tx{View: s.View(ws), Now: last.Add(lifetime)}, key); err != nil {
		t.Errorf("gone when thirty days from the last use were just over, within the hour: %v", err)
	}
	gone := last.Add(lifetime + renewal)
	if _, _, err := Get(store.Tx{View: s.View(ws), Now: gone}, key); !errors.Is(err, ErrNotFound) {
		t.Errorf("after its time: %v", err)
	}
	if err := Delete(s.Begin(ws, gone), key); !errors.Is(err, ErrNotFound) {
		t.Errorf("delete after its time: %v", err)
	}
	if files, err := List(s.View(ws), gone); err != nil || len(files) > 0 {
		t.Errorf("listed after its time: %v, %v", files, err)
	}
	for _, c := range []struct {
		after  time.Duration // the end of its lifetime
		purged int
	}{{0, 0}, {doubt - 1, 0}, {doubt, 1}, {2 * doubt, 0}} {
		purge(t, s, gone.Add(c.after), c.purged)
	}
	if n := stored(t, s); n != 0 {
		t.Errorf("%d keys left", n)
	}
}

func purge(t rapid.TB, s *store.Store, now time.Time, want int) {
	t.Helper()
	storetest.ApplyAt(t, s, ws, now, func(tx store.Tx) error {
		n, err := Purge(tx)
		if n != want {
			t.Errorf("%d purged at %v, want %d", n, now, want)
		}
		return err
	})
}

// TestClockAhead checks that texts that looked expired under a clock years ahead are found again
// when the clock is right, also if the clock was wrong for hours, more than once.
func TestClockAhead(t *testing.T) {
	s := storetest.Open(t)
	key := file(t, s, New{Title: "t"}, start, random(1)).Key
	years := start.Add(10 * 365 * 24 * time.Hour)
	for range 2 {
		purge(t, s, years, 0)
		if _, _, err := Get(store.Tx{View: s.View(ws), Now: years}, key); !errors.Is(err, ErrNotFound) {
			t.Errorf("by the clock that is ahead: %v", err)
		}
		purge(t, s, years.Add(20*time.Hour), 0)
		if _, _, err := Get(store.Tx{View: s.View(ws), Now: start.Add(time.Hour)}, key); err != nil {
			t.Errorf("by the right clock: %v", err)
		}
		purge(t, s, start.Add(time.Hour), 0)
	}
	purge(t, s, start.Add(-365*24*time.Hour), 0)
	if files, err := List(s.View(ws), start.Add(-365*24*time.Hour)); err != nil || len(files) != 1 {
		t.Errorf("a year before it was filed: %v, %v", files, err)
	}
}

func stored(t rapid.TB, s *store.Store) (n int) {
	t.Helper()
	prefix := store.Prefix(store.Cabinet, ws)
	err := s.Scan(prefix, store.PrefixEnd(prefix), func(_, _ []byte) (bool, error) { n++; return true, nil })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPurgeIsBounded(t *testing.T) {
	s := storetest.Open(t)
	from := random(1)
	storetest.ApplyAt(t, s, ws, start, func(tx store.Tx) error {
		for range purged + 5 {
			if _, err := Put(tx, New{}, from); err != nil {
				return err
			}
		}
		return nil
	})
	purge(t, s, start.Add(365*24*time.Hour), 0)
	for _, want := range []int{purged, 5, 0} {
		purge(t, s, start.Add(366*24*time.Hour), want)
	}
}

// TestModel compares the cabinet with a list of keys by last use.
func TestModel(t *testing.T) {
	s := storetest.Open(t)
	from := random(9)
	rapid.Check(t, func(t *rapid.T) {
		now := start
		var byUse []string // latest last
		last := map[string]time.Time{}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(61, 9*24*60).Draw(t, "minutes")) * time.Minute)
			byUse = slices.DeleteFunc(byUse, func(k string) bool { return now.Sub(last[k]) >= lifetime+renewal })
			step := rapid.IntRange(0, 3).Draw(t, "step")
			if step == 0 || len(byUse) == 0 {
				f := file(t, s, New{Title: "t"}, now, from)
				byUse, last[f.Key] = append(byUse, f.Key), now
				continue
			}
			key := rapid.SampledFrom(byUse).Draw(t, "key")
			byUse = slices.DeleteFunc(byUse, func(k string) bool { return k == key })
			if step == 1 {
				storetest.ApplyAt(t, s, ws, now, func(tx store.Tx) error { return Delete(tx, key) })
			} else if _, renewed, err := use(t, s, key, now); err != nil || !renewed {
				t.Fatalf("get: %v, renewed %v", err, renewed)
			} else {
				byUse, last[key] = append(byUse, key), now
			}
			storetest.ApplyAt(t, s, ws, now, func(tx store.Tx) error { _, err := Purge(tx); return err })
			files, err := List(s.View(ws), now)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, f := range files {
				got = append(got, f.Key)
			}
			slices.Reverse(got)
			if !slices.Equal(got, byUse) && len(got)+len(byUse) > 0 {
				t.Fatalf("listed %v, want %v", got, byUse)
			}
			if n := stored(t, s); n < 3*len(byUse) {
				t.Fatalf("%d keys of %d files", n, len(byUse))
			}
		}
		for n := range time.Duration(3) {
			storetest.ApplyAt(t, s, ws, now.Add(2*lifetime+n*doubt), func(tx store.Tx) error { _, err := Purge(tx); return err })
		}
		if n := stored(t, s); n > 0 {
			t.Fatalf("%d keys are left", n)
		}
	})
}

func TestExportImportExport(t *testing.T) {
	a, b := storetest.Open(t), storetest.Open(t)
	from := random(2)
	file(t, a, New{Title: "<t>", Content: "", Note: "n"}, start, from)
	key := file(t, a, New{Title: "u", Content: "é\x00", URI: "file:///x"}, start.Add(time.Nanosecond), from).Key
	if _, _, err := use(t, a, key, start.Add(50*time.Hour)); err != nil {
		t.Fatal(err)
	}
	data := storetest.Export(t, a.View(ws), Export)
	for range 2 {
		storetest.Import(t, b, ws, data, Import)
		if got := storetest.Export(t, b.View(ws), Export); !bytes.Equal(got, data) {
			t.Errorf("export of the import:\n%s\nwant\n%s", got, data)
		}
		if n := stored(t, b); n != 6 {
			t.Errorf("%d keys of 2 files", n)
		}
	}
	for _, line := range []string{
		`x`, `{}`, `{"type":"cabinet","fileKey":"a","title":"t","savedAt":"2026-01-01T00:00:00Z","usedAt":"2026-01-01T00:00:00Z"}`,
		`{"type":"cabinet","fileKey":"a","title":"t","content":"","savedAt":"2026-01-01T00:00:00Z","usedAt":"1826-01-01T00:00:00Z"}`,
	} {
		if err := storetest.AddLine(b, ws, line, Import); err == nil {
			t.Errorf("taken: %s", line)
		}
	}
}
