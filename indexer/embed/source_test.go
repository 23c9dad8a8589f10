package embed

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// corpus is a Source made of documents' term weights.
type corpus struct {
	docs  int
	terms []string
	lists map[string][]Posting
}

func newCorpus(docs []map[string]int) *corpus {
	c := &corpus{docs: len(docs), lists: map[string][]Posting{}}
	for d, weights := range docs {
		for term, w := range weights {
			c.lists[term] = append(c.lists[term], Posting{uint32(d), uint8(min(w, 255))})
		}
	}
	c.terms = slices.Sorted(maps.Keys(c.lists))
	return c
}

func (c *corpus) Docs() int { return c.docs }

func (c *corpus) Terms(yield func(string, func([]Posting) []Posting) bool) {
	for _, term := range c.terms {
		list := c.lists[term]
		if !yield(term, func(buf []Posting) []Posting { return append(buf, list...) }) {
			return
		}
	}
}

// of returns a document's terms in the form that Embed takes.
func of(weights map[string]int) []lexical.QueryTerm {
	var terms []lexical.QueryTerm
	for text, w := range weights {
		terms = append(terms, lexical.QueryTerm{Text: text, Weight: float64(min(w, 255))})
	}
	return terms
}

// random returns documents about topics: each topic prefers some words, and there is noise.
func random(docs, topics int, seed uint64) []map[string]int {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]map[string]int, docs)
	for d := range out {
		out[d] = map[string]int{}
		for range 20 {
			out[d][fmt.Sprintf("topic%dword%d", d%topics, r.IntN(12))]++
		}
		for range 10 {
			out[d][fmt.Sprintf("noise%d", r.IntN(300))]++
		}
	}
	return out
}

// tableOf returns a table with a random vector for each term of c.
func tableOf(t testing.TB, c *corpus, dims int) *Table {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	vectors := make([]float32, len(c.terms)*dims)
	for i := range vectors {
		vectors[i] = float32(r.NormFloat64())
	}
	table, err := New(c.terms, vectors, dims)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func BenchmarkEmbed(b *testing.B) {
	c := newCorpus(random(10_000, 40, 1))
	table := tableOf(b, c, 192)
	b.Run("query", func(b *testing.B) {
		q := []lexical.QueryTerm{{Text: "topic1word1", Weight: 1}, {Text: "topic1word2", Weight: 1}, {Text: "topic7word3", Weight: 2}, {Text: "noise4", Weight: 1}, {Text: "unknown", Weight: 1}}
		for b.Loop() {
			table.Embed(q)
		}
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			if _, err := table.EmbedAll(b.Context(), c, 1, nil); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(c.docs), "docs")
	})
}
