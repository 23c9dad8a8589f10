package retrieve

import (
	"slices"
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// The reasons, for people, why a place is in an answer. More specific ones come before those of the
// rankers.
const (
	byKeyword = "keyword match"
	byFile    = "keyword match in its file"
	byPath    = "matches the path"
	byHistory = "recently changed with similar commits"
	byMeaning = "semantic match"
)

// reasonRank is the lowest rank in a ranker's list at which the ranker counts as a reason.
const reasonRank = 10

// wordsShown is how many of the matching words a reason names, the rarest ones.
const wordsShown = 3

// reasons tells people why places are in an answer.
type reasons struct{ *search }

// explain fills in each candidate's signals and reasons.
func (r *reasons) explain() {
	rankers := []struct {
		name   string
		scores []float32
		byFile bool
		reason string
	}{
		{"keyword", r.words.Doc, false, byKeyword},
		{"file", r.words.Group, true, byFile},
		{"path", r.paths, true, byPath},
		{"history", r.history.Files, true, byHistory},
		{"vector", r.meaning, false, byMeaning},
	}
	words := r.askedWords()
	for _, k := range rankers {
		if k.scores == nil {
			continue
		}
		values := make([]float32, len(r.out.Candidates))
		for i, c := range r.out.Candidates {
			if k.byFile {
				values[i] = k.scores[r.s.FileOf(c.Chunk)]
			} else {
				values[i] = k.scores[c.Chunk]
			}
		}
		order := best(values, len(values))
		for rank, i := range order {
			c := r.out.Candidates[i]
			if c.Signals == nil {
				c.Signals = map[string]item.Signal{}
			}
			c.Signals[k.name] = item.Signal{Rank: rank + 1, Score: float64(values[i])}
			if rank >= reasonRank {
				continue
			}
			reason := k.reason
			if reason == byKeyword {
				reason = keywordReason(words, c.Chunk)
			}
			c.Reasons = append(c.Reasons, reason)
		}
	}
	for _, c := range r.out.Candidates {
		if len(c.Reasons) == 0 {
			c.Reasons = append(c.Reasons, weakReason(words, c))
		}
	}
}

// asker returns the word for what was asked.
func (r *search) asker() string {
	if r.req.Intent.Question {
		return "the question"
	}
	return "the prompt"
}

func (r *search) hasMessage() string { return "holds the message that " + r.asker() + " quotes" }

// askedWord is a word of the query, spelt as in the query, with the candidates that contain it.
type askedWord struct {
	text   string
	count  int   // chunks of the workspace that contain it
	places []int // chunks, ascending
}

// askedWords returns the distinct words of the query that are searched for.
func (r *reasons) askedWords() (out []askedWord) {
	candidates := make([]int, len(r.out.Candidates))
	for i, c := range r.out.Candidates {
		candidates[i] = c.Chunk
	}
	slices.Sort(candidates)
	const most = 16
	wanted := map[string]bool{}
	for _, t := range r.terms {
		wanted[t.Text] = true
	}
	for word := range strings.FieldsFuncSeq(r.english, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' }) {
		var terms []string
		lexical.Terms([]byte(word), func(term string) { terms = append(terms, term) })
		if other := r.recased[word]; other != "" {
			terms = []string{other}
		}
		fresh := len(terms) > 0 && !slices.ContainsFunc(terms, func(t string) bool { return !wanted[t] })
		if !fresh || askedVerbs[strings.ToLower(word)] {
			continue
		}
		for _, t := range terms {
			delete(wanted, t)
		}
		n, places, known := r.words.Held.Among(terms, candidates)
		if !known {
			n, places = r.s.Words().Among(terms, candidates)
		}
		out = append(out, askedWord{word, n, places})
		if len(out) == most {
			break
		}
	}
	return out
}

// keywordReason names the rarest words of the query in a place.
func keywordReason(words []askedWord, chunk int) string {
	var has []int
	for i, w := range words {
		if _, found := slices.BinarySearch(w.places, chunk); found {
			has = append(has, i)
		}
	}
	if len(has) == 0 {
		return byKeyword
	}
	slices.SortStableFunc(has, func(a, b int) int { return words[a].count - words[b].count })
	has = has[:min(wordsShown, len(has))]
	slices.Sort(has)
	names := make([]string, len(has))
	for i, at := range has {
		names[i] = words[at].text
	}
	return byKeyword + ": " + strings.Join(names, ", ")
}

// weakReason returns the reason for a place that no ranker has near the top: that of its best rank.
func weakReason(words []askedWord, c *item.Item) string {
	if _, found := c.Signals["keyword"]; found {
		return keywordReason(words, c.Chunk)
	}
	for _, k := range []struct{ name, reason string }{{"vector", byMeaning}, {"file", byFile}, {"path", byPath}, {"history", byHistory}} {
		if _, found := c.Signals[k.name]; found {
			return k.reason
		}
	}
	return "is used by the best matches"
}
