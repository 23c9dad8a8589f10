package embed

import (
	"context"
	"fmt"
	"testing"

	"github.com/contexture-dev/contexture/indexer/vector"
)

// task is a retrieval evaluation: queries and the document that each means.
type task struct {
	corpus  *corpus
	queries [][]Term
	answers []int
}

func newTask(fns []function) task {
	split := newSplitter()
	var t task
	var docs []map[string]int
	for i, f := range fns {
		docs = append(docs, split.terms(f.text))
		if f.query != "" {
			t.queries = append(t.queries, of(split.terms(f.query)))
			t.answers = append(t.answers, i)
		}
	}
	t.corpus = newCorpus(docs)
	return t
}

// mrr returns the mean reciprocal rank of the answers by cosine; a query without a vector scores 0.
func (t task) mrr(tb testing.TB, m *Model) float64 {
	tb.Helper()
	rows, err := m.EmbedAll(context.Background(), t.corpus, 2)
	if err != nil {
		tb.Fatal(err)
	}
	scores, query := make([]int32, t.corpus.docs), make([]int8, m.Dimensions())
	sum := 0.0
	for i, q := range t.queries {
		v := m.Embed(q)
		if v == nil {
			continue
		}
		vector.Quantize(query, v)
		vector.Dot(rows, m.Dimensions(), query, scores)
		rank := 1
		for _, s := range scores {
			if s > scores[t.answers[i]] {
				rank++
			}
		}
		sum += 1 / float64(rank)
	}
	return sum / float64(len(t.queries))
}

// BenchmarkRetrieval reports how well vectors alone find a function by its doc comment, for several
// settings; Train uses the best. The candidates are the functions of go/…, net/http, strings and
// os.
func BenchmarkRetrieval(b *testing.B) {
	t := newTask(functions(b, goFiles(b, "go", "net/http", "strings", "os")))
	for _, dims := range []int{96, 192, 384} {
		for _, how := range []recipe{{0, 0}, {0.5, 0}, {1, 0}, {0, .5}, {.5, .5}, {1, .5}, {.5, .75}, {1, .75}, {.5, 1}} {
			b.Run(fmt.Sprintf("dims=%d/column=%v/alpha=%v", dims, how.columnPower, how.singularPower), func(b *testing.B) {
				for b.Loop() {
					m, err := train(context.Background(), t.corpus, Options{Dimensions: dims, Threads: 2}.withDefaults(), how)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(t.mrr(b, m), "MRR")
				}
				b.ReportMetric(float64(len(t.queries)), "queries")
				b.ReportMetric(float64(t.corpus.docs), "docs")
			})
		}
	}
}
