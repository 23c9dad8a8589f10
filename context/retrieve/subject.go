package retrieve

import (
	"path"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// subject describes how far a prompt itself determines what it is about.
type subject struct {
	// own is from 0, where the prompt leaves open what in the workspace it means, to 1, where it
	// names it.
	own float64
	// elsewhere means that the prompt is about things that the workspace does not have.
	elsewhere bool
}

// kindWords are the terms that name a kind of thing or relation and not a particular one: the kinds
// that the index and the classes of files distinguish.
var kindWords = func() map[string]bool {
	out := map[string]bool{}
	lexical.Terms([]byte(`code file folder directory package module program project repository
		line lines block section paragraph function functions method class type types struct interface
		enum constant const variable var field macro constructor property trait service message symbol
		identifier definition statement expression selection call caller use usage reference
		test unit doc docs documentation comment example`), func(t string) { out[t] = true })
	return out
}()

// subject measures how far the prompt determines its object in this workspace. What it names
// exactly is its object; otherwise it depends on whether the best places have its words in names or
// only in text.
func (r *search) subject() subject {
	if r.named == 1 {
		return subject{own: 1}
	}
	return r.subjectOf(r.topicTerms())
}

// subjectOf is subject for callers that have the topic's terms already.
func (r *search) subjectOf(terms []topicTerm, words, strange int) subject {
	if r.named == 1 {
		return subject{own: 1}
	}
	out := subject{own: max(r.named, (float64(words)-fewWords)*wordShare), elsewhere: r.isElsewhere(strange)}
	if len(r.req.Intent.Identifiers) > 0 {
		out.own = max(out.own, nameShare)
	}
	best := 0.0
	for _, c := range r.out.Candidates[:min(subjectPool, len(r.out.Candidates))] {
		best = max(best, r.tells(c.Chunk, terms))
	}
	out.own = min(1, max(out.own, (best-minOwn)/(fullOwn-minOwn)))
	return out
}

// topicTerm is a term of the prompt's topic that the workspace has.
type topicTerm struct {
	text   string
	rarity float64      // from 0, in every chunk, to 1, in one
	in     map[int]bool // the best candidates that contain it
}

// topicTerms returns the terms of the prompt's topic that the workspace has, the number of the
// topic's words, and how many of them the workspace does not have. The verb of an order and words
// for kinds of things are not part of a topic.
func (r *search) topicTerms() (terms []topicTerm, words, strange int) {
	pool := map[int]bool{}
	for _, c := range r.out.Candidates[:min(subjectPool, len(r.out.Candidates))] {
		pool[c.Chunk] = true
	}
	for _, word := range r.req.Intent.Keywords {
		if word == r.req.Intent.Order {
			continue
		}
		known, kind := false, true
		lexical.Terms([]byte(word), func(text string) {
			n := 0
			t := topicTerm{text: text, in: map[int]bool{}}
			r.s.Words().Chunks(text, func(c int) bool {
				n++
				if pool[c] {
					t.in[c] = true
				}
				return true
			})
			known = known || n > 0 || kindWords[text]
			kind = kind && kindWords[text]
			if n > 0 && !kindWords[text] && !slices.ContainsFunc(terms, func(o topicTerm) bool { return o.text == text }) {
				t.rarity = lexical.Rarity(r.s.LiveChunks(), n)
				terms = append(terms, t)
			}
		})
		if !known {
			strange++
		}
		if !kind {
			words++
		}
	}
	return terms, words, strange
}

// tells sums the weights of the prompt's words in a chunk.
func (r *search) tells(chunk int, terms []topicTerm) float64 {
	k := r.chunk(chunk)
	whole, part := map[string]bool{}, map[string]bool{}
	name := func(text string) {
		last, n := "", 0
		lexical.Terms([]byte(text), func(term string) {
			part[term], last = true, term
			n++
		})
		if n == 1 {
			whole[last] = true
		}
	}
	for _, s := range k.Symbols {
		name(s)
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(k.Path, path.Ext(k.Path)), "/") {
		name(part)
	}
	sum := 0.0
	for _, t := range terms {
		switch {
		case whole[t.text]:
			sum += wholeName + nameRarity*t.rarity
		case part[t.text]:
			sum += partName + nameRarity*t.rarity
		case t.in[chunk]:
			sum += textRarity * t.rarity
		}
	}
	return sum * r.req.factor(k.Path, k.Language)
}

// isElsewhere reports whether a prompt with the given number of unknown words is about something
// else.
func (r *search) isElsewhere(strange int) bool {
	words := len(strings.Fields(r.asked))
	return strange >= strangeWords && float64(strange) <= strangeShare*float64(words)
}

// reckons reports whether a prompt has numbers that the workspace lacks and no other topic.
func (r *search) reckons() bool {
	if len(r.req.Intent.Keywords)+len(r.req.Intent.Identifiers) > 0 {
		return false
	}
	numbers := strings.FieldsFunc(r.asked, func(c rune) bool { return c < '0' || c > '9' })
	return slices.ContainsFunc(numbers, func(number string) bool {
		return len(number) > 1 && r.s.Words().Count(number) == 0
	})
}
