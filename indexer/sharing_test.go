package indexer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
)

// team is a Shared in memory.
type team struct {
	mu      sync.Mutex // guards all below
	rows    map[hash][]int8
	asked   int
	kind    encode.Kind
	hanging bool
	asking  chan struct{} // closed by the first lookup, if it is not nil; not guarded
	offers  chan int      // how many texts were offered at once; not guarded
}

func newTeam() *team { return &team{rows: map[hash][]int8{}, offers: make(chan int, 1000)} }

// awaitOffer waits until n texts are offered at once.
func (s *team) awaitOffer(t *testing.T, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		select {
		case got := <-s.offers:
			if got == n {
				return
			}
		case <-ctx.Done():
			t.Fatalf("%d texts are not offered at once", n)
		}
	}
}

func (s *team) Rows(ctx context.Context, kind encode.Kind, hashes []hash) [][]int8 {
	s.mu.Lock()
	hanging := s.hanging
	if s.asked++; s.asked == 1 && s.asking != nil {
		close(s.asking)
	}
	s.mu.Unlock()
	if hanging {
		<-ctx.Done()
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([][]int8, len(hashes))
	if !s.kind.Matches(kind) {
		return nil
	}
	for i, h := range hashes {
		out[i] = s.rows[h]
	}
	return out
}

func (s *team) Offer(kind encode.Kind, hashes []hash, row func(hash) []int8) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.kind.Matches(kind) {
		s.kind, s.rows = kind, map[hash][]int8{}
	}
	for _, h := range hashes {
		s.rows[h] = row(h)
	}
	s.offers <- len(hashes)
}

// portable is letters for a team.
type portable struct{ *letters }

func (m portable) Kind() encode.Kind {
	return encode.Kind{Digest: m.name, Dimensions: m.Dimensions(), Probes: [][]int8{encode.Quantized(lettersOf(m.name))}}
}

func openShared(t *testing.T, root string, shelf *encode.Shelf, shared encode.Shared, patience time.Duration) *Index {
	t.Helper()
	x, err := Open(t.Context(), Options{
		Root: root, Dir: t.TempDir(), Home: t.TempDir(), Shelf: shelf, Shared: shared, patience: patience, Count: func(b []byte) int { return len(b) / 4 },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	if err := x.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return x
}

// textFiles returns a workspace of n different texts, each of one chunk.
func textFiles(t *testing.T, n int) string {
	t.Helper()
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("f%d.txt", i)] = fmt.Sprintf("the text number %d of them\n", i)
	}
	return modelFiles(t, files)
}

func complete(n int) func(ModelStatus) bool {
	return func(s ModelStatus) bool { return s.Serving && s.Pending == 0 && s.Total == n }
}

func (m *letters) total() (n int) {
	m.set(func() {
		for _, times := range m.sent {
			n += times
		}
	})
	return n
}

func TestTeamEmbedsOnce(t *testing.T) {
	const n = 200
	root, others := textFiles(t, n), newTeam()
	first := &letters{name: "m", sent: map[string]int{}}
	x := openShared(t, root, nil, others, 0)
	x.SetModel(portable{first})
	awaitModelStatus(t, x, complete(n))
	others.awaitOffer(t, n)
	others.mu.Lock()
	if first.total() != n || len(others.rows) != n || x.Status().ModelShared != 0 {
		t.Errorf("%d texts embedded, %d offered", first.total(), len(others.rows))
	}
	gone := 0
	for h := range others.rows { // what the team lacks is embedded here
		if gone++; gone > 3 {
			break
		}
		delete(others.rows, h)
	}
	others.mu.Unlock()

	dir := t.TempDir()
	shelf := encode.NewShelf(dir, nil)
	defer shelf.Close()
	second := &letters{name: "m", sent: map[string]int{}}
	y := openShared(t, root, shelf, others, 0)
	y.SetModel(portable{second})
	awaitModelStatus(t, y, complete(n))
	if st := y.Status(); second.total() != 3 || st.ModelShared != n-3 || st.ModelReused != 0 {
		t.Errorf("%d texts embedded, %d from others, %d from the shelf", second.total(), st.ModelShared, st.ModelReused)
	}
	s, release := x.Snapshot()
	defer release()
	other, releaseOther := y.Snapshot()
	defer releaseOther()
	for id := range s.Chunks() {
		if h := s.Chunk(id).Hash; !slices.Equal(s.vectors.encoded.table.Row(h), other.vectors.encoded.table.Row(h)) {
			t.Fatalf("chunk %d has another row", id)
		}
	}
	others.awaitOffer(t, n)

	// What came from others is on the shelf.
	third := &letters{name: "m", sent: map[string]int{}}
	z := openShared(t, root, shelf, nil, 0)
	z.SetModel(portable{third})
	awaitModelStatus(t, z, complete(n))
	if st := z.Status(); third.total() != 0 || st.ModelReused != n {
		t.Errorf("%d texts embedded, %d from the shelf", third.total(), st.ModelReused)
	}

	// A person who has all embeddings made again gets none of others.
	y.Rebuild(true)
	others.awaitOffer(t, n)
	if second.total() != 3+n {
		t.Errorf("%d texts embedded of %d", second.total(), 3+n)
	}
}

