package retrieve

import (
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/translate"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// besideKnown is what an English word counts whose other one the workspace knows as well.
const besideKnown = .7

// standIn is a term of an English word for one of another language: instead of it, or beside it.
type standIn struct {
	lexical.QueryTerm
	instead bool
}

// inEnglish gives the text with English words in the place of those of another language that the workspace does not have,
// and the terms that words of another language may stand for, by how probable that is.
func (r *run) inEnglish(text string) (english string, more []standIn) {
	if r.req.Mode != Hybrid && r.req.Mode != Semantic || r.req.Literal && len(r.terms) == 1 {
		return text, nil
	}
	var out strings.Builder
	done := 0
	for _, w := range translate.Read(text).Words {
		weight, instead := 1.0, true
		if r.knows(text[w.Start:w.End]) {
			weight, instead = besideKnown, false
		} else {
			out.WriteString(text[done:w.Start])
			out.WriteString(" " + w.Means[0].Word + " ")
			done = w.End
			r.respelt += w.Means[0].Probability
		}
		for _, m := range w.Means {
			for _, t := range lexical.Query([]byte(m.Word)) {
				more = append(more, standIn{lexical.QueryTerm{Text: t.Text, Weight: weight * math.Sqrt(m.Probability)}, instead})
			}
		}
	}
	if done == 0 {
		return text, more
	}
	out.WriteString(text[done:])
	return out.String(), more
}

// knows reports whether the workspace has a word.
func (r *run) knows(word string) bool {
	return slices.ContainsFunc(lexical.Query([]byte(word)), func(t lexical.QueryTerm) bool { return r.s.TermCount(t.Text) > 0 })
}

// weigh lets the terms that stand in for words of another language count as much as they probably mean that.
func weigh(terms []lexical.QueryTerm, more []standIn) []lexical.QueryTerm {
	for _, m := range more {
		if i := slices.IndexFunc(terms, func(t lexical.QueryTerm) bool { return t.Text == m.Text }); i >= 0 {
			if m.instead {
				terms[i].Weight = min(terms[i].Weight, m.Weight)
			}
		} else {
			terms = append(terms, m.QueryTerm)
		}
	}
	return terms
}
