package retrieve

import "context"

// The boosts for a place that holds the only word of a query, and for a file of that name: more
// than all rankers together can add, and half of that.
const (
	wordBoost     = 3.0
	fileWordBoost = wordBoost / 2
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
	for _, f := range r.s.PathHaving(terms) {
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
	for _, c := range r.s.Having(terms) {
		if r.held[c] < 1 && r.keeps(r.s.FileOf(c)) {
			r.sums.add(c, wordBoost)
			r.held[c] = 1
		}
	}
}