// Rows of another model are not asked for, and a model that is not portable asks nobody.
func TestTeamOfAnotherModel(t *testing.T) {
	const n = 70
	root, others := textFiles(t, n), newTeam()
	x := openShared(t, root, nil, others, 0)
	first := &letters{name: "m", sent: map[string]int{}}
	x.SetModel(portable{first})
	awaitModelStatus(t, x, complete(n))
	second := &letters{name: "other", sent: map[string]int{}}
	x.SetModel(portable{second})
	awaitModelStatus(t, x, func(s ModelStatus) bool { return s.Name == "other" && complete(n)(s) })
	others.mu.Lock()
	asked := others.asked
	others.mu.Unlock()
	third := &letters{name: "alone", sent: map[string]int{}}
	x.SetModel(third)
	awaitModelStatus(t, x, func(s ModelStatus) bool { return s.Name == "alone" && complete(n)(s) })
	others.mu.Lock()
	defer others.mu.Unlock()
	if second.total() != n || third.total() != n || others.asked != asked {
		t.Errorf("%d and %d texts embedded of %d, %d lookups for a model that is not portable", second.total(), third.total(), n, others.asked-asked)
	}
}

// A share that hangs delays embedding once by its patience, and a model that fails afterwards
// continues with the share.
func TestTeamHangs(t *testing.T) {
	const n = 200
	root, others := textFiles(t, n), newTeam()
	others.hanging = true
	x := openShared(t, root, nil, others, 10*time.Millisecond)
	m := &letters{name: "m", sent: map[string]int{}, away: errors.New("gone")}
	x.SetModel(portable{m})
	awaitModelStatus(t, x, func(s ModelStatus) bool { return s.Problem == "gone" })
	m.set(func() { m.away = nil })
	awaitModelStatus(t, x, complete(n))
	others.mu.Lock()
	defer others.mu.Unlock()
	if others.asked != 1 || m.total() != n {
		t.Errorf("%d lookups, %d texts embedded", others.asked, m.total())
	}
}

// While a share hangs, searches and changes of the index do not wait, and neither does Close.
func TestTeamHangsMeanwhile(t *testing.T) {
	const n = 20
	root, others := textFiles(t, n), newTeam()
	others.hanging, others.asking = true, make(chan struct{})
	x := openShared(t, root, nil, others, time.Hour)
	x.SetModel(portable{&letters{name: "m", sent: map[string]int{}}})
	<-others.asking
	s, release := x.Snapshot()
	if _, asked, err := s.Vectors().ByModel(t.Context(), "text"); asked || err != nil {
		t.Errorf("searches by a model without vectors: %v %v", asked, err)
	}
	release()
	if err := os.WriteFile(filepath.Join(root, "new.txt"), []byte("a new text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x.Rebuild(false)
	if err := x.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st := x.Status(); st.Chunks != n+1 {
		t.Errorf("%d chunks of %d", st.Chunks, n+1)
	}
	// The cleanup closes the index.
}
