package vectors

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
)

// wide returns a row of dims components, which may be more than those of rowOf.
func wide(h encode.Hash, dims int) []int8 {
	row := make([]int8, dims)
	copy(row, rowOf(h))
	return row
}

// fill makes a cache of texts.
func fill(b *testing.B, path string, kind encode.Kind, texts []encode.Hash) {
	b.Helper()
	c, s := openCache(path, kind, 1<<40, newLog()), newSealer(teamKey, kind)
	for list := range slices.Chunk(texts, 1000) {
		var entries []byte
		for _, h := range list {
			var err error
			if entries, err = s.seal(entries, h, wide(h, kind.Dimensions)); err != nil {
				b.Fatal(err)
			}
		}
		c.add(entries, 1)
	}
	if err := c.close(position{}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCache measures what a cache of entries holds in memory, which does not depend on their
// dimensions, how long opening it takes, and how long finding a row.
func BenchmarkCache(b *testing.B) {
	for _, c := range []struct{ n, dims int }{{50_000, 768}, {1_000_000, testDims}} {
		b.Run(fmt.Sprintf("%dx%d", c.n, c.dims), func(b *testing.B) {
			n, kind := c.n, encode.Kind{Digest: "small", Dimensions: c.dims}
			path := filepath.Join(b.TempDir(), "cache")
			s, texts := newSealer(teamKey, kind), textsOf("a", n)
			fill(b, path, kind, texts)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			begun := time.Now()
			c := openCache(path, kind, 1<<40, newLog())
			opened := time.Since(begun)
			runtime.GC()
			runtime.ReadMemStats(&after)
			i := 0
			for b.Loop() {
				h := texts[i%n]
				entry, ok := c.get(s.key(h))
				if _, err := s.open(entry, h); err != nil || !ok {
					b.Fatal(err, ok)
				}
				i += 7919
			}
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB-held")
			b.ReportMetric(float64(opened.Milliseconds()), "ms-open")
			if err := c.close(position{}); err != nil {
				b.Fatal(err)
			}
		})
	}
}
