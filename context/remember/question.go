package remember

import (
	"cmp"
	"context"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// question is what a prompt is about, weighed by how rare its words are in the workspace's memory.
type question struct {
	view  *memory.View
	text  string // the rarest of its words, to be searched
	words []asked
	total float64 // of the words' weights
	known float64 // of the weights of those that memory has at all
	least float64 // of weights that a turn must hold, for its words not to have met by chance
}

// asked is one word of a prompt: its terms, which are several for a compound name.
type asked struct {
	text   string
	terms  []string
	weight float64
}

const (
	// maxAsked bounds the words of a prompt that are weighed, maxSearched those of them that are searched: the rarest,
	// and none that weighs less than searchedShare of the rarest.
	maxAsked, maxSearched, searchedShare = 24, 8, .2
	// fewMessages is the number of messages below which how rare a word is cannot be told from them.
	fewMessages = 60
	// usualLength is a message's length in terms at which a word of it says about as much as it can say; half that
	// weighs a word's first mention in it (the k1 of BM25).
	usualLength, halfSaid = 150, .35
	// leastWords is how many of several words a turn must hold.
	leastWords = 2
	// chance is the share of the logarithm of the number of messages that the words of a turn must weigh. Words that
	// stand in shares p of n messages meet by chance in n·Πp of them, and a weight is about −log p: at 1 one message
	// would hold them all by chance.
	chance = .85
)

// newQuestion reads the words of a prompt that tell its topic; nil where it has none.
func newQuestion(ctx context.Context, v *memory.View, s intent.Signals) (*question, error) {
	q := &question{view: v}
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
		q.words = append(q.words, asked{text: text, terms: terms})
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

// hopeless reports that no turn can be relevant: too little of the prompt was ever said.
func (q *question) hopeless() bool { return q.known < q.least || q.known < least*q.total }

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
		q.total += w.weight
		if !missing {
			q.known += w.weight
		}
	}
	q.least = chance * math.Log(messages)
}

// relevance is how much of the prompt's topic a turn speaks of, 0 to 1: of the weights of the prompt's words those
// that a message of the turn holds, less where it is long and says a word once. What a tool gave is no speech.
func (q *question) relevance(t dialogue.Turn) float64 {
	best := make([]float64, len(q.words))
	for _, m := range t.Messages {
		if m.Role != dialogue.Tool {
			q.read(m, best)
		}
	}
	held, sum := 0, 0.0
	for i, b := range best {
		if b > 0 {
			held++
		}
		sum += b * q.words[i].weight
	}
	if held < min(leastWords, len(q.words)) || sum < q.least {
		return 0
	}
	return sum / q.total
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
