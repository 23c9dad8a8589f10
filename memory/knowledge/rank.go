package knowledge

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// RankedItem is an item with its score for a query: from 1 on it must be shown before anything
// else, below 1 it competes with other memories, 0 does not match.
type RankedItem struct {
	Item  Item
	Score float64
	// Fit is how much of the query the item covers, from 0 to 1, before any other weight.
	Fit float64
	// Outdated means that a newer rule that answers the query has replaced this one. A superseded
	// rule has no score.
	Outdated bool
	// Recurs means that the query reports the failure that this lesson is about.
	Recurs bool
}

// IsTask reports whether a query asks for work: every active rule may apply to it.
func IsTask(query string) bool {
	read := utterance.ReadAll(clipped(query), utterance.Person, "") // a task may be pasted
	return slices.ContainsFunc(read, func(s utterance.ScoredSentence) bool {
		p := s.Scores
		return (p[utterance.Order] >= taskAt || p[utterance.Problem] >= troubleAt) && p[utterance.Question] < max(p[utterance.Order], p[utterance.Problem])
	})
}

func clipped(text string) string {
	const most = 8 << 10
	if len(text) > most {
		return text[:runeStart(text, most)]
	}
	return text
}

// Rank sorts items for a query; those that do not match are left out. A task gets every rule,
// matching ones first; another query gets the rules that share its words. terms splits text into
// the terms that are compared.
func Rank(query string, items []Item, terms func(text string, yield func(term string))) []RankedItem {
	if len(items) == 0 {
		return nil
	}
	q := newQuery(query, items, terms)
	task := IsTask(query)
	var out []RankedItem
	fits := make([]float64, len(items))
	best := 0.0 // of the rules
	for i := range items {
		if fits[i] = q.fit(i, &items[i]); items[i].Kind == Rule && items[i].Holds() {
			best = max(best, fits[i])
		}
	}
	var reported failures
	if slices.ContainsFunc(items, func(it Item) bool { return it.Kind == Lesson }) {
		reported = failuresIn(query)
	}
	least := clearly
	if best >= clearly {
		least = min(clearly, nearly*best)
	}
	var rules []ruleFit
	for i := range items {
		it := &items[i]
		if it.Kind == Rule && !it.Holds() {
			if fits[i] >= least && successorFits(items, fits, i) {
				out = append(out, RankedItem{Item: *it, Outdated: true})
			}
			continue
		}
		if it.Kind == Rule {
			if s := ruleScore(fits[i], least, it, task); s > 0 {
				rules = append(rules, ruleFit{item: it, fit: fits[i], score: s})
			}
			continue
		}
		switch {
		case reported.recur(it):
			out = append(out, RankedItem{Item: *it, Score: 1 + fits[i], Fit: 1, Recurs: true})
		case fits[i] > 0:
			out = append(out, RankedItem{Item: *it, Score: fits[i], Fit: fits[i]})
		}
	}
	if !task { // siblings that all apply are similar, and none of them replaces another
		newestFirst(rules)
	}
	for _, r := range rules {
		out = append(out, RankedItem{Item: *r.item, Score: r.score, Fit: r.fit, Outdated: r.outdated})
	}
	slices.SortStableFunc(out, func(a, b RankedItem) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Item.Weight, a.Item.Weight), cmp.Compare(b.Item.Serial, a.Item.Serial))
	})
	return out
}

// successorFits reports whether the active rule that finally replaced a superseded one answers a
// query about as well. If it does not, the two are probably about different things.
func successorFits(items []Item, fits []float64, i int) bool {
	for range items {
		next := slices.IndexFunc(items, func(it Item) bool { return it.ID == items[i].SupersededBy })
		if next < 0 {
			return false
		}
		if items[next].Holds() {
			return fits[next] >= asWell*fits[i]
		}
		i = next
	}
	return false
}

// ruleScore returns the score of a rule with a fit; from least on it answers the query.
func ruleScore(fit, least float64, it *Item, task bool) float64 {
	sure := 1.0
	if it.Standing() == Candidate {
		sure = it.Probability
	}
	switch {
	case task:
		return .5 + taskSure*sure + fit
	case fit >= least:
		return 1 + fit*(.5+.5*sure)
	case fit >= barely && sure >= knownAt:
		return fit
	}
	return 0
}

