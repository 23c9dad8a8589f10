package retrieve

import (
	"context"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
)

// exactNames finds the definitions of the prompt's identifiers.
type exactNames struct{ *search }

func (r *exactNames) candidates(context.Context) {
	boost := r.nameBoost()
	for _, name := range r.req.Intent.Identifiers {
		r.definition(name, boost)
		r.mentioned(name[strings.LastIndexAny(name, ".:#")+1:], 1)
	}
}

// definition raises the definitions that a name may mean.
func (r *exactNames) definition(name string, boost float64) {
	defs, last, container := r.meantBy(name)
	if len(defs) == 0 {
		return
	}
	share := 1.0
	if len(defs) > manyMeanings {
		share = manyMeanings / float64(len(defs))
	}
	meant := r.meantHere(last, container)
	for _, d := range defs {
		sure := share
		if slices.Contains(meant, d) {
			sure = 1
		}
		if c, ok := r.s.ChunkAt(d.File, d.Line); ok {
			r.raise(c, boost*sure*r.req.factor(d.Path, r.s.Language(d.File)), "defines "+name+", which "+r.asker()+" names")
			r.evident(c).defines = max(r.evident(c).defines, sure)
			r.named = max(r.named, sure)
		}
	}
}

// meantHere returns the definitions that a name means in the person's document; none without a
// document.
func (r *exactNames) meantHere(name, container string) []indexer.Symbol {
	file, ok := r.s.File(r.req.At.Path)
	if !ok {
		return nil
	}
	return r.resolve(name, container, file)
}
