package recall

import "slices"

// talk is one conversation during a search: its messages from first on, n of them, which stand in the corpus's arrays
// from start on.
type talk struct {
	conv            uint32
	first, n, start int
	known           bool // someone whom the query names takes part
}

// corpus is the messages that a query is about, those of a conversation side by side.
type corpus struct {
	talks    []talk
	shelves  map[uint32]*shelf // by group
	flags    []uint8           // of each message: those of the table, and presentFlag
	own      []float32         // of each message: what its own words earn
	messages float64
	average  float64 // length of a message
	entered  int     // messages that the table told of
	units    uint64  // lengths of those, in lengthUnit
}

// shelf is where the messages of a group's conversations stand.
type shelf struct {
	first, n, start [groupSize]int32
	talk            [groupSize]int32 // index in talks
}

// presentFlag marks the messages that there are: between them may lie some that are gone or that are not asked about.
const presentFlag = 1 << 7

// enter takes blocks of the table. Those of a group come in one call and stand together.
func (c *corpus) enter(pieces []piece) {
	for len(pieces) > 0 {
		n := 1
		for n < len(pieces) && pieces[n].group == pieces[0].group {
			n++
		}
		if c.shelves[pieces[0].group] == nil {
			c.shelves[pieces[0].group] = c.fill(pieces[:n])
		}
		pieces = pieces[n:]
	}
}

// fill enters the blocks of one group.
func (c *corpus) fill(pieces []piece) *shelf {
	s := &shelf{}
	var end [groupSize]int32
	for _, p := range pieces {
		base := int32(p.block << blockBits)
		for v := p.value; len(v) >= postingSize; v = v[postingSize:] {
			q := at(v)
			m, i := q.member(), base+q.message()
			if end[m] == 0 || i < s.first[m] {
				s.first[m] = i
			}
			end[m] = max(end[m], i+1)
		}
	}
	for m := range end {
		if end[m] == 0 {
			continue
		}
		s.n[m], s.start[m], s.talk[m] = end[m]-s.first[m], int32(len(c.flags)), int32(len(c.talks))
		c.talks = append(c.talks, talk{
			conv: pieces[0].group<<groupBits | uint32(m), first: int(s.first[m]), n: int(s.n[m]), start: len(c.flags),
		})
		old := len(c.flags)
		c.flags = slices.Grow(c.flags, int(s.n[m]))[:old+int(s.n[m])]
		clear(c.flags[old:])
	}
	units := uint64(0)
	for _, p := range pieces {
		at0 := s.origin(p.block)
		c.entered += len(p.value) / postingSize
		for v := p.value; len(v) >= postingSize; v = v[postingSize:] {
			q := at(v)
			c.flags[at0[q.member()]+q.message()] = q.weight() | presentFlag
			units += lengthUnits[q.length()]
		}
	}
	c.units += units
	return s
}

// origin gives for each conversation of the group where the first message of a block stands, or would stand.
func (s *shelf) origin(block uint32) (origin [groupSize]int32) {
	for m := range origin {
		origin[m] = s.start[m] + int32(block<<blockBits) - s.first[m]
	}
	return origin
}
