package recall

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/contexture-dev/contexture/memory/store"
)

// tuning holds the parameters of the ranking, measured as described in the package's tests and in
// the project's README.
type tuning struct {
	k1, b float64
	// before2, before1, after1 and after2 are the shares of their own score that its neighbours add
	// to a message's; asked is the share that a question adds to its answer's.
	before2, before1, after1, after2, asked float64
	session                                 float64 // weight of the session's best score
	author                                  float64 // bonus of a message by the person asked about
	mention                                 float64 // weight of a speaker's name as a word
	stranger                                float64 // weight of a conversation without the people asked about
	halfLife                                float64 // in sessions
}

var tuned = tuning{
	k1: 1.2, b: .5,
	before2: .3, before1: .4, after1: .4, after2: .3, asked: .9,
	session: .35, author: .6, mention: .2, stranger: .5, halfLife: 3,
}

// word is one term of the query.
type word struct {
	term string
	list *postings
	by   *postings // messages of authors with that name
}

// Search ranks the messages that match the query. It only reads view; pass a snapshot if other
// reads must be consistent with it. The only errors are the store's and the context's.
func (ix *Index) Search(ctx context.Context, view store.View, q Query) ([]Hit, error) {
	return ix.find(ctx, view, q, defaultBounds)
}

// find is Search with bounds.
func (ix *Index) find(ctx context.Context, view store.View, q Query, limits bounds) ([]Hit, error) {
	mem := scratches.Get().(*scratch)
	c := &corpus{shelves: map[uint32]*groupMessages{}, flags: mem.flags[:0]}
	defer func() { mem.release(c) }()
	s := &source{ctx: ctx, view: view, scope: newScope(q.Spans), bounds: limits, kept: ix.kept, copies: &mem.copies}
	t, err := s.table()
	if err != nil || t.count == 0 {
		return nil, err
	}
	c.enter(t.blocks)
	c.messages = float64(t.all())
	c.average = max(1, float64(c.units)/lengthUnit/float64(c.entered))
	words, err := s.words(q.Text, ix.terms)
	if err != nil {
		return nil, err
	}
	if err := s.complete(c, t, words); err != nil {
		return nil, err
	}
	c.own = slices.Grow(mem.own[:0], len(c.flags))[:len(c.flags)]
	clear(c.own)
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

// ranker is the state of one search.
type ranker struct {
	*corpus
	tuning
	words []word
	named bool // the query names one of the authors
}

// idf returns the weight of a term that occurs in count messages.
func (k *ranker) idf(count int) float64 {
	n := float64(count)
	return math.Log(1 + (math.Max(k.messages, n)-n+.5)/(n+.5))
}

// usualGains is the number of the lowest values of a posting's weight and length whose gain is
// precomputed: those with weights below 4.
const usualGains = 4 * weightSteps << weightShift

// gain returns what a posting of a term with the idf 1 adds to its message's score (BM25).
func (k *ranker) gain(bits uint32) float32 {
	tf := float64(bits>>weightShift) / weightSteps
	return float32(tf * (k.k1 + 1) / (tf + k.k1*(1-k.b+k.b*lengthOf[uint8(bits)]/k.average)))
}

// score computes the score of every message's own words.
func (k *ranker) score() {
	var gains [usualGains]float32
	for bits := range gains {
		gains[bits] = k.gain(uint32(bits))
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
			k.scorePiece(p, float32(idf), &gains)
		}
	}
	k.scoreAuthors()
}

// scorePiece is the inner loop of a search.
func (k *ranker) scorePiece(p piece, idf float32, gains *[usualGains]float32) {
	s := k.shelves[p.group]
	if s == nil {
		return
	}
	own, origin := k.own, s.origin(p.block)
	for v := p.value; len(v) >= postingSize; v = v[postingSize:] {
		q := at(v)
		m := q.member()
		i := origin[m] + q.message()
		if uint32(i-s.start[m]) >= uint32(s.n[m]) {
			continue // of a message that is not in the table
		}
		bits := uint32(q & gainBits)
		if bits < usualGains {
			own[i] += idf * gains[bits]
		} else {
			own[i] += idf * k.gain(bits)
		}
	}
}

// frequent is the number of messages above which a word that occurs in more than half of all
// messages may be skipped.
const frequent = 4 * blockSize

// tellsLittle reports whether a word is so frequent that scanning its messages costs more than it
// contributes, given the other words of the query.
func (k *ranker) tellsLittle(w word) bool {
	return w.list.count > frequent && 2*float64(w.list.count) > k.messages &&
		slices.ContainsFunc(k.words, func(o word) bool { return o.list.count > 0 && o.list.count < w.list.count/2 })
}

// scoreAuthors raises the scores of messages by people whom the query names, and lowers the
// conversations in which none of them took part.
func (k *ranker) scoreAuthors() {
	for _, w := range k.words {
		k.named = k.named || w.by.count > 0
		for _, p := range w.by.pieces {
			if s := k.shelves[p.group]; s != nil {
				k.raise(p, s)
			}
		}
	}
	if !k.named {
		return
	}
	for _, t := range k.talks {
		if !t.known {
			own := k.own[t.start : t.start+t.n]
			for i := range own {
				own[i] *= float32(k.stranger)
			}
		}
	}
}

