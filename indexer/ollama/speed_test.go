package ollama_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/ollama"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest/gguf"
)

// corpus is n texts of about 60 words.
func corpus(n int) []ollama.Text {
	r := rand.New(rand.NewPCG(1, 2))
	var words []string
	for _, group := range gguf.Programming {
		words = append(words, group...)
	}
	texts := make([]ollama.Text, n)
	for i := range texts {
		var b strings.Builder
		for range 60 {
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
		texts[i].Body = fmt.Sprint(b.String(), i)
	}
	return texts
}

// BenchmarkIndexing is texts a second through Documents.
func BenchmarkIndexing(b *testing.B) {
	s := ollamatest.Start(b)
	s.Embedder(b, "nomic-embed-text", gguf.Embedder{})
	e := open(b, dial(b, s.URL))
	texts := corpus(256)
	for b.Loop() {
		if _, errs := e.Documents(b.Context(), texts); errs[0] != nil {
			b.Fatal(errs[0])
		}
	}
	b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "texts/s")
}

// BenchmarkQuery is the median time of a query when idle and while indexing runs.
func BenchmarkQuery(b *testing.B) {
	s := ollamatest.Start(b)
	s.Embedder(b, "nomic-embed-text", gguf.Embedder{})
	e := open(b, dial(b, s.URL))
	median := func() time.Duration {
		var took []time.Duration
		for range 60 {
			start := time.Now()
			if _, err := e.Query(b.Context(), "where is the password checked"); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(start))
			time.Sleep(20 * time.Millisecond) // a person's pause, during which indexing goes on
		}
		slices.Sort(took)
		return took[len(took)/2]
	}
	for b.Loop() {
		idle := median()
		stop := make(chan struct{})
		var work sync.WaitGroup
		work.Go(func() {
			for texts := corpus(64); ; {
				select {
				case <-stop:
					return
				default:
					e.Documents(b.Context(), texts)
				}
			}
		})
		busy := median()
		close(stop)
		work.Wait()
		b.ReportMetric(float64(idle.Microseconds())/1000, "idle-ms")
		b.ReportMetric(float64(busy.Microseconds())/1000, "busy-ms")
	}
}
