package retrieve

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer"
)

// Recent is a file or a symbol that the conversation was about. One of the two is set.
type Recent struct {
	Path, Symbol string
	// Earlier means that only other conversations of the workspace were about it, not this one.
	Earlier bool
	// Turn is the turn of the conversation that mentions it last, from 1; 0 when unknown.
	Turn int
}

// Focus is a file or a symbol of the workspace that the conversation is about and that raised
// candidates.
type Focus struct {
	Recent
	// File is the file's path, or that of the symbol's definition.
	File string
}

// maxFocus bounds what a result lists of the conversation's focus.
const maxFocus = 12

// focus returns the files and symbols of the conversation that the workspace has, those of the
// latest turns first.
func (t *discourse) focus() []Focus {
	var out []Focus
	for _, m := range t.req.Recent {
		f := Focus{Recent: m, File: m.Path}
		if m.Path == "" {
			defined := t.meant(m.Symbol)
			if len(defined) == 0 {
				continue
			}
			f.File = defined[0].Path
		}
		if file, ok := t.s.File(f.File); ok && t.keeps(file) && len(out) < maxFocus {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Focus) int { return cmp.Compare(b.Turn, a.Turn) })
	return out
}

// conversation finds what the conversation was about.
type conversation struct{ *search }

// candidates combines what the prompt says with what the conversation was about. The less the
// prompt determines its object, the more the conversation counts; what the prompt names itself
// stays first. A prompt that neither continues the conversation nor leaves its object open is
// answered as if there were none.
func (r *conversation) candidates(context.Context) {
	t := r.discourse
	if t == nil || r.out.Elsewhere {
		return
	}
	own, talked := t.own, t.own*recentChance+(1-t.own)*openRecentChance
	if !t.goesOn() {
		if own == 1 {
			return
		}
		own, talked = 1, asideRecentChance
	}
	r.out.Focus = t.focus()
	_, limit := r.bounds()
	r.sortCandidates()
	helps := t.best(own, talked)
	for _, c := range r.out.Candidates {
		if p, ok := helps[c.Chunk]; ok {
			lift(c, either(c.Score, p), limit)
			c.Reasons = append(c.Reasons, t.places[c.Chunk].why)
			delete(helps, c.Chunk)
		}
	}
	for _, chunk := range slices.Sorted(maps.Keys(helps)) {
		c := &item.Item{Chunk: chunk, Reasons: []string{t.places[chunk].why}}
		lift(c, helps[chunk], limit)
		r.out.Candidates = append(r.out.Candidates, c)
	}
}

// best returns the probabilities with which the best places of the discourse help. In each of its
// files one place does, with probability talked where the prompt gives nothing to choose by: the
// one that the rankers or the match put first.
func (t *discourse) best(own, talked float64) map[int]float64 {
	out := make(map[int]float64, len(t.places))
	list := slices.Sorted(maps.Keys(t.places))
	for _, c := range list {
		out[c] = t.places[c].helps(own)
	}
	scores := map[int]float64{}
	for _, c := range t.out.Candidates {
		scores[c.Chunk] = c.Score
	}
	for n, f := range t.files {
		first, end := t.s.FileChunks(f.file)
		if n == maxDiscourseNames || first == end {
			break
		}
		best, score := first, 0.0
		for c := first; c < end; c++ {
			p := either(out[c], scores[c])
			if p > score {
				best, score = c, p
			}
		}
		share := f.weight * talked
		if score == 0 {
			share *= unmatchedRecent
		}
		if t.places[best] == nil {
			t.tie(best, share, f.why)
		}
		out[best] = max(out[best], share)
	}
	list = slices.Sorted(maps.Keys(out))
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(either(out[b], scores[b]), either(out[a], scores[a])) })
	for i, c := range list {
		if i >= maxDiscoursePlaces || out[c] < minDiscourseChance {
			delete(out, c)
		}
	}
	return out
}

// either returns the probability that at least one of two independent events happens.
func either(p, q float64) float64 { return 1 - (1-p)*(1-q) }

// meant returns the definitions that a symbol may mean; none when there are too many. Its
// qualifier narrows them down.
func (t *discourse) meant(symbol string) []indexer.Symbol {
	if defined, _, _ := t.meantBy(symbol); len(defined) <= maxMeant {
		return defined
	}
	return nil
}
