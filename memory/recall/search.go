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
			eachPosting(p.value, func(q posting) {
				if i := base + q.message; i >= 0 && i < t.n {
					tf := float64(q.weight) / weightSteps
					t.own[i] += float32(idf * tf * (k.k1 + 1) / (tf + norm[q.length]))
				}
			})
		}
	}
	k.scoreAuthors()
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
			eachPosting(p.value, func(q posting) {
				if i := base + q.message; i >= 0 && i < t.n {
					t.own[i] *= float32(1 + k.author)
				}
			})
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
	var hits []Hit
	for _, t := range k.best() {
		var sessions []int
		if q.Sessions != nil {
			sessions = q.Sessions(t.conv)
		}
		hits = k.rank(hits, t, sessions, q.Recency)
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Conversation, a.Conversation),
			cmp.Compare(b.Message, a.Message))
	})
	hits = hits[:min(limit, len(hits))]
	if len(hits) > 0 && hits[0].Score > 0 {
		top := hits[0].Score
		for i := range hits {
			hits[i].Score /= top
			hits[i].Own /= top
		}
	}
	return hits
}

// best gives the conversations worth ranking message by message, by their best messages.
func (k *ranker) best() []*talk {
	type scored struct {
		t   *talk
		top float32
	}
	var list []scored
	for _, t := range k.talks {
		if top := slices.Max(append([]float32{0}, t.own...)); top > 0 {
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

// rank appends the messages of one conversation with their score.
func (k *ranker) rank(hits []Hit, t *talk, sessions []int, recency float64) []Hit {
	bounds := borders(t, sessions)
	for s := 0; s+1 < len(bounds); s++ {
		from, to := bounds[s], bounds[s+1]
		top := float32(0)
		for i := from; i < to; i++ {
			top = max(top, t.own[i])
		}
		if top == 0 {
			continue
		}
		decay := 1.0
		if recency > 0 {
			decay = 1 - recency + recency*math.Exp2(-float64(len(bounds)-2-s)/k.halfLife)
		}
		for i := from; i < to; i++ {
			if !t.present[i] {
				continue
			}
			score := k.smoothed(t, i, from, to, 1-recency)
			if score == 0 {
				continue
			}
			score = (score + (1-recency)*k.session*float64(top)) * decay
			hits = append(hits, Hit{t.conv, t.first + i, score, float64(t.own[i])})
		}
	}
	return hits
}

// smoothed is a message's own score and share of what its neighbours in the session lend it.
func (k *ranker) smoothed(t *talk, i, from, to int, share float64) float64 {
	at := func(j int) float64 {
		if j < from || j >= to {
			return 0
		}
		return float64(t.own[j])
	}
	before := k.before1
	if i > from && t.flags[i-1]&asksFlag != 0 {
		before = k.asked
	}
	return at(i) + share*(before*at(i-1)+k.after1*at(i+1)+k.before2*at(i-2)+k.after2*at(i+2))
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
