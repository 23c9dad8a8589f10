package recall

import (
	"cmp"
	"math"
	"slices"
)

// scope is the parts of conversations that a query is about, by groups.
type scope struct {
	groups []groupScope // ascending
}

// groupScope is what a query is about of one group: in each conversation the messages from first
// on, n of them.
type groupScope struct {
	group    uint32
	from, to uint32 // messages that any of its conversations asks for
	first, n [groupSize]int32
}

// newScope sorts spans by groups; nil stands for everything.
func newScope(spans []Span) *scope {
	if spans == nil {
		return nil
	}
	spans = slices.DeleteFunc(slices.Clone(spans), func(s Span) bool { return s.From >= s.To || s.To > math.MaxInt32 })
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.Conversation, b.Conversation) })
	s := &scope{}
	for _, span := range spans {
		group, member := span.Conversation>>groupBits, span.Conversation%groupSize
		if n := len(s.groups); n == 0 || s.groups[n-1].group != group {
			s.groups = append(s.groups, groupScope{group: group, from: uint32(span.From)})
		}
		g := &s.groups[len(s.groups)-1]
		first, end := int32(span.From), int32(span.To)
		if g.n[member] > 0 {
			first, end = min(first, g.first[member]), max(end, g.first[member]+g.n[member])
		}
		g.first[member], g.n[member] = first, end-first
		g.from, g.to = min(g.from, uint32(first)), max(g.to, uint32(end))
	}
	return s
}

// clip appends to room the postings of a block that lie in the scope. room may be the value's own
// beginning.
func (g *groupScope) clip(room, value []byte, block uint32) []byte {
	first := int32(block << blockBits)
	for v := value; len(v) >= postingSize; v = v[postingSize:] {
		p := at(v)
		m := p.member()
		if uint32(first+p.message()-g.first[m]) < uint32(g.n[m]) {
			room = appendPosting(room, p)
		}
	}
	return room
}
