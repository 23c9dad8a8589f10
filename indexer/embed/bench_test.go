//go:build unix

package embed

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// packed is a Source that decodes its postings, as one over a store does.
type packed struct {
	docs  int
	terms []string
	lists [][]byte // by term: varint steps between documents, each followed by the weight
}

func (p *packed) Docs() int { return p.docs }

func (p *packed) Terms(yield func(string, func([]Posting) []Posting) bool) {
	for i, term := range p.terms {
		list := p.lists[i]
		if !yield(term, func(buf []Posting) []Posting {
			doc, rest := uint64(0), list
			for len(rest) > 0 {
				step, n := binary.Uvarint(rest)
				doc += step
				buf = append(buf, Posting{uint32(doc), rest[n]})
				rest = rest[n+1:]
			}
			return buf
		}) {
			return
		}
	}
}

// large resembles Go's own source: 50,000 chunks, 300,000 terms, five million postings, term
// frequencies by Zipf's law, and documents of one topic next to each other.
var large = sync.OnceValue(func() *packed {
	const docs, terms, postings = 50_000, 300_000, 5_000_000
	r := rand.New(rand.NewPCG(11, 12))
	p := &packed{docs: docs, terms: make([]string, terms), lists: make([][]byte, terms)}
	harmonic := 0.0
	for i := range terms {
		harmonic += 1 / float64(i+4)
	}
	var list []uint32
	for i := range terms {
		p.terms[i] = fmt.Sprintf("term%06d", i)
		rank := r.IntN(terms)
		df := min(docs/3, int(1.04*postings/harmonic/float64(rank+4))+r.IntN(2)+1)
		center := r.IntN(docs)
		list = list[:0]
		for range df {
			d := r.IntN(docs)
			if r.IntN(3) > 0 { // two of three close to the others
				d = ((center+int(r.NormFloat64()*float64(df+50)))%docs + docs) % docs
			}
			list = append(list, uint32(d))
		}
		slices.Sort(list)
		last := uint32(0)
		for _, d := range slices.Compact(list) {
			p.lists[i] = binary.AppendUvarint(p.lists[i], uint64(d-last))
			p.lists[i] = append(p.lists[i], byte(1+r.IntN(8)*r.IntN(3)))
			last = d
		}
	}
	return p
})

// cost runs do and reports its CPU seconds and the growth of the peak heap, sampled every ten
// milliseconds.
func cost(b *testing.B, do func()) {
	b.Helper()
	var cpu time.Duration
	var peak uint64
	for b.Loop() {
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		stop, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-stop:
					return
				case <-tick.C:
					var now runtime.MemStats
					runtime.ReadMemStats(&now)
					peak = max(peak, now.HeapInuse-min(now.HeapInuse, before.HeapInuse))
				}
			}
		}()
		from := cpuTime(b)
		do()
		cpu += cpuTime(b) - from
		close(stop)
		<-done
	}
	b.ReportMetric(cpu.Seconds()/float64(b.N), "CPU-s/op")
	b.ReportMetric(float64(peak)/(1<<20), "peak-MB")
}

func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func benchmarkSource(b *testing.B, src Source) {
	var m *Model
	b.Run("train", func(b *testing.B) {
		cost(b, func() { m = mustTrain(b, src, Options{}) })
	})
	m = mustTrain(b, src, Options{})
	b.Run("all", func(b *testing.B) {
		cost(b, func() {
			if _, err := m.EmbedAll(context.Background(), src, 1); err != nil {
				b.Fatal(err)
			}
		})
		b.ReportMetric(float64(src.Docs()), "docs")
	})
	b.Run("drift", func(b *testing.B) {
		for b.Loop() {
			m.Drift(src)
		}
	})
	b.Run("load", func(b *testing.B) {
		encoded := encoded(b, m)
		for b.Loop() {
			if _, err := Load(encoded); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(encoded))/(1<<20), "MB")
	})
}

func BenchmarkLarge(b *testing.B) { benchmarkSource(b, large()) }

func BenchmarkGoroot(b *testing.B) {
	benchmarkSource(b, windows(goFiles(b, "net", "os", "go", "strconv", "strings", "encoding", "runtime", "crypto", "time")))
}

func BenchmarkQuery(b *testing.B) {
	m := mustTrain(b, newCorpus(synthetic(3000, 40, 1)), Options{})
	q := []Term{{"topic1word1", 1}, {"topic1word2", 1}, {"topic7word3", 2}, {"noise4", 1}, {"unknown", 1}}
	for b.Loop() {
		m.Embed(q)
	}
}
