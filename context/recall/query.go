package recall

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/indexer/embed"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/memory/utterance"
)

const (
	// maxTerms bounds the terms of a query that are weighed.
	maxTerms = 64
	// fewMessages is the number of messages below which they do not show how rare a word is.
	fewMessages = 500
)

// queryTerm is one term of a query.
type queryTerm struct {
	text string
	word int // the number of its word in the query
	// weight is how rare the term is in memory, in nats, times how rare its word is in everyday
	// talk.
	weight float64
	// isName means that the word is an identifier, or capitalised inside the query.
	isName bool
	// isSubject means that the word is rare in everyday talk.
	isSubject bool
}

// query holds what is searched for: the terms of a question.
type query struct {
	terms  []queryTerm
	words  []string       // from which the terms come
	number map[string]int // of a term, in terms
	total  float64        // weight of all terms
	code   bool           // it has an identifier or a path
	few    bool           // memory has few messages

	// meaning is by the words' vectors, as long as it counts beside the terms; nil where no word is
	// known.
	meaning []float32
}

// names reports whether a word may name something: a word of a few lower-case letters is a
// conjunction or a pronoun.
func names(word string) bool {
	return utf8.RuneCountInString(word) > 3 || word != strings.ToLower(word)
}

// newQuery weighs the terms of a question; foreign means that it was asked in another language than
// English.
func newQuery(ctx context.Context, text string, foreign bool, src Sources) (*query, error) {
	q := &query{number: map[string]int{}}
	text = clip(text, maxRead)
	add := func(term string, rarity float64, isName, isSubject bool) {
		if _, known := q.number[term]; known || len(q.terms) == maxTerms {
			return
		}
		q.number[term] = len(q.terms)
		q.terms = append(q.terms, queryTerm{text: term, word: len(q.words) - 1, weight: rarity, isName: isName, isSubject: isSubject})
	}
	for _, w := range utterance.Terms(text) {
		word := text[w.Start:w.End]
		q.code = q.code || w.Code
		isName, isSubject := w.Code || w.Start > 0 && word != strings.ToLower(word), w.Rarity >= distinct && (w.Code || names(word))
		q.words = append(q.words, word)
		src.Terms(word, func(term string) { add(term, w.Rarity, isName, isSubject) })
	}
	if len(q.terms) == 0 {
		q.words = []string{strings.TrimSpace(text)}
		src.Terms(text, func(term string) { add(term, 1, false, false) })
	}
	if err := q.weigh(ctx, foreign, src); err != nil {
		return nil, err
	}
	q.mean()
	return q, nil
}

// weigh multiplies the weight of each term by its rarity in memory. Of a query in another language,
// whose common words are not known as such, the words that memory does not have count nothing.
func (q *query) weigh(ctx context.Context, foreign bool, src Sources) error {
	all := make([]string, len(q.terms))
	for i, t := range q.terms {
		all[i] = t.text
	}
	messages, counts, err := src.Frequency(ctx, all)
	if err != nil {
		return fmt.Errorf("weigh the query: %w", err)
	}
	q.few = messages < fewMessages
	messages = max(messages, fewMessages)
	for i := range q.terms {
		n := min(messages, counts[i])
		if foreign && n == 0 {
			q.terms[i].weight = 0
		}
		q.terms[i].weight *= math.Log(1 + (messages-n+.5)/(n+.5))
		q.total += q.terms[i].weight
	}
	return nil
}

// mean finds out what the query means.
func (q *query) mean() {
	table := embed.Shipped()
	own := make([]lexical.QueryTerm, len(q.terms))
	known := 0
	for i, t := range q.terms {
		own[i] = lexical.QueryTerm{Text: t.text, Weight: t.weight}
		if table.Has(t.text) {
			known++
		}
	}
	q.meaning = table.Embed(own)
	counts := float64(min(known, meantTerms)) * q.total / float64(len(q.terms))
	for i := range q.meaning {
		q.meaning[i] *= float32(counts)
	}
}

// Subject returns the words that a question is about, as a search weighs them: the heaviest ones
// that carry most of its weight, in its own order. Error: those of the sources.
func Subject(ctx context.Context, question string, src Sources) (string, error) {
	q, err := newQuery(ctx, question, false, src)
	if err != nil {
		return "", err
	}
	weights := make([]float64, len(q.words))
	for _, t := range q.terms {
		weights[t.word] += t.weight
	}
	heaviest := make([]int, len(q.words))
	for i := range heaviest {
		heaviest[i] = i
	}
	slices.SortStableFunc(heaviest, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	carried := 0.0
	n := 0
	for n < len(heaviest) && carried < subjectWeight*q.total {
		carried += weights[heaviest[n]]
		n++
	}
	if n == 0 {
		n = len(heaviest)
	}
	chosen := heaviest[:min(n, maxSubjectWords)]
	slices.Sort(chosen)
	var words []string
	for _, i := range chosen {
		words = append(words, clip(q.words[i], maxSubjectWord))
	}
	return strings.Join(words, " "), nil
}

// counts are how often a text contains the terms of a query, and its length in terms.
type counts struct {
	times  []float64
	length float64
	meant  float64 // what it counts that the text means the same as the query; of passages
}

// count counts the terms in a text.
func (q *query) count(text string, terms func(text string, yield func(term string))) counts {
	c := counts{times: make([]float64, len(q.terms))}
	terms(text, func(term string) {
		c.length++
		if i, known := q.number[term]; known {
			c.times[i]++
		}
	})
	return c
}

// read counts the terms in a passage, and compares what it means with the query.
func (q *query) read(text string, terms func(text string, yield func(term string))) counts {
	var all []lexical.QueryTerm
	c := q.count(text, func(text string, yield func(term string)) {
		terms(text, func(term string) {
			all = append(all, lexical.QueryTerm{Text: term, Weight: float64(lexical.Body)})
			yield(term)
		})
	})
	if q.meaning != nil {
		for i, x := range embed.Shipped().Embed(all) {
			c.meant += float64(x * q.meaning[i])
		}
	}
	c.meant = max(0, c.meant)
	return c
}

// meantTerms is how many terms of the query, at most those that have a meaning, it counts for that
// a passage with a word of the query means the same. On questions about recorded sessions 2 to 4
// gain, and longer prompts lose little.
const meantTerms = 4

// score returns the score of a text by its terms (BM25), where usual is the mean length, and by
// what it means.
func (q *query) score(c counts, usual float64) float64 {
	sum := 0.0
	for i, n := range c.times {
		if n > 0 {
			sum += q.terms[i].weight * n * (saturated + 1) / (n + saturated*(1-shortened+shortened*c.length/max(1, usual)))
		}
	}
	if sum > 0 {
		sum += c.meant
	}
	return sum
}

// covered returns the weight of the query's terms that a text contains.
func (q *query) covered(times []float64) float64 {
	sum := 0.0
	for i, n := range times {
		sum += q.terms[i].weight * min(1, n)
	}
	return sum
}

// different returns a function that counts the different terms of the query in a text.
func (q *query) different(terms func(text string, yield func(term string))) func(text string) int {
	return func(text string) (n int) {
		for _, times := range q.count(text, terms).times {
			if times > 0 {
				n++
			}
		}
		return n
	}
}
