package embed

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Below these limits there is nothing to learn: two documents share no context with a third.
const (
	minDocs       = 4
	minTerms      = 8
	maxTerms      = 1 << 20
	maxDimensions = 1024
)

// checkEvery is the number of terms read between two checks of the context.
const checkEvery = 1024

// bounds returns the range of document frequencies of terms that distinguish documents: a rarer
// term relates nothing, a more common one carries no information. Both bounds are relaxed for a
// small corpus.
func bounds(docs int) (lowest, highest int) {
	lowest = 3
	if docs < 1000 {
		lowest = 2
	}
	return lowest, max(docs/5, min(docs/2, 100))
}

// information returns a term's information by its document frequency, in nats: −log of the share of
// documents.
func information(docs, df int) float64 { return math.Log(float64(docs) / float64(df)) }

// frequency returns the damped weight of a term within one document.
func frequency(weight float64) float64 { return math.Log1p(weight) }

// frequencies holds frequency for every possible weight of a posting.
var frequencies = func() (table [256]float64) {
	for w := range table {
		table[w] = frequency(float64(w))
	}
	return table
}()

// candidate is a term that may become part of the model.
type candidate struct {
	text   string
	docs   int     // documents that contain it
	global float64 // weight over all documents
	worth  float64 // the key of the selection: the squared length of its row of the matrix
	sample int     // postings in the sample
}

// selection is the vocabulary of a model, in ascending byte order.
type selection struct {
	terms   []candidate
	entries int     // postings of all terms in the sample
	missing float64 // share of the eligible terms' mass that exceeded the limit
}

// selectTerms reads the corpus once and chooses the terms.
func selectTerms(ctx context.Context, src Source, spread sampling, limit int) (selection, error) {
	docs := src.Docs()
	lowest, highest := bounds(docs)
	var (
		all    []candidate
		buf    []Posting
		err    error
		n      int
		total  float64
		chosen selection
	)
	src.Terms(func(term string, postings func([]Posting) []Posting) bool {
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return false
		}
		buf = postings(buf[:0])
		if len(buf) < lowest || len(buf) > highest {
			return true
		}
		c := candidate{docs: len(buf), global: information(docs, len(buf))}
		for _, p := range buf {
			if int(p.Doc) >= docs {
				err = fmt.Errorf("embed: term %q has document %d of %d", term, p.Doc, docs)
				return false
			}
			f := frequencies[p.Weight] * c.global
			c.worth += f * f
			if spread.has(p.Doc) {
				c.sample++
			}
		}
		total += mass(docs, len(buf))
		if c.sample > 0 && c.worth > 0 {
			c.text = strings.Clone(term)
			all = append(all, c)
		}
		return true
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return chosen, err
	}
	if len(all) > limit {
		slices.SortFunc(all, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.worth, a.worth), strings.Compare(a.text, b.text))
		})
		all = slices.Clone(all[:limit])
		slices.SortFunc(all, func(a, b candidate) int { return strings.Compare(a.text, b.text) })
	}
	chosen.terms = all
	known := 0.0
	for _, c := range all {
		chosen.entries += c.sample
		known += mass(docs, c.docs)
	}
	if total > 0 {
		chosen.missing = max(0, 1-known/total)
	}
	return chosen, nil
}

// mass returns a term's share of the corpus by document frequency alone, so that it can be computed
// without reading postings.
func mass(docs, df int) float64 { return float64(df) * information(docs, df) }

// sampling spreads a sample evenly over the documents.
type sampling struct{ docs, sample uint64 }

func newSampling(docs, limit int) sampling {
	return sampling{docs: uint64(docs), sample: uint64(min(docs, limit))}
}

// has reports whether the document is in the sample: it is if doc·sample/docs steps to a new
// number.
func (s sampling) has(doc uint32) bool {
	return s.sample == s.docs || uint64(doc)*s.sample%s.docs < s.sample
}

// column returns the number of a sampled document within the sample.
func (s sampling) column(doc uint32) uint32 { return uint32(uint64(doc) * s.sample / s.docs) }
