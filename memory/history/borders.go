package history

import "github.com/contexture-dev/contexture/memory/dialogue"

// borders are the bands while they are being laid: band i, of level levels[i], holds turns first[i] … first[i-1]-1;
// the raw band ends at the newest turn.
type borders struct {
	planner
	newest int
	first  [len(levels)]int
	tokens int
}

// borders fills the bands from the newest turn to the oldest, each with its share; what one does not need goes to the
// next. The reserve is taken from the raw share first and then from all others alike.
func (p planner) borders(k, reserve int) *borders {
	b := &borders{planner: p, newest: k}
	raw := max(p.budget*rawShare/100-reserve, 0)
	top, room := p.newestLevel(k)
	if top == 0 {
		raw = max(raw, room)
	}
	rest := max(p.budget-max(reserve, 0)-raw, 0)
	rest = min(rest, p.budget*(100-rawShare)/100)
	shares := [len(levels)]int{
		raw,
		rest * smoothedShare / (100 - rawShare),
		rest * compressedShare / (100 - rawShare),
		rest * tinyShare / (100 - rawShare),
	}
	if top > 0 {
		// The newest turn stands at a lower level, and so do all older ones: gradients only fall.
		for i := range top {
			shares[top] += shares[i]
			shares[i] = 0
		}
		shares[top] = max(shares[top], room)
	}
	next, carry := k, 0
	for i, l := range levels {
		if i < top {
			b.first[i] = k + 1
			continue
		}
		next, carry = b.fill(i, l, next, min(shares[i]+carry, p.budget-b.tokens))
	}
	return b
}

// newestLevel is the index of the level of the newest turn and its cost: raw when that leaves something for the
// others, else the best level that does, else the best that fits at all.
func (p planner) newestLevel(k int) (index, tokens int) {
	s := p.size(k)
	for _, room := range []int{p.budget * newestCap / 100, p.budget} {
		for i, l := range levels {
			if s.alone(l) <= room {
				return i, s.alone(l)
			}
		}
	}
	return len(levels) - 1, 0
}

// fill takes turns from next downwards into band i while they fit into room. It returns the next turn and what is
// left of the room.
func (b *borders) fill(i int, l dialogue.Level, next, room int) (int, int) {
	b.first[i] = next + 1
	used := 0
	if merged(l) {
		used = BlockTags
	}
	empty := true
	for next >= 1 {
		cost := b.size(next).at(l)
		if used+cost > room {
			break
		}
		used, empty = used+cost, false
		b.first[i] = next
		next--
	}
	if empty {
		return next, room
	}
	b.tokens += used
	return next, room - used
}

// promote gives what is left of room to the turns next to a border, the best border first: a conversation a little
// over its budget is nearly all raw.
func (b *borders) promote(room int) {
	for moved := true; moved; {
		moved = false
		for i := range len(levels) - 1 {
			for b.raise(i, room) {
				moved = true
			}
		}
	}
}

// raise moves the newest turn below band i into it, if the total stays within room.
func (b *borders) raise(i, room int) bool {
	turn := b.first[i] - 1
	if turn < b.first[len(levels)-1] || turn < 1 {
		return false
	}
	j := i + 1
	for b.first[j] > turn {
		j++
	}
	cost := b.size(turn).at(levels[i]) - b.size(turn).at(levels[j])
	if merged(levels[i]) && b.empty(i) {
		cost += BlockTags
	}
	if merged(levels[j]) && b.first[j] == turn {
		cost -= BlockTags
	}
	if b.tokens+cost > room {
		return false
	}
	b.tokens += cost
	b.first[i] = turn
	for k := i + 1; k < j; k++ {
		b.first[k] = turn
	}
	return true
}

// empty says whether band i holds nothing.
func (b *borders) empty(i int) bool {
	if i == 0 {
		return b.first[0] > b.newest
	}
	return b.first[i] >= b.first[i-1]
}

// layout is what the borders say.
func (b *borders) layout(k int) Layout {
	l := Layout{RecalculatedAt: k, Tokens: b.tokens, Dropped: b.first[len(levels)-1] - 1}
	last := b.newest
	for i, level := range levels {
		if b.first[i] <= last {
			l.Bands = append(l.Bands, Band{level, b.first[i], last})
			last = b.first[i] - 1
		}
	}
	for i, j := 0, len(l.Bands)-1; i < j; i, j = i+1, j-1 {
		l.Bands[i], l.Bands[j] = l.Bands[j], l.Bands[i]
	}
	return l
}
