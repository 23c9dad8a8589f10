package retrieve

import (
	"context"

	"github.com/contexture-dev/contexture/context/item"
)

// Place is the person's location. The zero value is none.
type Place struct {
	Path string // of the document, as in the snapshot; "" = none
	// Known means that First and Last are set: lines of the document from 0, inclusive.
	Known       bool
	First, Last int
	Selected    bool // the lines are selected; otherwise the cursor is on First
	// Name is the identifier at the cursor, and Qualifier what it is a member of: Acquire and pool
	// in pool.Acquire.
	Name, Qualifier string
}

// nearChunk is a chunk that is related to the person's location.
type nearChunk struct {
	chunk  int
	weight float64 // from 0 to 1, the largest for what the person is at
	why    string
	at     bool // the person is at it
}

// location finds what is related to the person's location.
type location struct{ *search }

// candidates combines what the prompt says with the person's location. As far as the prompt leaves
// its object open, the best candidates are what the person is at, what that calls and what calls
// it. What the prompt names itself stays first; then the location raises scores.
func (r *location) candidates(ctx context.Context) {
	if r.req.At.Path == "" && len(r.req.Near) == 0 || r.req.Mode != Hybrid || r.reckons() {
		return
	}
	sub := r.subject()
	list := r.around(ctx, sub)
	if len(list) == 0 {
		return
	}
	top, limit := r.bounds()
	if sub.own < nameShare {
		top = max(top, placeHelps)
	}
	at := make(map[int]*item.Item, len(r.out.Candidates)) // by chunk
	file, inFile := r.s.File(r.req.At.Path)
	for _, c := range r.out.Candidates {
		at[c.Chunk] = c
		if inFile && r.s.FileOf(c.Chunk) == file {
			lift(c, c.Score+sub.own*boostShare*fileWeight*top, limit)
		}
		c.Score *= sub.own + (1-sub.own)*openShare
	}
	for _, n := range list {
		score := n.weight * top * (1 - sub.own)
		if n.at {
			score = max(score, n.weight*top*atShare)
		}
		c := at[n.chunk]
		if c == nil {
			if score == 0 {
				continue
			}
			c = &item.Item{Chunk: n.chunk}
			r.out.Candidates = append(r.out.Candidates, c)
		}
		lift(c, max(c.Score+sub.own*boostShare*n.weight*top, score), limit)
		c.Near, c.Reasons = true, append([]string{n.why}, c.Reasons...)
	}
}
