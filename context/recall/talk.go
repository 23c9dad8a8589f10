package recall

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/level"
	"github.com/contexture-dev/contexture/memory/recall"
)

// passage is a piece of a message.
type passage struct {
	text  string
	call  bool // of a tool
	held  counts
	own   float64 // the score of its own words
	score float64 // with what surrounds it
}

// spoken is a found message with its passages.
type spoken struct {
	hit      recall.Hit
	said     LocatedMessage
	passages []passage
}

// turnKey names a turn of a stored conversation.
type turnKey struct {
	conv uint32
	turn int
}

// opening is how a turn begins, and the index after its last message.
type opening struct {
	prompt LocatedMessage
	end    int
}

// talk ranks what was said.
type talk struct {
	q        *query
	src      Sources
	kinds    kinds
	found    []*spoken
	at       map[location]*spoken
	openings map[turnKey]opening
	turns    map[turnKey]counts // over the found messages of a turn
	usual    float64            // length of a passage, in terms
}

// newTalk reads the messages of hits and cuts them into passages.
func newTalk(ctx context.Context, q *query, kind string, hits []recall.Hit, src Sources) (*talk, error) {
	t := &talk{
		q: q, src: src, at: map[location]*spoken{}, openings: map[turnKey]opening{}, turns: map[turnKey]counts{},
		kinds: kinds{src: src, kind: kind, decisions: map[uint32]map[int][]string{}},
	}
	list, err := readHits(ctx, hits[:min(maxLinked, len(hits))], src)
	if err != nil {
		return nil, fmt.Errorf("read what was found: %w", err)
	}
	length, n := 0.0, 0.0
	for _, m := range list {
		s, err := t.add(ctx, m.Hit, m.said)
		if err != nil {
			return nil, err
		}
		for _, p := range s.passages {
			length, n = length+p.held.length, n+1
		}
	}
	t.usual = length / max(1, n)
	return t, nil
}

// add cuts a message into passages.
func (t *talk) add(ctx context.Context, hit recall.Hit, said LocatedMessage) (*spoken, error) {
	s := &spoken{hit: hit, said: said}
	t.found, t.at[location{hit.Conversation, said.Index}] = append(t.found, s), s
	text, ok, err := t.kinds.partOf(ctx, hit.Conversation, said)
	if err != nil || !ok {
		return s, err
	}
	pieces := cut(clip(text, maxPieces*passageBytes), passageBytes)
	for _, piece := range pieces {
		s.passages = append(s.passages, passage{text: piece, held: t.q.read(piece, t.src.Terms)})
	}
	if t.q.code || t.kinds.kind == "procedure" || t.kinds.kind == "code" {
		for _, c := range said.Message.ToolCalls[:min(maxPieces, len(said.Message.ToolCalls))] {
			line := level.CallLine(c)
			s.passages = append(s.passages, passage{text: line, call: true, held: t.q.count(line, t.src.Terms)})
		}
	}
	return s, nil
}

