package remember

import (
	"cmp"
	"context"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// question holds the words of a prompt, weighed by how rare they are in the workspace's memory.
type question struct {
	view  *memory.View
	text  string // the rarest of its words, for the search
	words []promptWord
	total float64 // sum of the words' weights
	known float64 // sum of the weights of words that memory has at all
	least float64 // smallest weight of a turn whose words do not match by chance
	past  bool    // the prompt asks for what was said or decided
	asks  bool    // the prompt is a question
}

// promptWord is one word of a prompt, with its terms; a compound name has several.
type promptWord struct {
	text   string
	terms  []string
	weight float64
	// rarity is how rare the word is in everyday talk about work, 0 to 1: a name has 1 however
	// often it was said here.
	rarity float64
	// cut means that the word was cut out of a script without spaces, where some cuts span two
	// words.
	cut bool
	// open means that the word says which of a subject's properties a question wants, like "date"
	// and "tool". It was never said, and the answer need not contain it.
	open bool
}

// newQuestion returns the topical words of a prompt; nil when it has none.
func newQuestion(ctx context.Context, v *memory.View, s intent.Signals) (*question, error) {
	q := &question{view: v, past: s.Hints["decision"]+s.Hints["episode"] >= pastAt, asks: s.Question}
	seen := map[string]bool{}
	var all []string
	add := func(text string) {
		var terms []string
		fresh := false
		v.Messages.Terms(text, func(term string) {
			terms = append(terms, term)
			fresh = fresh || !seen[term]
			seen[term] = true
		})
		if !fresh || len(q.words) == maxAsked {
			return
		}
		q.words = append(q.words, promptWord{text: text, terms: terms, rarity: utterance.Rarity(text)})
		all = append(all, terms...)
	}
	for _, id := range s.Identifiers {
		add(id)
	}
	for _, f := range s.Files {
		base := path.Base(f)
		add(strings.TrimSuffix(base, path.Ext(base)))
	}
	for _, k := range s.Keywords {
		if first, _ := utf8.DecodeRuneInString(k); unspaced(first) {
			n := len(q.words)
			v.Messages.Terms(k, add)
			for i := range q.words[n:] {
				q.words[n+i].cut = true
			}
			continue
		}
		add(k)
	}
	if len(q.words) == 0 {
		return nil, nil
	}
	messages, counts, err := v.Messages.Count(ctx, all)
	if err != nil {
		return nil, err
	}
	q.weigh(max(messages, fewMessages), counts)
	q.choose()
	return q, nil
}

// unspaced reports whether a character belongs to a script without spaces.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// hopeless reports whether no turn can be relevant: too little of the prompt was ever said.
func (q *question) hopeless() bool { return q.known < q.least || q.known < least*q.whole() }

// whole returns the weight of the part of the prompt that a turn can contain. The words that ask
// for what was said need not have been said, so half of the prompt is enough there.
func (q *question) whole() float64 {
	if q.past {
		return max(q.known, q.total/2)
	}
	return q.total
}

// choose selects the words for the search.
func (q *question) choose() {
	sorted := slices.SortedStableFunc(slices.Values(q.words), func(a, b promptWord) int { return cmp.Compare(b.weight, a.weight) })
	var texts []string
	for _, w := range sorted[:min(maxSearched, len(sorted))] {
		if w.weight >= searchedShare*sorted[0].weight {
			texts = append(texts, w.text)
		}
	}
	q.text = strings.Join(texts, " ")
}

// weigh sets the weight of each word to that of its rarest term, as in BM25.
func (q *question) weigh(messages float64, counts []float64) {
	q.least = chance * math.Log(messages)
	at := 0
	for i := range q.words {
		w := &q.words[i]
		missing := false
		for range w.terms {
			missing = missing || counts[at] == 0
			n := min(messages, counts[at])
			w.weight = max(w.weight, math.Log(1+(messages-n+.5)/(n+.5)))
			at++
		}
		w.open = q.asks && missing && !w.cut && w.rarity < subjectAt
		switch {
		case missing && w.cut, w.open:
			w.weight = 0
		case !missing && w.rarity >= q.nameAt():
			w.weight = max(w.weight, q.least)
		}
		q.total += w.weight
		if !missing {
			q.known += w.weight
		}
	}
	needed := q.needed()
	if len(needed) == 1 && (needed[0].rarity >= topicAt || q.asks && needed[0].rarity >= askedAt) {
		q.least = min(q.least, q.total)
	}
}

// needed returns the words that are not open.
func (q *question) needed() (out []promptWord) {
	for _, w := range q.words {
		if !w.open {
			out = append(out, w)
		}
	}
	return out
}

func (q *question) nameAt() float64 {
	if q.past {
		return topicAt
	}
	return nameAt
}

func (q *question) alone() float64 {
	if q.past {
		return aloneOfPast
	}
	return alone
}

// relevance returns how much of the prompt's topic a turn covers, 0 to 1: the weights of the
// prompt's words in a message of the turn, reduced if the message is long and has a word once.
// Results of tools do not count.
func (q *question) relevance(t dialogue.Turn) float64 {
	best := make([]float64, len(q.words))
	for _, m := range t.Messages {
		if m.Role != dialogue.Tool {
			q.read(m, best)
		}
	}
	held, sum, full := 0, 0.0, 0.0
	for i, b := range best {
		if w := q.words[i]; b > 0 {
			held++
			full += w.weight
			if w.rarity >= q.nameAt() && w.weight >= q.alone()*q.total {
				held = minWords
			}
		}
		sum += b * q.words[i].weight
	}
	if held < min(minWords, len(q.needed())) || full < q.least {
		return 0
	}
	return min(1, sum/q.whole())
}

// maxRead bounds the bytes that are read of a message.
const maxRead = 16 << 10

// read updates, for each word, how strongly a message contains it, 0 to 1.
func (q *question) read(m dialogue.Message, best []float64) {
	times, length := map[string]int{}, 0
	count := func(term string) {
		times[term]++
		length++
	}
	q.view.Messages.Terms(strings.ToValidUTF8(m.Content[:min(maxRead, len(m.Content))], ""), count)
	for _, s := range m.Symbols {
		q.view.Messages.Terms(s, count)
	}
	for _, u := range m.URIs {
		q.view.Messages.Terms(path.Base(u), count)
	}
	for i, w := range q.words {
		said := len(m.Content)
		for _, term := range w.terms {
			said = min(said, times[term])
		}
		if said > 0 {
			tf := float64(said)
			best[i] = max(best[i], min(1, (1+halfSaid)*tf/(tf+halfSaid*max(1, float64(length)/usualLength))))
		}
	}
}