// ruleFit is a rule that matches a query, with its fit and its score.
type ruleFit struct {
	item       *Item
	fit, score float64
	outdated   bool
}

// newestFirst lowers the rules that a newer one on the same subject follows. Rules that match a
// query share its words, so that a lower probability than for superseding suffices.
func newestFirst(rules []ruleFit) {
	slices.SortStableFunc(rules, func(a, b ruleFit) int { return cmp.Compare(b.item.Serial, a.item.Serial) })
	for i, r := range rules[:min(maxCompared, len(rules))] {
		for _, newer := range rules[:i] {
			if newer.fit < asWell*r.fit {
				continue
			}
			if same := utterance.SameSubject(r.item.shape(), newer.item.shape(), 0); same >= overtakesAt {
				rules[i].score *= overtaken
				rules[i].outdated = same >= outdatesAt
				break
			}
		}
	}
}

// query is the query that items are compared with.
type query struct {
	profile utterance.Profile
	asked   []string
	named   map[string]bool
	texts   [][]string
	topics  [][]string // of assembled references
	df      map[string]int
	n       int
}

func newQuery(text string, items []Item, terms func(text string, yield func(term string))) *query {
	q := &query{profile: utterance.NewProfile(clipped(text)), asked: termsOf(text, terms), named: map[string]bool{}, df: map[string]int{}, n: len(items)}
	for _, t := range q.asked {
		q.named[t] = true
	}
	q.topics = make([][]string, len(items))
	for i := range items {
		if items[i].Assembled() {
			q.topics[i] = termsOf(items[i].Title+" "+strings.Join(items[i].Topics, " "), terms)
		}
		q.texts = append(q.texts, termsOf(items[i].matchText(), terms))
		for _, t := range q.texts[i] {
			q.df[t]++
		}
	}
	return q
}

func (q *query) idf(t string) float64 { return math.Log(1 + float64(q.n+1)/(1+float64(q.df[t]))) }

// fit returns how much of the query the item covers, from 0 to 1: by rare words, and by the
// similarity of characters, which matches inflections and other spellings.
func (q *query) fit(i int, it *Item) float64 {
	if it.Assembled() {
		return q.speaksOf(i)
	}
	byWords := overlap(q.asked, q.named, q.texts[i], q.idf)
	if it.Kind != Rule {
		return byWords
	}
	return wordWeight*byWords + (1-wordWeight)*q.profile.Likeness(it.shape())
}

// speaksOf returns the share of the query's words in an assembled reference: whatever else was said
// on the topic does not count, but the share is halved when the query does not name the topic.
func (q *query) speaksOf(i int) float64 {
	common := slices.DeleteFunc(slices.Clone(q.texts[i]), func(t string) bool { return !q.named[t] })
	share := overlap(q.asked, q.named, common, q.idf)
	if !slices.ContainsFunc(q.topics[i], func(t string) bool { return q.named[t] }) {
		share /= 2
	}
	return share
}

// matchText returns the text of an item that is compared with a query.
func (it *Item) matchText() string {
	content, most := it.Content, 4<<10
	if it.Assembled() {
		most = 32 << 10
	}
	content = content[:runeStart(content, min(most, len(content)))]
	parts := []string{content, it.Scope, strings.Join(it.Keywords, " ")}
	if it.Kind != Rule || !it.Learned {
		parts = append(parts, it.Title, strings.Join(it.Topics, " "))
	}
	return strings.Join(parts, "\n")
}

// termsOf returns the distinct terms of a text, as a list and not a set, so that sums over them are
// the same every time.
func termsOf(text string, terms func(text string, yield func(term string))) []string {
	var list []string
	seen := map[string]bool{}
	terms(text, func(t string) {
		if !seen[t] {
			seen[t] = true
			list = append(list, t)
		}
	})
	return list
}

// overlap returns the share of the query's terms, by rarity, in a text, reduced by the other
// content of the text. named are the requested terms.
func overlap(asked []string, named map[string]bool, text []string, idf func(string) float64) float64 {
	var hit, all, rest float64
	for _, t := range asked {
		all += idf(t)
	}
	for _, t := range text {
		if named[t] {
			hit += idf(t)
		} else {
			rest += idf(t)
		}
	}
	if all == 0 {
		return 0
	}
	return hit / (all + restWeight*rest)
}
