package indexer

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/contexture-dev/contexture/indexer/embed"
	"github.com/contexture-dev/contexture/indexer/store"
)

// Stored data of removed texts and commits is deleted once it is the larger part, and nothing in
// use is deleted with it.
func TestCollect(t *testing.T) {
	for _, tt := range []struct {
		name             string
		vectors, commits int
		left             bool // of removed texts
	}{
		{"a branch that was left", 500, 100, true},
		{"many branches", 3 * keptAnyway, keptCommits + 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t)
			w.fill(random(80), 40)
			dir := t.TempDir()
			x := w.open(dir)
			settle(t, x)
			s := x.current.Load()
			b := x.w.disk.db.NewBatch()
			for i := range tt.vectors {
				w.must(b.Set(vectorKey(embed.Shipped().Digest(), hash{Hi: uint64(i), Lo: 1}), make([]byte, embed.Shipped().Dimensions())))
			}
			for i := range tt.commits {
				w.must(b.Set(append(append([]byte(nil), keyCommit...), binary.BigEndian.AppendUint64(nil, uint64(i))...), []byte("x")))
			}
			w.must(b.Commit())
			shut(t, x)
			x = w.open(dir)
			settle(t, x)
			x.w.mail.hand(context.Background(), func() {
				x.w.disk.wear.written = max(x.w.disk.wear.written, rewritten+1)
				x.w.settled = 0
				x.w.settle(context.Background())
			})
			vectors, commits := stands(t, x.w.disk.db, keyVector), stands(t, x.w.disk.db, keyCommit)
			if got := vectors > len(used(s.layout.parts)); got != tt.left || vectors < len(used(s.layout.parts)) {
				t.Errorf("%d vectors stand for %d texts", vectors, len(used(s.layout.parts)))
			}
			if got := commits > 0; got != tt.left {
				t.Errorf("%d commits stand", commits)
			}
			shut(t, x)
			x = w.open(dir)
			defer shut(t, x)
			settle(t, x)
			if st := x.Status(); st.Parsed != 0 || st.Embedded != 0 || len(st.Errors) != 0 {
				t.Errorf("the next start: %+v", st)
			}
		})
	}
}

func stands(t *testing.T, db *store.Store, prefix []byte) (n int) {
	t.Helper()
	if err := db.Scan(prefix, func(_, _ []byte) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// Removed contents are cached up to a limit, and until their segment is removed.
func TestRemovedContentIsCached(t *testing.T) {
	var d removedContents
	key := func(i int) contentKey { return contentKey{hash{Lo: uint64(i)}, ".go"} }
	d.add(key(1), 7, 3)
	d.add(key(2), 8, 4)
	if segment, index, ok := d.take(key(1)); !ok || segment != 7 || index != 3 {
		t.Errorf("%d, %d, %v", segment, index, ok)
	}
	if _, _, ok := d.take(key(1)); ok || d.has(key(1)) {
		t.Error("a place is given twice")
	}
	d.forget(8)
	if d.has(key(2)) {
		t.Error("it outlives its segment")
	}
	for i := range 3 * maxRemovedContents {
		d.add(key(i), 9, i)
		if len(d.places) > maxRemovedContents {
			t.Fatal(fmt.Sprint(len(d.places), " are remembered"))
		}
	}
}
