package recall

import "slices"

// talk is one conversation during a search: n messages from index first, stored in the corpus's
// arrays from index start.
type talk struct {
	conv            uint32
	first, n, start int
	known           bool // a person named in the query takes part
}

// corpus holds the messages that a query covers, with those of a conversation adjacent.
type corpus struct {
	talks    []talk
	shelves  map[uint32]*groupMessages // by group
	flags    []uint8                   // of each message: those of the table, and presentFlag
	own      []float32                 // of each message: the score of its own words
	messages float64
	average  float64 // length of a message
	entered  int     // number of messages entered from the table
	units    uint64  // total length of those, in lengthUnit
}

// groupMessages locates the messages of a group's conversations in the corpus.
type groupMessages struct {
	first, n, start [groupSize]int32
	talk            [groupSize]int32 // index in talks
}

// enter adds blocks of the table. Those of a group must come in one call and be adjacent.
func (c *corpus) enter(blocks []placedBlock) {
	for len(blocks) > 0 {
		n := 1
		for n < len(blocks) && blocks[n].group == blocks[0].group {
			n++
		}
		if c.shelves[blocks[0].group] == nil {
			c.shelves[blocks[0].group] = c.fill(blocks[:n])
		}
		blocks = blocks[n:]
	}
}

// fill enters the blocks of one group.
func (c *corpus) fill(blocks []placedBlock) *groupMessages {
	s := &groupMessages{}
	var end [groupSize]int32
	for _, b := range blocks {
		for _, m := range b.members {
			if end[m.member] == 0 || m.first < s.first[m.member] {
				s.first[m.member] = m.first
			}
			end[m.member] = max(end[m.member], m.first+int32(len(m.flags)))
		}
	}
	for m := range end {
		if end[m] == 0 {
			continue
		}
		old := len(c.flags)
		s.n[m], s.start[m], s.talk[m] = end[m]-s.first[m], int32(old), int32(len(c.talks))
		c.talks = append(c.talks, talk{
			conv: blocks[0].group<<groupBits | uint32(m), first: int(s.first[m]), n: int(s.n[m]), start: old,
		})
		c.flags = slices.Grow(c.flags, int(s.n[m]))[:old+int(s.n[m])]
		clear(c.flags[old:])
	}
	for _, b := range blocks {
		for _, m := range b.members {
			copy(c.flags[s.start[m.member]+m.first-s.first[m.member]:], m.flags)
			c.entered += m.count
			c.units += m.units
		}
	}
	return s
}

// origin returns, for each conversation of the group, the index in the corpus of the first message
// of a block, whether or not that message is present.
func (s *groupMessages) origin(block uint32) (origin [groupSize]int32) {
	for m := range origin {
		origin[m] = s.start[m] + int32(block<<blockBits) - s.first[m]
	}
	return origin
}
