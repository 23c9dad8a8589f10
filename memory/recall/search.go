package recall

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/contexture-dev/contexture/memory/store"
)

// tuning is what the ranking is made of; measured as the package's tests and the project's README say.
type tuning struct {
	k1, b float64
	// before2, before1, after1, after2 are what the neighbours of a message lend it of their own score; a question
	// lends its answer asked.
	before2, before1, after1, after2, asked float64
	session                                 float64 // weight of the session's best score
	author                                  float64 // what a message by the person asked about gains
	mention                                 float64 // weight of a speaker's name as a word
	stranger                                float64 // weight of a conversation without any of the people asked about
	halfLife                                float64 // in sessions
}

var tuned = tuning{
	k1: 1.2, b: .5,
	before2: .2, before1: .4, after1: .4, after2: .2, asked: .9,
	session: .35, author: .6, mention: .2, stranger: .5, halfLife: 3,
}

// word is one term of the query.
type word struct {
	term string
	list *postings
	by   *postings // messages of authors with that name
}

// Search ranks the messages that hold something of the query. It reads r only; give it a snapshot where other reads
// must agree with it. The only errors are the store's and the context's.
func Search(
	ctx context.Context, r store.Reader, ws store.Workspace, q Query, terms Terms,
) ([]Hit, error) {
	s := &source{ctx: ctx, r: r, ws: ws, spans: q.Spans}
	c, err := s.table()
	if err != nil || len(c.talks) == 0 {
		return nil, err
	}
	words, err := s.words(q.Text, terms)
	if err != nil {
		return nil, err
	}
	if err := s.complete(c, words); err != nil {
		return nil, err
	}
	k := &ranker{corpus: c, tuning: tuned, words: words}
	k.score()
	limit := q.Limit
	if limit <= 0 {
		limit = defaultHits
	}
	return k.hits(q, limit), nil
}

// words reads the postings of the query's terms.
func (s *source) words(text string, terms Terms) ([]word, error) {
	var words []word
	seen := map[string]bool{}
	var err error
	terms(text, func(t string) {
		if seen[t] || err != nil {
			return
		}
		seen[t] = true
		w := word{term: t}
		if w.list, err = s.term(t); err != nil {
			return
		}
		if w.by, err = s.term(authorMark + t); err != nil {
			return
		}
		words = append(words, w)
	})
	return words, err
}

// ranker is one search under way.
type ranker struct {
	*corpus
	tuning
	words []word
}

// idf is the weight of a term that stands in count messages.
func (k *ranker) idf(count int) float64 {
	n := float64(count)
	return math.Log(1 + (math.Max(k.messages, n)-n+.5)/(n+.5))
}

// score gives every message what its own words earn.
func (k *ranker) score() {
	var norm [256]float64
	for i, length := range lengthOf {
		norm[i] = k.k1 * (1 - k.b + k.b*length/k.average)
	}
	for _, w := range k.words {
		if k.tellsLittle(w) {
			continue
		}
		idf := k.idf(w.list.count)
		if w.by.count > 0 {
			idf *= k.mention
		}
		for _, p := range w.list.pieces {
			t := k.talks[p.conv]
			if t == nil {
				continue
			}
			base := int(p.block)<<blockBits - t.first
			for q, rest, ok := next(p.value); ok; q, rest, ok = next(rest) {
				if i := base + q.message; i >= 0 && i < t.n {
					tf := float64(q.weight) / weightSteps
					t.own[i] += float32(idf * tf * (k.k1 + 1) / (tf + norm[q.length]))
				}
			}
		}
	}
	k.scoreAuthors()
}

// frequent is the number of messages from which on a word of more than half of them is worth passing over.
const frequent = 4 * blockSize

// tellsLittle reports whether a word stands in so many messages that going through them costs more than it tells,
// beside the other words of the query.
func (k *ranker) tellsLittle(w word) bool {
	return w.list.count > frequent && 2*float64(w.list.count) > k.messages &&
		slices.ContainsFunc(k.words, func(o word) bool { return o.list.count > 0 && o.list.count < w.list.count/2 })
}

