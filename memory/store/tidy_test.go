package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestTidy checks that values appended to in many batches take less space afterwards and are the
// same, and that nothing is done if there is little to do.
func TestTidy(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	const keys, rounds = 3000, 60
	r := rand.New(rand.NewPCG(1, 2))
	key := func(i int) []byte { return AppendUint32(Prefix(Recall, 1), uint32(i)) }
	for range rounds {
		b := s.NewBatch()
		for i := range keys {
			b.Append(key(i), []byte(fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64())))
		}
		if err := s.ApplyLater(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	sum := func() (n int, all string) {
		h := 0
		if err := s.Scan(Prefix(Recall, 1), nil, func(k, v []byte) (bool, error) {
			n++
			for _, c := range v {
				h = h*31 + int(c)
			}
			return true, nil
		}); err != nil {
			t.Fatal(err)
		}
		return n, fmt.Sprint(h)
	}
	above := func() (n int64) {
		levels := s.db.Metrics().Levels
		for _, level := range levels[:len(levels)-1] {
			n += level.TablesSize
		}
		return n
	}
	n, was := sum()
	if before := above(); before < minTidyBytes {
		t.Fatalf("%d bytes lie above the bottom, too few to tidy", before)
	}
	stop := errors.New("stop")
	if err := s.Tidy(t.Context(), func() error { return stop }); !errors.Is(err, stop) {
		t.Errorf("a pause that fails gives %v", err)
	}
	pauses := 0
	if err := s.Tidy(t.Context(), func() error { pauses++; return nil }); err != nil || pauses == 0 {
		t.Fatalf("%d pauses, %v", pauses, err)
	}
	if left := above(); left >= minTidyBytes {
		t.Errorf("%d bytes are left above the bottom", left)
	}
	if m, is := sum(); m != n || is != was || n != keys {
		t.Errorf("%d values of %d are left, or they are not the same", m, n)
	}
	pauses = 0
	if err := s.Tidy(t.Context(), func() error { pauses++; return nil }); err != nil || pauses != 0 {
		t.Errorf("nothing is to do, and there were %d pauses, %v", pauses, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Tidy(ended, nil); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
}
