package retrieve

import (
	"slices"
	"strings"
)

// locates reports whether the prompt points at places, by a line number or by a message that they
// hold, and says little besides.
func (r *judgement) locates() bool {
	const sure = .5 // share of a message
	for _, e := range r.evidence {
		if e.pointed > 0 || e.message >= sure && len(r.req.Intent.Errors) > 0 {
			return r.topicBesides() <= fewWords
		}
	}
	return false
}

// topicBesides counts the words of the prompt's topic that are in none of its messages, paths and
// frames.
func (r *judgement) topicBesides() (n int) {
	i := &r.req.Intent
	pasted := slices.Concat(i.Errors, i.Files)
	for _, f := range i.Frames {
		pasted = append(pasted, f.File, f.Function)
	}
	all := strings.ToLower(strings.Join(pasted, "\n"))
	for _, w := range i.Keywords {
		if !strings.Contains(all, w) {
			n++
		}
	}
	return n
}
