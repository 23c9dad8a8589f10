package retrieve

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/translate"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// besideKnown is the weight of an English translation of a word that the workspace has as well.
const besideKnown = .7

// translation is the term of an English word for one of another language, which it replaces or
// complements.
type translation struct {
	lexical.QueryTerm
	instead bool
}

// Wording is how a prompt is worded.
type Wording struct {
	// English is the prompt with the words of another language that the workspace does not have
	// replaced by English ones.
	English string
	Foreign bool // it is in another language
	// Strange is the share of its letters in words that are neither usual in programs nor frequent
	// in the workspace, 0 to 1.
	Strange float64
	Rarity  float64 // of the other words, see translate.Reading
	Words   float64 // terms that it is searched for by, by weight
}

// commonIn: a word is common in the workspace if at least one piece in so many has it.
const commonIn = 1000

// read reads the prompt. more holds the terms that words of another language may stand for, with
// their probabilities.
func (r *run) read(text string) (w Wording, more []translation) {
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
	r.meant = map[string]int{}
	for i, w := range reading.Words {
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
				r.meant[t.Text] = i + 1
				more = append(more, translation{lexical.QueryTerm{Text: t.Text, Weight: weight * math.Sqrt(m.Probability)}, instead})
			}
		}
	}
	if done > 0 {
		out.WriteString(text[done:])
		w.English = out.String()
	}
	return w, more
}

// has reports whether at least the given number of pieces of the workspace have a word.
func (r *run) has(word string, pieces int) bool {
	return slices.ContainsFunc(lexical.Query([]byte(word)), func(t lexical.QueryTerm) bool { return r.s.TermCount(t.Text) >= pieces })
}

// weigh sets the weights of the terms that translate words of another language to the probability
// that they mean that.
func weigh(terms []lexical.QueryTerm, more []translation) []lexical.QueryTerm {
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
