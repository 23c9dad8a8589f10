package ollama_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/contexture-dev/contexture/indexer/ollama"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest/gguf"
)

// corpus returns n texts of about 60 words.
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

// BenchmarkIndexing measures texts a second through Documents, and through a bare loop of requests
// with the same texts: on a busy machine only the two of one run can be compared, so they
// alternate.
func BenchmarkIndexing(b *testing.B) {
	s := ollamatest.Start(b)
	s.Embedder(b, "nomic-embed-text", gguf.Embedder{})
	e := open(b, dial(b, s.URL))
	base, err := url.Parse(s.URL)
	if err != nil {
		b.Fatal(err)
	}
	bare := api.NewClient(base, http.DefaultClient)
	texts := corpus(256)
	var ours, loop time.Duration
	for b.Loop() {
		start := time.Now()
		if _, errs := e.Documents(b.Context(), texts); errors.Join(errs...) != nil {
			b.Fatal(errs)
		}
		ours += time.Since(start)
		start = time.Now()
		for batch := range slices.Chunk(texts, 16) {
			var input []string
			for _, t := range batch {
				input = append(input, e.Prefixes().Document+t.Body)
			}
			req := &api.EmbedRequest{Model: "nomic-embed-text", Input: input, Options: map[string]any{"num_ctx": e.Window()}}
			if _, err := bare.Embed(b.Context(), req); err != nil {
				b.Fatal(err)
			}
		}
		loop += time.Since(start)
	}
	b.ReportMetric(float64(len(texts)*b.N)/ours.Seconds(), "texts/s")
	b.ReportMetric(100*loop.Seconds()/ours.Seconds(), "%-of-bare")
}

// BenchmarkQuery measures the median time of a query when idle and during indexing.
func BenchmarkQuery(b *testing.B) {
	s := ollamatest.Start(b)
	s.Embedder(b, "nomic-embed-text", gguf.Embedder{})
	e := open(b, dial(b, s.URL))
	median := func() time.Duration {
		var took []time.Duration
		pause := time.NewTicker(25 * time.Millisecond) // indexing continues meanwhile
		defer pause.Stop()
		for range 60 {
			<-pause.C
			start := time.Now()
			if _, err := e.Query(b.Context(), "where is the password checked"); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(start))
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
