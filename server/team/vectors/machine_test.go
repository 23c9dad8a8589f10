//go:build cgo

// Indexes need C.

package vectors

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/encode"
	"github.com/zeebo/xxh3"
)

// perText is what a text costs the model. The tests count it instead of waiting.
const perText = 20 * time.Millisecond

// costly is a model that counts the texts that it embeds.
type costly struct {
	dims  int
	real  bool // it waits
	texts atomic.Int64
}

func (m *costly) Name() string     { return "costly" }
func (m *costly) Identity() string { return "costly" }
func (m *costly) Dimensions() int  { return m.dims }
func (m *costly) Kind() encode.Kind {
	return encode.Kind{Digest: "costly", Dimensions: m.dims, Probes: [][]int8{encode.Quantized(m.vector("probe"))}}
}

func (m *costly) vector(text string) []float32 {
	v, x := make([]float32, m.dims), xxh3.HashString(text)
	for i := range v {
		x = x*6364136223846793005 + 1442695040888963407
		v[i] = float32(int32(x >> 33))
	}
	return v
}

func (m *costly) Query(_ context.Context, text string) ([]float32, error) { return m.vector(text), nil }

func (m *costly) Documents(_ context.Context, texts []encode.Document) (rows [][]float32, faults []error, err error) {
	m.texts.Add(int64(len(texts)))
	if m.real {
		<-time.After(time.Duration(len(texts)) * perText)
	}
	for _, t := range texts {
		rows = append(rows, m.vector(t.Body))
	}
	return rows, make([]error, len(texts)), nil
}

// tree returns a workspace of n texts, each of one chunk.
func tree(t testing.TB, n int) string {
	t.Helper()
	root := t.TempDir()
	for i := range n {
		if i%500 == 0 {
			if err := os.Mkdir(filepath.Join(root, fmt.Sprint(i/500)), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		name := filepath.Join(root, fmt.Sprint(i/500), fmt.Sprintf("%d.txt", i))
		if err := os.WriteFile(name, fmt.Appendf(nil, "text number %d of the tree\n", i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// machine is one person's computer: an index with a shelf of its own.
type machine struct {
	share *Share
	model *costly
	index *indexer.Index
	stop  func() error
}

func newMachine(t testing.TB, h *hub, root string, dims int) *machine {
	t.Helper()
	s := h.open(t, t.TempDir(), func(o *Options) { o.Gather = 10 * time.Millisecond })
	shelf := encode.NewShelf(t.TempDir(), nil)
	x, err := indexer.Open(t.Context(), indexer.Options{
		Root: root, Dir: t.TempDir(), Home: t.TempDir(), Shelf: shelf, Shared: s.of("repo"), Count: func(b []byte) int { return len(b) / 4 },
	})
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{share: s, model: &costly{dims: dims}, index: x, stop: func() error { return errors.Join(x.Close(), shelf.Close()) }}
	if err := x.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

// embed blocks until all n texts have a vector, and returns the time with the model's cost.
func (m *machine) embed(t testing.TB, n int) time.Duration {
	t.Helper()
	begun := time.Now()
	m.index.SetModel(m.model)
	for {
		changed := m.index.Changed()
		if st := m.index.ModelStatus(); st.Serving && st.Pending == 0 && st.Total == n {
			return time.Since(begun) + time.Duration(m.model.texts.Load())*perText
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}

// figures are what the second machine needs.
type figures struct {
	alone, second time.Duration // until ready, with the model's cost
	own           int64         // texts that the second machine embedded
	read          Status        // of the second machine
	// on the server, when the first machine has published all
	rows, bytes, packs int
}

func measure(t testing.TB, n, dims int) (f figures) {
	t.Helper()
	h, root := newHub(), tree(t, n)
	first := h.changed // closed by the first pack
	a := newMachine(t, h, root, dims)
	f.alone = a.embed(t, n)
	for changed := first; f.rows < n; {
		<-changed
		h.mu.Lock()
		changed, f.rows, f.bytes, f.packs = h.changed, 0, 0, 0
		for _, list := range h.packs {
			for _, p := range list {
				f.rows += int(binary.BigEndian.Uint32(p.data[12:]))
				f.bytes += len(p.data)
				f.packs++
			}
		}
		h.mu.Unlock()
	}
	b := newMachine(t, h, root, dims)
	f.second = b.embed(t, n)
	f.own, f.read = b.model.texts.Load(), b.share.Status()
	if st := b.index.Status(); st.ModelShared != n-int(f.own) {
		t.Errorf("%d texts from others, %d embedded of %d", st.ModelShared, f.own, n)
	}
	if err := errors.Join(a.stop(), b.stop()); err != nil {
		t.Error(err)
	}
	return f
}

// A second machine embeds at most 1 % itself and is ready in at most 5 % of the time alone.
func TestSecondMachine(t *testing.T) {
	const n = 2000
	f := measure(t, n, 256)
	if f.own*100 > n || f.second*20 > f.alone {
		t.Errorf("the second machine embedded %d texts of %d, ready after %v instead of %v", f.own, n, f.second, f.alone)
	}
}

// BenchmarkAlone measures what a text takes one machine with a model that really takes 20 ms.
func BenchmarkAlone(b *testing.B) {
	for b.Loop() {
		const n = 500
		m := newMachine(b, newHub(), tree(b, n), 768)
		m.model.real = true
		cost := m.embed(b, n) - n*perText // which embed counts besides
		b.ReportMetric(float64(cost.Microseconds())/n/1000, "ms/text")
		if err := m.stop(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSecondMachine measures a tree of 50,000 texts and a model of 768 dimensions. The time
// alone is the program's, measured, and the model's, counted as 20 ms a text.
func BenchmarkSecondMachine(b *testing.B) {
	for b.Loop() {
		const n, dims = 50_000, 768
		f := measure(b, n, dims)
		b.ReportMetric(f.alone.Seconds(), "s-alone")
		b.ReportMetric(f.second.Seconds(), "s-second")
		b.ReportMetric(100*float64(f.own)/n, "%-own")
		b.ReportMetric(float64(f.bytes)/float64(f.rows), "B/row")
		b.ReportMetric(float64(f.packs), "packs")
		b.ReportMetric(float64(f.read.BytesRead)/(1<<20), "MiB-read")
	}
}
