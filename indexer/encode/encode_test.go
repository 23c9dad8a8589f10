package encode

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/indexer/store"
	"github.com/zeebo/xxh3"
)

func text(i int) Hash { return xxh3.HashString128(fmt.Sprint("text ", i)) }

func TestTable(t *testing.T) {
	table := NewTable(3)
	table.Add(text(1), []int8{1, 2, 3})
	before := table.Rows()
	table.Add(text(2), []int8{4, 5, 6})
	table.Add(text(1), []int8{9, 9, 9}) // present
	table.Add(text(3), []int8{7})       // another length
	if !slices.Equal(before, []int8{1, 2, 3}) || !slices.Equal(table.Rows(), []int8{1, 2, 3, 4, 5, 6}) {
		t.Errorf("%v, %v", before, table.Rows())
	}
	slots, absent := table.Slots(4, func(i int) Hash { return text(3 - i) })
	if !slices.Equal(slots, []int32{Absent, 1, 0, Absent}) || absent != 2 {
		t.Errorf("%v, %d", slots, absent)
	}
}

func TestShelf(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "embeddings")
	s := NewShelf(dir, nil)
	hashes, rows := []Hash{text(1), text(2)}, [][]int8{{1, -2}, {127, -127}}
	if err := errors.Join(s.Put("model", hashes, rows), s.Flush()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Get("model", text(1), 2); ok {
		t.Error("read after the end")
	}
	s = NewShelf(dir, nil)
	defer s.Close()
	for i, h := range hashes {
		if row, ok := s.Get("model", h, 2); !ok || !slices.Equal(row, rows[i]) {
			t.Errorf("row %d: %v", i, row)
		}
	}
	for _, absent := range []func() ([]int8, bool){
		func() ([]int8, bool) { return s.Get("other", text(1), 2) },
		func() ([]int8, bool) { return s.Get("model", text(3), 2) },
		func() ([]int8, bool) { return s.Get("model", text(1), 3) },
	} {
		if row, ok := absent(); ok {
			t.Errorf("%v came from nowhere", row)
		}
	}
	if err := s.Forget("model", hashes[:1]); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Get("model", text(1), 2); ok {
		t.Error("forgotten row is there")
	}
}

// Processes that use one folder take turns.
func TestShelfIsShared(t *testing.T) {
	dir := t.TempDir()
	first, second := NewShelf(dir, nil), NewShelf(dir, nil)
	if err := first.Put("model", []Hash{text(1)}, [][]int8{{1}}); err != nil {
		t.Fatal(err)
	}
	if row, ok := second.Get("model", text(1), 1); !ok || row[0] != 1 {
		t.Errorf("what the first has put: %v", row)
	}
	if err := errors.Join(second.Put("model", []Hash{text(2)}, [][]int8{{2}}), second.Flush()); err != nil {
		t.Fatal(err)
	}
	if row, ok := first.Get("model", text(2), 1); !ok || row[0] != 2 {
		t.Errorf("what the second has put: %v", row)
	}
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Error(err)
	}
}

// A shelf works without its folder if another process does not release that.
func TestShelfIsHeld(t *testing.T) {
	dir := t.TempDir()
	holder, err := store.Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	s := NewShelf(dir, nil)
	s.patience = 0
	var held *store.LockedError
	if err := s.Put("model", []Hash{text(1)}, [][]int8{{1}}); !errors.As(err, &held) {
		t.Errorf("put beside another: %v", err)
	}
	if err := s.Put("model", []Hash{text(1)}, [][]int8{{1}}); !errors.Is(err, errAway) {
		t.Errorf("it is not left alone: %v", err)
	}
	if _, ok := s.Get("model", text(1), 1); ok {
		t.Error("read what another has open")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestShelfDamage(t *testing.T) {
	s := NewShelf(t.TempDir(), nil)
	defer s.Close()
	if err := s.Put("model", []Hash{text(1)}, [][]int8{{1, 2, 3}}); err != nil {
		t.Fatal(err)
	}
	key := rowKey("model", text(1))
	err := s.with(func(db *store.Store) error {
		value, _, err := db.Get(key)
		if err != nil {
			return err
		}
		value[1]++
		b := db.NewBatch()
		return errors.Join(b.Set(key, value), b.Commit())
	})
	if err != nil {
		t.Fatal(err)
	}
	if row, ok := s.Get("model", text(1), 3); ok {
		t.Errorf("damaged row %v is taken", row)
	}
}

func TestGeneration(t *testing.T) {
	s := NewShelf(t.TempDir(), nil)
	defer s.Close()
	like := func(probe float32) func([][]float32) bool {
		return func(old [][]float32) bool { return old[0][0] == probe }
	}
	for i, tt := range []struct {
		probe float32
		want  int
	}{{1, 0}, {1, 0}, {2, 1}, {1, 0}, {3, 2}, {2, 1}} {
		got, err := s.Generation("model", [][]float32{{tt.probe}}, like(tt.probe))
		if err != nil || got != tt.want {
			t.Errorf("%d: %d, %v", i, got, err)
		}
	}
	if got, err := s.Generation("other", [][]float32{{5}}, like(5)); err != nil || got != 0 {
		t.Errorf("another model: %d, %v", got, err)
	}
}