func (k *ranker) raise(p piece, s *groupMessages) {
	origin := s.origin(p.block)
	for v := p.value; len(v) >= postingSize; v = v[postingSize:] {
		q := at(v)
		m := q.member()
		if i := origin[m] + q.message(); uint32(i-s.start[m]) < uint32(s.n[m]) {
			k.own[i] *= float32(1 + k.author)
			k.flags[i] |= namedFlag
			k.talks[s.talk[m]].known = true
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
		top, all := hits[0].Score, k.whole()
		for i := range hits {
			hits[i].Share = hits[i].Own / all
			hits[i].Score /= top
			hits[i].Own /= top
			hits[i].Lent /= top
		}
	}
	return hits
}

// whole returns the score of a message of usual length that contains each word of the query once.
func (k *ranker) whole() float64 {
	all := 0.0
	for _, w := range k.words {
		all += k.idf(w.list.count)
	}
	return all
}

// topHits keeps the best of many hits: it collects up to twice the limit and then drops the worse
// half.
type topHits struct {
	limit int
	hits  []Hit
	least float64 // the score below which a hit is not among the best
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

// sorted returns the best hits, best first. Ties are ordered by the newer conversation, then by the
// earlier message.
func (h *topHits) sorted() []Hit {
	slices.SortFunc(h.hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Conversation, a.Conversation),
			cmp.Compare(a.Message, b.Message))
	})
	h.hits = h.hits[:min(h.limit, len(h.hits))]
	return h.hits
}

// best returns the conversations worth ranking message by message, judged by their best messages.
func (k *ranker) best() []talk {
	type scored struct {
		t   int
		top float32
	}
	var list []scored
	for i, t := range k.talks {
		if top := maximum(k.own[t.start : t.start+t.n]); top > 0 {
			list = append(list, scored{i, top})
		}
	}
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.top, a.top), cmp.Compare(k.talks[b.t].conv, k.talks[a.t].conv))
	})
	var talks []talk
	for _, s := range list[:min(maxConversations, len(list))] {
		talks = append(talks, k.talks[s.t])
	}
	return talks
}

// maximum returns the greatest score, 0 if there are none.
func maximum(scores []float32) (top float32) {
	for _, score := range scores {
		if score > top { // max would also handle NaN, which does not occur here
			top = score
		}
	}
	return top
}

// rank adds the messages of one conversation with their scores.
func (k *ranker) rank(best *topHits, t talk, sessions []int, recency float64) {
	bounds := borders(t, sessions)
	for s := 0; s+1 < len(bounds); s++ {
		decay := 1.0
		if recency > 0 {
			decay = 1 - recency + recency*math.Exp2(-float64(len(bounds)-2-s)/k.halfLife)
		}
		k.rankSession(best, t, bounds[s], bounds[s+1], recency, decay)
	}
}

// rankSession adds the messages from index from to index to of t, with what their neighbours add.
func (k *ranker) rankSession(best *topHits, t talk, from, to int, recency, decay float64) {
	own, flags := k.own[t.start+from:t.start+to], k.flags[t.start+from:t.start+to]
	top := float64(maximum(own))
	if top == 0 {
		return
	}
	shared := (1 - recency) * k.session * top
	var before2, before1, here, after1, after2 float32
	after1 = own[0]
	if len(own) > 1 {
		after2 = own[1]
	}
	for i := range own {
		before2, before1, here, after1, after2 = before1, here, after1, after2, 0
		if i+2 < len(own) {
			after2 = own[i+2]
		}
		if here == 0 && before1 == 0 && after1 == 0 && before2 == 0 && after2 == 0 || flags[i]&presentFlag == 0 {
			continue
		}
		share := k.before1
		if i > 0 && flags[i-1]&asksFlag != 0 {
			share = k.asked
		}
		lent := share*float64(before1) + k.before2*float64(before2) + k.after1*float64(after1) + k.after2*float64(after2)
		lent = ((1-recency)*lent + shared) * decay
		score := float64(here)*decay + lent
		if score >= best.least {
			best.add(Hit{
				Conversation: t.conv, Message: t.first + from + i, Score: score, Own: float64(here), Lent: lent,
				Voice: k.voice(flags[i]), First: i == 0,
			})
		}
	}
}

func (k *ranker) voice(flags uint8) Voice {
	switch {
	case !k.named:
		return Nobody
	case flags&namedFlag != 0:
		return Asked
	}
	return Another
}

// borders returns the first message of each session of t and the end, as indices into t.
func borders(t talk, sessions []int) []int {
	bounds := []int{0}
	for _, s := range sessions {
		if i := s - t.first; i > bounds[len(bounds)-1] && i < t.n {
			bounds = append(bounds, i)
		}
	}
	return append(bounds, t.n)
}
