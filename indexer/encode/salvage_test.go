package encode

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/contexture-dev/contexture/indexer/store"
	"github.com/zeebo/xxh3"
)

const salvageDims = 32

func rowOf(model string, i int) []int8 {
	r := rand.New(rand.NewPCG(xxh3.HashString(model), uint64(i)))
	row := make([]int8, salvageDims)
	for k := range row {
		row[k] = int8(r.IntN(255) - 127)
	}
	return row
}

func hashOf(i int) Hash { return xxh3.HashString128(fmt.Sprint("text ", i)) }

// filled makes a shelf of n rows of each of two models, all on disk, and returns its folder.
func filled(t *testing.T, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shelf")
	s := NewShelf(dir, nil)
	for _, model := range []string{"one", "two"} {
		for i := range n {
			if err := s.Put(model, []Hash{hashOf(i)}, [][]int8{rowOf(model, i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(s.Flush(), s.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// found counts the rows on the shelf; a wrong one fails the test.
func found(t *testing.T, s *Shelf, n int) (have int) {
	t.Helper()
	for _, model := range []string{"one", "two"} {
		for i := range n {
			row, ok := s.Get(model, hashOf(i), salvageDims)
			if !ok {
				continue
			}
			have++
			for k, want := range rowOf(model, i) {
				if row[k] != want {
					t.Fatalf("row %d of %s is wrong", i, model)
				}
			}
		}
	}
	return have
}

// closed makes the shelf release its folder.
func closed(t *testing.T, s *Shelf) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil {
		return
	}
	if err := s.closeLocked(); err != nil {
		t.Fatal(err)
	}
}

// An unreadable block costs only its rows: when the folder is released, the others are kept, and
// the shelf is intact again.
func TestSalvage(t *testing.T) {
	const n = 4000
	dir := filled(t, n)
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatal(tables, err)
	}
	b, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/3] ^= 0xff
	if err := os.WriteFile(tables[0], b, 0o600); err != nil {
		t.Fatal(err)
	}
	s := NewShelf(dir, nil)
	defer s.Close()
	have := found(t, s, n)
	if have == 2*n || have < n {
		t.Fatalf("%d of %d rows are read beside the damage", have, 2*n)
	}
	closed(t, s)
	if again := found(t, s, n); again != have {
		t.Errorf("%d rows are kept of %d", again, have)
	}
	for i := range n { // the lost rows are put again
		for _, model := range []string{"one", "two"} {
			if _, ok := s.Get(model, hashOf(i), salvageDims); !ok {
				if err := s.Put(model, []Hash{hashOf(i)}, [][]int8{rowOf(model, i)}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	closed(t, s)
	err = s.with(func(db *store.Store) error { return db.Compact(t.Context()) })
	if got := found(t, s, n); got != 2*n || err != nil {
		t.Errorf("afterwards %d of %d rows, %v", got, 2*n, err)
	}
}

// With random damage in any file, the shelf returns correct rows or none, and accepts rows again.
func TestShelfRandomDamage(t *testing.T) {
	const n = 500
	origin := filled(t, n)
	files, err := os.ReadDir(origin)
	if err != nil {
		t.Fatal(err)
	}
	rounds := 20
	if testing.Short() {
		rounds = 5
	}
	for round := range rounds {
		r := rand.New(rand.NewPCG(uint64(round), 3))
		dir := filepath.Join(t.TempDir(), "shelf")
		if err := os.CopyFS(dir, os.DirFS(origin)); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, files[r.IntN(len(files))].Name())
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) == 0 {
			continue
		}
		if r.IntN(4) == 0 {
			b = b[:r.IntN(len(b))]
		} else {
			for range 1 + r.IntN(30) {
				b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
			}
		}
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		s := NewShelf(dir, nil)
		found(t, s, n)
		for i := range n {
			if err := s.Put("one", []Hash{hashOf(i)}, [][]int8{rowOf("one", i)}); err != nil {
				t.Fatalf("round %d, %s: put: %v", round, filepath.Base(name), err)
			}
		}
		if have := found(t, s, n); have < n {
			t.Errorf("round %d, %s: %d rows after all were put", round, filepath.Base(name), have)
		}
		if err := s.Close(); err != nil {
			t.Logf("round %d, %s: close: %v", round, filepath.Base(name), err)
		}
		s = NewShelf(dir, nil)
		if have := found(t, s, n); have < n {
			t.Errorf("round %d, %s: %d rows at the next start", round, filepath.Base(name), have)
		}
		if err := s.Close(); err != nil {
			t.Errorf("round %d: close at the next start: %v", round, err)
		}
	}
}

// place visits every key, in growing steps.
func TestPlace(t *testing.T) {
	for _, tt := range []struct {
		from place
		n    int
		want place
		last bool
	}{
		{place{}, 40, place{0, 1 << 40}, false},
		{place{1, 1 << 63}, 63, place{2, 0}, false},
		{place{1, 5}, 64, place{2, 5}, false},
		{place{1 << 63, 5}, 127, place{0, 5}, true},
		{place{}, 128, place{}, true},
	} {
		if got, last := tt.from.plus(tt.n); got != tt.want || last != tt.last {
			t.Errorf("%v plus 2^%d: %v, %v", tt.from, tt.n, got, last)
		}
	}
	key := rowKey("model", hashOf(1))
	if p := placeOf(key); string(p.key(rowPrefix)) != string(key[:17]) {
		t.Errorf("%x is at %x", key, p.key(rowPrefix))
	}
}
