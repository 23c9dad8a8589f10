package recall

import (
	"cmp"
	"math"
	"slices"
)

// scope holds the parts of conversations that a query covers, by group.
type scope struct {
	groups []groupScope // ascending
}

// groupScope is the part of a group that a query covers: in each conversation n messages from index
// first.
type groupScope struct {
	group    uint32
	from, to uint32 // range of messages over all its conversations
	first, n [groupSize]int32
}

// newScope sorts spans by group; nil means everything.
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

// clip appends to room the postings of a block that lie in the scope. room may be the beginning of
// value itself.
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