// rank sets the scores of passages and returns the hits in their order, the best with 1.
func (t *talk) rank(ctx context.Context) ([]recall.Hit, error) {
	for _, s := range t.found {
		for i := range s.passages {
			s.passages[i].own = t.q.score(s.passages[i].held, t.usual)
		}
	}
	slices.SortStableFunc(t.found, func(a, b *spoken) int { return cmp.Compare(b.best(), a.best()) })
	for _, s := range t.found[:min(maxOpenings, len(t.found))] {
		if err := t.open(ctx, s); err != nil {
			return nil, err
		}
	}
	tops := map[uint32]float64{}
	for _, s := range t.found {
		t.unite(s)
		f := t.factor(s)
		for i := range s.passages {
			s.passages[i].own *= f
		}
		tops[s.hit.Conversation] = max(tops[s.hit.Conversation], s.best())
	}
	whole := t.turnScores()
	top := 0.0
	for _, s := range t.found {
		around := talkShare*tops[s.hit.Conversation] + turnShare*whole[turnKey{s.hit.Conversation, s.said.Turn}]
		for i := range s.passages {
			p := &s.passages[i]
			if p.own == 0 {
				continue
			}
			p.score = p.own + around
			if i > 0 {
				p.score += besideShare * s.passages[i-1].own
			}
			if i+1 < len(s.passages) {
				p.score += besideShare * s.passages[i+1].own
			}
			top = max(top, p.score)
		}
	}
	var out []recall.Hit
	for _, s := range t.found {
		score, own := 0.0, 0.0
		for i := range s.passages {
			s.passages[i].score /= max(top, faintest)
			score, own = max(score, s.passages[i].score), max(own, s.passages[i].own)
		}
		if score == 0 {
			continue
		}
		h := s.hit
		h.Score, h.Share = score, own/max(faintest, t.q.total)
		out = append(out, h)
	}
	slices.SortStableFunc(out, func(a, b recall.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return out, nil
}

// newer ranks hits again by how much newness counts, 0 to 1: by the search, which knows the age of
// sessions.
func (t *talk) newer(hits []recall.Hit, newness float64) []recall.Hit {
	if newness == 0 {
		return hits
	}
	top := 0.0
	for i := range hits {
		h := &hits[i]
		h.Score *= math.Pow(max(faintest, t.at[location{h.Conversation, h.Message}].hit.Score), newerShare*newness)
		top = max(top, h.Score)
	}
	for i := range hits {
		hits[i].Score /= max(faintest, top)
	}
	slices.SortStableFunc(hits, func(a, b recall.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits
}

func (s *spoken) best() (best float64) {
	for _, p := range s.passages {
		best = max(best, p.own)
	}
	return best
}

// open looks up the turn of a message and adds the terms of its prompt.
func (t *talk) open(ctx context.Context, s *spoken) error {
	at := turnKey{s.hit.Conversation, s.said.Turn}
	o, known := t.openings[at]
	if !known {
		var err error
		if o.prompt, o.end, err = t.src.Opening(ctx, at.conv, at.turn); err != nil {
			return fmt.Errorf("read the prompt of a turn: %w", err)
		}
		t.openings[at] = o
	}
	if s.said.Message.Role != dialogue.Assistant || o.prompt.Index == s.said.Index {
		return nil
	}
	asked := t.q.count(clip(o.prompt.Message.Content, promptRead), t.src.Terms)
	for i := range s.passages {
		p := &s.passages[i]
		held := counts{times: slices.Clone(p.held.times), length: p.held.length, meant: p.held.meant}
		for n := range held.times {
			held.times[n] += promptShare * min(1, asked.times[n])
		}
		p.own = t.q.score(held, t.usual)
	}
	return nil
}

// factor returns how much a message counts by what it is.
func (t *talk) factor(s *spoken) float64 {
	switch {
	case s.said.Message.Role == dialogue.User && len(s.said.Message.Content) > pastedFrom:
		return pasted
	case s.said.Message.Role != dialogue.Assistant || s.said.Message.Named():
		return 1
	}
	if o, known := t.openings[turnKey{s.hit.Conversation, s.said.Turn}]; known && s.said.Index+settledAfter < o.end {
		return narrated
	}
	return 1
}

// unite adds a message and the name of its author to what its turn contains.
func (t *talk) unite(s *spoken) {
	at := turnKey{s.hit.Conversation, s.said.Turn}
	all := t.turns[at]
	if all.times == nil {
		all.times = make([]float64, len(t.q.terms))
	}
	for _, p := range s.passages {
		if p.call {
			continue
		}
		all.length += p.held.length
		for i, n := range p.held.times {
			all.times[i] += n
		}
	}
	if m := s.said.Message; m.Named() {
		for i, n := range t.q.count(m.Author, t.src.Terms).times {
			all.times[i] = max(all.times[i], n)
		}
	}
	t.turns[at] = all
}

// turnScores returns the scores of whole turns.
func (t *talk) turnScores() map[turnKey]float64 {
	length := 0.0
	for _, c := range t.turns {
		length += c.length
	}
	out := map[turnKey]float64{}
	for at, c := range t.turns {
		out[at] = t.q.score(c, length/float64(len(t.turns)))
	}
	return out
}
