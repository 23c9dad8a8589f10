package retrieve

import (
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/translate"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// withoutFolders returns the text with the paths of files that the workspace lacks reduced to their
// names: such a folder does not tell what the prompt is about, and its words match everything in
// it. A text that names many files is a log or a listing.
func (r *reading) withoutFolders(text string) string {
	const most = 4
	if len(r.req.Intent.Files) > most {
		return text
	}
	for _, name := range r.req.Intent.Files {
		wanted, _, _ := strings.Cut(name, ":")
		wanted = strings.TrimPrefix(strings.TrimPrefix(wanted, "./"), "/")
		base := path.Base(wanted)
		if base == wanted {
			continue
		}
		found := false
		r.s.Paths(func(_ int, p string) { found = found || path.Base(p) == base })
		if !found {
			text = strings.ReplaceAll(text, wanted, strings.TrimSuffix(base, path.Ext(base)))
		}
	}
	return text
}

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
func (r *reading) read(text string) (w Wording, more []translation) {
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
func (r *search) has(word string, pieces int) bool {
	return slices.ContainsFunc(lexical.Query([]byte(word)), func(t lexical.QueryTerm) bool { return r.s.Words().Count(t.Text) >= pieces })
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

// reading makes the terms of a prompt from its words.
type reading struct{ *search }

// choose sets the terms that the prompt, text, is searched for by.
func (r *reading) choose(text string) {
	read, more := r.read(r.withoutFolders(text))
	r.out.read, r.english = read, read.English
	if english := read.English; r.req.Intent.Question {
		r.terms = QuestionTerms(english)
	} else if english != text {
		r.terms = lexical.Query([]byte(english))
	}
	r.terms = weigh(r.terms, more)
	r.countWords()
	r.otherCase()
	r.respell()
}

// otherCase finds names that the query has in another case, as parts or as one word: payment_client
// and paymentclient for PaymentClient, and the reverse. A term that the workspace lacks is replaced
// by the other of the name, so that words which it has mean what they meant. The only word of a
// query is searched for with both.
func (r *reading) otherCase() {
	r.own = len(r.terms)
	only := r.req.Literal && len(strings.Fields(r.asked)) == 1
	lexical.OtherCase([]byte(r.english), func(word []byte, term, other string) {
		at := slices.IndexFunc(r.terms, func(t lexical.QueryTerm) bool { return t.Text == term })
		missing := r.s.Words().Count(term) == 0
		if at < 0 || !missing && !only || r.s.Words().Count(other) == 0 || slices.ContainsFunc(r.terms, func(t lexical.QueryTerm) bool { return t.Text == other }) {
			return
		}
		if r.recased == nil {
			r.recased = map[string]string{}
		}
		if r.recased[string(word)] = other; missing {
			r.terms[at].Text = other
		} else {
			r.terms = append(r.terms, lexical.QueryTerm{Text: other, Weight: r.terms[at].Weight})
		}
	})
}

// respell adds, for words that the workspace does not have, its words with a similar spelling: the
// word may be mistyped, or the same word in another language.
func (r *reading) respell() {
	if r.req.Mode != Hybrid || r.req.Literal && len(r.terms) == 1 {
		return
	}
	have := map[string]bool{}
	for _, t := range r.terms {
		have[t.Text] = true
	}
	added := 0
	for _, t := range r.terms {
		if added == respeltMost || functionWords[t.Text] || r.s.Words().Count(t.Text) > 0 {
			continue
		}
		if near, likeness := r.s.Words().Near(t.Text); near != "" && !have[near] {
			have[near] = true
			r.meant[near] = guessed
			r.terms = append(r.terms, lexical.QueryTerm{Text: near, Weight: t.Weight * likeness * respeltWeight})
			added++
			r.respelt += likeness
		}
	}
}

// guessed marks a term that replaces a word by its spelling: it is no evidence of what the prompt
// is about.
const guessed = -1

// countWords sums the weights of the prompt's words. Several translations of one word count once.
func (r *reading) countWords() {
	seen := map[int]bool{}
	for _, t := range r.terms {
		if word := r.meant[t.Text]; functionWords[t.Text] || word > 0 && seen[word] {
			continue
		} else if word > 0 {
			seen[word] = true
		}
		r.out.read.Words += min(1, t.Weight)
	}
}
