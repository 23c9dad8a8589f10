package embed

import (
	"maps"
	"slices"
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

// counted is a corpus that knows its document frequencies.
type counted struct{ *corpus }

func (c counted) DocFrequencies(yield func(string, int) bool) {
	for _, term := range c.terms {
		if !yield(term, len(c.lists[term])) {
			return
		}
	}
}

// of returns a document's terms in the form that Embed takes.
func of(weights map[string]int) []Term {
	var terms []Term
	for text, w := range weights {
		terms = append(terms, Term{text, float64(min(w, 255))})
	}
	return terms
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
