package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
)

// oneWord finds what holds the only word of a query.
type oneWord struct{ *search }

// candidates puts what holds the only word of the query before everything else, and the files of
// that name right behind it.
func (r *oneWord) candidates(context.Context) {
	terms := make([]string, r.own)
	for i, t := range r.terms[:r.own] {
		terms[i] = t.Text
	}
	r.held = map[int]float64{}
	r.holding(terms)
	for _, other := range r.recased {
		r.holding([]string{other})
	}
}

// holding raises what holds all terms, and the files with all of them in their names.
func (r *oneWord) holding(terms []string) {
	for _, f := range r.s.Words().PathHaving(terms) {
		if first, end := r.s.FileChunks(f); first < end && r.keeps(f) {
			top := first
			for c := first; c < end; c++ {
				if r.sums.at(c) > r.sums.at(top) {
					top = c
				}
			}
			if r.held[top] == 0 {
				r.sums.add(top, fileWordBoost)
				r.held[top] = fileWordBoost / wordBoost
			}
		}
	}
	for _, c := range r.s.Words().Having(terms) {
		if r.held[c] < 1 && r.keeps(r.s.FileOf(c)) {
			r.sums.add(c, wordBoost)
			r.held[c] = 1
		}
	}
}

// definitionsFirst puts what defines exactly the only word of a query before everything else, since
// who types a name wants to see it; of a name with many meanings only the best definition.
func (r *search) definitionsFirst() {
	if len(strings.Fields(r.asked)) != 1 || len(r.out.Candidates) == 0 {
		return
	}
	found := r.exactDefinitions()
	if len(found) >= manyMeanings {
		found = found[:1]
	}
	top := r.out.Candidates[0].Score
	for _, c := range found {
		c.Score, c.Named = max(c.Score, top), true
		r.out.Candidates = slices.DeleteFunc(r.out.Candidates, func(o *item.Item) bool { return o.Chunk == c.Chunk })
	}
	r.out.Candidates = append(found, r.out.Candidates...)
}

// exactDefinitions returns the places that define the only word of a query: functions and types
// before fields and variables, code before its tests, and then by score.
func (r *search) exactDefinitions() (found []*item.Item) {
	const most = 1000 // more are of no use to anybody
	rank := map[int]int{}
	for _, y := range r.s.Symbols().Definitions(r.asked, most) {
		chunk, ok := r.s.ChunkAt(y.File, y.Line)
		if !ok || !r.keeps(y.File) {
			continue
		}
		n := 0
		if IsTest(y.Path) {
			n++
		}
		if !IsCallable(y) && !isType(y) {
			n += 2
		}
		if known, ok := rank[chunk]; !ok || n < known {
			rank[chunk] = n
		}
	}
	for _, c := range r.out.Candidates {
		if _, ok := rank[c.Chunk]; ok {
			found = append(found, c)
		}
	}
	listed := len(found)
	for chunk := range rank {
		if !slices.ContainsFunc(found[:listed], func(c *item.Item) bool { return c.Chunk == chunk }) {
			found = append(found, &item.Item{Chunk: chunk, Reasons: []string{"defines " + r.asked}})
		}
	}
	slices.SortStableFunc(found, func(a, b *item.Item) int {
		return cmp.Or(rank[a.Chunk]-rank[b.Chunk], cmp.Compare(b.Score, a.Score), cmp.Compare(r.sums.at(b.Chunk), r.sums.at(a.Chunk)), a.Chunk-b.Chunk)
	})
	return found
}
