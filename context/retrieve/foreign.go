package retrieve

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

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

// Wording is how a prompt is worded.
type Wording struct {
	// English is the prompt with English words in the place of those of another language that the
	// workspace does not have.
	English string
	Foreign bool // it is in another language
	// Strange is the share of its letters in words that neither programs say nor the workspace
	// often has, 0 to 1.
	Strange float64
	Rarity  float64 // of the others, see translate.Reading
}

// commonIn is the share of the workspace's pieces, one in so many, that have a word which is common
// there.
const commonIn = 1000

// read reads the prompt. more are the terms that words of another language may stand for, by how
// probable that is.
func (r *run) read(text string) (w Wording, more []standIn) {
	w.English = text
	if r.req.Mode != Hybrid && r.req.Mode != Semantic || r.req.Literal && len(r.terms) == 1 {
		return w, nil
	}
	reading := translate.Read(text)
	w.Foreign, w.Strange, w.Rarity = reading.Language != translate.English, reading.Strange, reading.Rarity
	for _, at := range reading.Unsaid {
		if word := text[at[0]:at[1]]; r.has(word, max(1, r.s.LiveChunks()/commonIn)) {
			w.Strange = max(0, w.Strange-float64(utf8.RuneCountInString(word))/float64(reading.Letters))
		}
	}
	var out strings.Builder
	done := 0
	for _, w := range reading.Words {
		weight, instead := 1.0, true
		if r.has(text[w.Start:w.End], 1) {
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
	if done > 0 {
		out.WriteString(text[done:])
		w.English = out.String()
	}
	return w, more
}

// has reports whether so many pieces of the workspace have a word.
func (r *run) has(word string, pieces int) bool {
	return slices.ContainsFunc(lexical.Query([]byte(word)), func(t lexical.QueryTerm) bool { return r.s.TermCount(t.Text) >= pieces })
}

// weigh lets the terms that stand in for words of another language count as much as they probably
// mean that.
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
