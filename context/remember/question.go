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

// question is what a prompt is about, weighed by how rare its words are in the workspace's memory.
type question struct {
	view  *memory.View
	text  string // the rarest of its words, to be searched
	words []asked
	total float64 // of the words' weights
	known float64 // of the weights of those that memory has at all
	least float64 // of weights that a turn must hold, for its words not to have met by chance
	past  bool    // the prompt asks for what was said or settled
}

// asked is one word of a prompt: its terms, which are several for a compound name.
type asked struct {
	text   string
	terms  []string
	weight float64
	// rarity is how rare the word is in everyday talk about work, 0 to 1: a name is at 1 however
	// often it was said here.
	rarity float64
	// cut says that the word was cut out of a script without spaces, where some cuts lie across two
	// words.
	cut bool
}

const (
	// maxAsked bounds the words of a prompt that are weighed, maxSearched those of them that are
	// searched: the rarest, and none that weighs less than searchedShare of the rarest.
	maxAsked, maxSearched, searchedShare = 24, 8, .2
	// fewMessages is the number of messages below which how rare a word is cannot be told from
	// them.
	fewMessages = 60
	// usualLength is a message's length in terms at which a word of it says about as much as it can
	// say; half that weighs a word's first mention in it (the k1 of BM25).
	usualLength, halfSaid = 150, .35
	// leastWords is how many of several words a turn must hold.
	leastWords = 2
	// chance is the share of the logarithm of the number of messages that the words of a turn must
	// weigh. Words that stand in shares p of n messages meet by chance in n·Πp of them, and a
	// weight is about −log p: at 1 one message would hold them all by chance.
	chance = .85
	// nameAt and topicAt are the rarity in everyday talk from which a word is a name, which tells a
	// topic by itself, and from which it is the topic of a prompt that holds no other.
	nameAt, topicAt = .97, .7
	// alone is the share of the prompt from which one name is enough, aloneOfPast the same of a
	// prompt that asks for what was said, whose other words ask.
	alone, aloneOfPast = .45, .2
	// pastAt is the weight of hints at decisions and episodes from which a prompt asks for what was
	// said.
	pastAt = .5
)

// newQuestion reads the words of a prompt that tell its topic; nil where it has none.
func newQuestion(ctx context.Context, v *memory.View, s intent.Signals) (*question, error) {
	q := &question{view: v, past: s.Hints["decision"]+s.Hints["episode"] >= pastAt}
	seen := map[string]bool{}
	var all []string
	add := func(text string) {
		var terms []string
		fresh := false
		v.Terms(text, func(term string) {
			terms = append(terms, term)
			fresh = fresh || !seen[term]
			seen[term] = true
		})
		if !fresh || len(q.words) == maxAsked {
			return
		}
		q.words = append(q.words, asked{text: text, terms: terms, rarity: utterance.Rarity(text)})
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
			v.Terms(k, add)
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
	messages, counts, err := v.Count(ctx, all)
	if err != nil {
		return nil, err
	}
	q.weigh(max(messages, fewMessages), counts)
	q.choose()
	return q, nil
}

// unspaced reports whether a character is of a script that is written without spaces.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// hopeless reports that no turn can be relevant: too little of the prompt was ever said.
func (q *question) hopeless() bool { return q.known < q.least || q.known < least*q.whole() }

// whole is the weight of what a turn could hold of the prompt. The words that ask for what was said
// need not have been said, so half of the prompt is enough there.
func (q *question) whole() float64 {
	if q.past {
		return max(q.known, q.total/2)
	}
	return q.total
}

// choose takes the words to be searched.
func (q *question) choose() {
	sorted := slices.SortedStableFunc(slices.Values(q.words), func(a, b asked) int { return cmp.Compare(b.weight, a.weight) })
	var texts []string
	for _, w := range sorted[:min(maxSearched, len(sorted))] {
		if w.weight >= searchedShare*sorted[0].weight {
			texts = append(texts, w.text)
		}
	}
	q.text = strings.Join(texts, " ")
}

// weigh gives each word the weight of its rarest term, as BM25 does.
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
		switch {
		case missing && w.cut:
			w.weight = 0
		case !missing && w.rarity >= q.nameAt():
			w.weight = max(w.weight, q.least)
		}
		q.total += w.weight
		if !missing {
			q.known += w.weight
		}
	}
	if len(q.words) == 1 && q.words[0].rarity >= topicAt {
		q.least = min(q.least, q.total)
	}
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

// relevance is how much of the prompt's topic a turn speaks of, 0 to 1: of the weights of the
// prompt's words those that a message of the turn holds, less where it is long and says a word
// once. What a tool gave is no speech.
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
				held = leastWords
			}
		}
		sum += b * q.words[i].weight
	}
	if held < min(leastWords, len(q.words)) || full < q.least {
		return 0
	}
	return min(1, sum/q.whole())
}

// maxRead bounds what is read of a message, in bytes.
const maxRead = 16 << 10

// read notes for each word how much a message says it, 0 to 1.
func (q *question) read(m dialogue.Message, best []float64) {
	times, length := map[string]int{}, 0
	count := func(term string) {
		times[term]++
		length++
	}
	q.view.Terms(strings.ToValidUTF8(m.Content[:min(maxRead, len(m.Content))], ""), count)
	for _, s := range m.Symbols {
		q.view.Terms(s, count)
	}
	for _, u := range m.URIs {
		q.view.Terms(path.Base(u), count)
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
