package retrieve

import (
	"context"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// digits finds the long numbers and digests in the prompt.
type digits struct{ *search }

// candidates raises the places of the long numbers and digests in the prompt, which are rarely
// there by accident.
func (r *digits) candidates(context.Context) {
	boost := r.nameBoost()
	for _, t := range r.terms {
		if !lexical.IsData(t.Text) {
			continue
		}
		places := r.s.Words().Having([]string{t.Text})
		share := boost
		if len(places) > manyMeanings {
			share = boost * manyMeanings / float64(len(places))
		}
		for _, c := range places[:min(len(places), poolMost)] {
			p := r.s.Chunk(c)
			r.raise(c, share*r.req.factor(p.Path, p.Language), "holds a number or digest that "+r.asker()+" names")
			r.evident(c).message = share / boost
		}
	}
}
