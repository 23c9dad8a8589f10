package retrieve

import (
	"cmp"
	"math"
	"slices"

	"github.com/contexture-dev/contexture/context/item"
)

// raise adds to a chunk's score and records the reason.
func (r *search) raise(chunk int, by float64, why string) {
	for _, c := range r.out.Candidates {
		if c.Chunk == chunk {
			if len(c.Reasons) == 0 || c.Reasons[0] != why {
				c.Score += by
				c.Reasons = append([]string{why}, c.Reasons...)
			}
			c.Named = true
			return
		}
	}
	p := r.s.Chunk(chunk)
	if r.req.Keep != nil && !r.req.Keep(p.Path, p.Language) {
		return
	}
	r.out.Candidates = append(r.out.Candidates, &item.Item{Chunk: chunk, Score: by, Reasons: []string{why}, Named: true})
}

// evidence holds what a prompt names in a chunk, each value from 0 to 1.
type evidence struct {
	defines, word, named, pointed, message, mentions float64

	answers float64 // how surely it is what the prompt asks for, see related
	why     string
	lines   []int // where the prompt points or what it asks for is
}

func (r *search) evident(chunk int) *evidence {
	if r.evidence == nil {
		r.evidence = map[int]*evidence{}
	}
	e := r.evidence[chunk]
	if e == nil {
		e = &evidence{}
		r.evidence[chunk] = e
	}
	return e
}

// known returns the evidence of a chunk, which must not be changed; empty without any.
func (r *search) known(chunk int) *evidence {
	if e := r.evidence[chunk]; e != nil {
		return e
	}
	return &noEvidence
}

var noEvidence evidence

// alternate lowers the further pieces of each file, because a person who searches wants the next
// place, not the rest of this one. What answers a prompt is not lowered: of two callers in a file
// both are wanted.
func (r *search) alternate() {
	pieces := map[int]int{}
	for _, c := range r.out.Candidates {
		if e := r.evidence[c.Chunk]; e != nil && e.answers > 0 {
			continue
		}
		file := r.s.FileOf(c.Chunk)
		c.Score *= math.Pow(furtherPiece, float64(pieces[file]))
		pieces[file]++
	}
	r.sortCandidates()
}

// dropFaint removes what has no word of the query, is not named by it and hardly ever helps: in a
// small workspace something is always nearest in meaning.
func (r *search) dropFaint() {
	r.out.Candidates = slices.DeleteFunc(r.out.Candidates, func(c *item.Item) bool {
		return c.Score < leastListed && !c.Named && r.evidence[c.Chunk] == nil && part(r.words.Doc, c.Chunk, r.top.chunk) == 0
	})
}

// sortCandidates sorts the candidates by their scores, the best first, and leaves equal ones in
// their order.
func (r *search) sortCandidates() {
	slices.SortStableFunc(r.out.Candidates, func(a, b *item.Item) int { return cmp.Compare(b.Score, a.Score) })
}

// bounds returns the best score, 1 where there is none, and the best score of what the prompt names
// without doubt, above which the location raises nothing.
func (r *search) bounds() (top, limit float64) {
	named := 0.0
	for _, c := range r.out.Candidates {
		top = max(top, c.Score)
		if c.Named {
			named = max(named, c.Score)
		}
	}
	if top == 0 {
		top = 1
	}
	if r.named < 1 || named == 0 {
		return top, math.Inf(1)
	}
	return top, named
}

// lift raises a candidate's score; one that the prompt does not name stays below the limit.
func lift(c *item.Item, score, limit float64) {
	if !c.Named {
		score = max(c.Score, min(score, limit*belowNamed))
	}
	c.Score = score
}

// join makes a chunk a candidate with its current score.
func (r *search) join(chunk int) {
	if !slices.ContainsFunc(r.out.Candidates, func(c *item.Item) bool { return c.Chunk == chunk }) {
		r.out.Candidates = append(r.out.Candidates, &item.Item{Chunk: chunk, Score: float64(r.sums.at(chunk))})
	}
}
