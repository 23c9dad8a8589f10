package subject

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// candidate is a turn with its gain for each wanted thing.
type candidate struct {
	at     turnKey
	when   time.Time
	gains  []float64
	score  float64
	own    []Mention // all its mentions; set by read
	first  []Mention // those of them that were looked for
	decays float64
}

func (c *candidate) compare(o *candidate) int {
	return cmp.Or(cmp.Compare(o.score, c.score), o.when.Compare(c.when),
		cmp.Compare(c.at.conversation, o.at.conversation), cmp.Compare(o.at.turn, c.at.turn))
}

// gain records what a turn gains for a wanted thing: the maximum over its mentions.
func (c *candidate) gain(place int, gain float64) {
	for len(c.gains) <= place {
		c.gains = append(c.gains, 0)
	}
	c.gains[place] = max(c.gains[place], gain)
}

// match returns how well a stored name matches the best of the wanted ones; 0 means not at all.
func (w *lookupSubject) match(k name) float64 {
	best := 0.0
	for _, n := range w.names {
		best = max(best, n.match(k))
	}
	return best
}

func (n name) match(k name) float64 {
	a, b := n.parts, k.parts
	if len(a) < len(b) {
		a, b = b, a
	}
	switch {
	case n.kind != k.kind || !slices.Equal(a[len(a)-len(b):], b):
		return 0
	case len(a) == len(b):
		return 1
	case len(b) == 1:
		return lastPartOnly
	}
	return severalParts
}

// rarity returns 1 for a name of one turn and falls towards 0 with the logarithm of the number of
// turns, like idf.
func rarity(turns int) float64 {
	if turns == 0 {
		return 0
	}
	return math.Log1p(float64(commonTurns)/float64(turns)) / math.Log1p(commonTurns)
}

// ranked returns the candidates, best first.
func (s *search) ranked() []*candidate {
	out := make([]*candidate, 0, len(s.turns))
	for _, c := range s.turns {
		age := s.latest.Sub(c.when)
		c.decays = timeless + (1-timeless)*math.Exp2(-float64(age)/float64(halfLife))
		c.rate()
		out = append(out, c)
	}
	slices.SortFunc(out, (*candidate).compare)
	return out
}

func (c *candidate) rate() {
	c.score = 0
	for _, g := range c.gains {
		c.score += g
	}
	c.score *= c.decays
}

// read loads all mentions of a turn.
func (s *search) read(c *candidate) error {
	known := map[Mention]bool{}
	err := eachMessage(s.view, c.at, func(list []Mention) {
		for _, m := range list {
			if known[m] || !m.isCode() {
				continue
			}
			known[m] = true
			k := nameOf(m)
			best := 0.0
			for place, w := range s.wanted {
				match := w.match(k)
				if match == 0 {
					continue
				}
				rare, ok := w.rarity[k.joined()]
				if !ok {
					rare = rarity(maxTurns)
				}
				best = max(best, w.weight*match*rare)
				c.gain(place, w.weight*match*rare)
			}
			if best > 0 {
				c.first = append(c.first, m)
			} else {
				c.own = append(c.own, m)
			}
		}
	})
	c.rate()
	return err
}

// found returns the answer for the best turns.
func (s *search) found(best []*candidate) ([]LookupHit, error) {
	out := make([]LookupHit, len(best))
	for i, c := range best {
		f := LookupHit{Conversation: c.at.conversation, Turn: c.at.turn, At: c.when, Score: c.score}
		for _, m := range append(c.first, c.own...) {
			list := &f.Symbols
			if m.Kind == Path {
				list = &f.Paths
			}
			if len(*list) == maxNamed {
				continue
			}
			n := m.Name
			if m.Kind == Path {
				var err error
				if n, err = s.aliases.current(n); err != nil {
					return nil, err
				}
			}
			if !slices.Contains(*list, n) {
				*list = append(*list, n)
			}
		}
		out[i] = f
	}
	return out, nil
}