// scoreAuthors raises what the people said that the query names, and lowers the conversations that none of them took
// part in.
func (k *ranker) scoreAuthors() {
	named := false
	for _, w := range k.words {
		for _, p := range w.by.pieces {
			t := k.talks[p.conv]
			if t == nil {
				continue
			}
			base := int(p.block)<<blockBits - t.first
			t.known = true
			for q, rest, ok := next(p.value); ok; q, rest, ok = next(rest) {
				if i := base + q.message; i >= 0 && i < t.n {
					t.own[i] *= float32(1 + k.author)
				}
			}
		}
		named = named || len(w.by.pieces) > 0
	}
	if !named {
		return
	}
	for _, t := range k.talks {
		if !t.known {
			for i := range t.own {
				t.own[i] *= float32(k.stranger)
			}
		}
	}
}

// hits ranks the messages of the best conversations.
func (k *ranker) hits(q Query, limit int) []Hit {
	best := &topHits{limit: limit}
	for _, t := range k.best() {
		var sessions []int
		if q.Sessions != nil {
			sessions = q.Sessions(t.conv)
		}
		k.rank(best, t, sessions, min(1, max(0, q.Recency)))
	}
	hits := best.sorted()
	if len(hits) > 0 && hits[0].Score > 0 {
		top := hits[0].Score
		for i := range hits {
			hits[i].Score /= top
			hits[i].Own /= top
		}
	}
	return hits
}

// topHits keeps the best of many hits: it collects up to twice the limit and then drops the lesser half.
type topHits struct {
	limit int
	hits  []Hit
	least float64 // hits below it are not among the best
}

func (h *topHits) add(hit Hit) {
	if hit.Score < h.least {
		return
	}
	h.hits = append(h.hits, hit)
	if len(h.hits) >= 2*h.limit {
		h.sorted()
		h.least = h.hits[len(h.hits)-1].Score
	}
}

// sorted gives the best, the best first; of equals the newer conversation, the earlier message first.
func (h *topHits) sorted() []Hit {
	slices.SortFunc(h.hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Conversation, a.Conversation),
			cmp.Compare(a.Message, b.Message))
	})
	h.hits = h.hits[:min(h.limit, len(h.hits))]
	return h.hits
}

// best gives the conversations worth ranking message by message, by their best messages.
func (k *ranker) best() []*talk {
	type scored struct {
		t   *talk
		top float32
	}
	var list []scored
	for _, t := range k.talks {
		top := float32(1)
		if len(k.talks) > maxConversations {
			top = maximum(t.own)
		}
		if top > 0 {
			list = append(list, scored{t, top})
		}
	}
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.top, a.top), cmp.Compare(b.t.conv, a.t.conv))
	})
	var talks []*talk
	for _, s := range list[:min(maxConversations, len(list))] {
		talks = append(talks, s.t)
	}
	return talks
}

// maximum is the greatest score, 0 where there is none.
func maximum(scores []float32) (top float32) {
	for _, score := range scores {
		top = max(top, score)
	}
	return top
}

// rank adds the messages of one conversation with their score.
func (k *ranker) rank(best *topHits, t *talk, sessions []int, recency float64) {
	bounds := borders(t, sessions)
	for s := 0; s+1 < len(bounds); s++ {
		from, to := bounds[s], bounds[s+1]
		top := float64(maximum(t.own[from:to]))
		if top == 0 {
			continue
		}
		decay := 1.0
		if recency > 0 {
			decay = 1 - recency + recency*math.Exp2(-float64(len(bounds)-2-s)/k.halfLife)
		}
		for i := from; i < to; i++ {
			if t.flags[i]&presentFlag == 0 {
				continue
			}
			own := float64(t.own[i])
			lent := k.lent(t, i, from, to)
			if own+lent > 0 {
				score := (own + (1-recency)*(lent+k.session*top)) * decay
				best.add(Hit{t.conv, t.first + i, score, own})
			}
		}
	}
}

// lent is what the neighbours of a message in its session lend it of their own score.
func (k *ranker) lent(t *talk, i, from, to int) float64 {
	lent := 0.0
	if i > from {
		share := k.before1
		if t.flags[i-1]&asksFlag != 0 {
			share = k.asked
		}
		lent += share * float64(t.own[i-1])
	}
	if i-1 > from {
		lent += k.before2 * float64(t.own[i-2])
	}
	if i+1 < to {
		lent += k.after1 * float64(t.own[i+1])
	}
	if i+2 < to {
		lent += k.after2 * float64(t.own[i+2])
	}
	return lent
}

// borders gives the first message of each session of t and the end, as indices into t.
func borders(t *talk, sessions []int) []int {
	bounds := []int{0}
	for _, s := range sessions {
		if i := s - t.first; i > bounds[len(bounds)-1] && i < t.n {
			bounds = append(bounds, i)
		}
	}
	return append(bounds, t.n)
}
