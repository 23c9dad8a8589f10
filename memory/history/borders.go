package history

import "github.com/contexture-dev/contexture/memory/dialogue"

// borders holds the bands during layout: band i, of level levels[i], holds turns first[i] …
// first[i-1]-1; the raw band ends at the newest turn.
type borders struct {
	planner
	newest int
	first  [len(levels)]int
	tokens int
}

// borders fills the bands from the newest turn to the oldest, each up to its share. What one band
// does not need goes to the next, and what none needs raises turns across the borders. Bands above
// the level at which turns are added stay empty. The reserve stays free.
func (p planner) borders(k, adds, reserve int) *borders {
	b := &borders{planner: p, newest: k}
	top, newest := p.newestLevel(k, adds)
	reserve = max(min(reserve, p.budget*(100-olderLeast)/100-newest), 0)
	shares := p.shares(adds, top, newest, reserve)
	next, carry := k, 0
	for i, l := range levels {
		if i < top {
			b.first[i] = k + 1
			continue
		}
		next, carry = b.fill(i, l, next, min(shares[i]+carry, p.budget-b.tokens))
	}
	b.promote(top, p.budget-reserve)
	return b
}

// shares returns the room of each band in tokens. The reserve is taken from the raw share first and
// then evenly from all others. The newest turn, at level top, always has room; bands above it are
// empty, since levels only get coarser.
func (p planner) shares(adds, top, newest, reserve int) [len(levels)]int {
	raw := 0
	if adds == 0 {
		raw = max(p.budget*rawShare/100-reserve, 0)
	}
	if top == 0 {
		raw = max(raw, newest)
	}
	rest := min(max(p.budget-reserve-raw, 0), p.budget*(100-rawShare)/100)
	shares := [len(levels)]int{
		raw,
		rest * smoothedShare / (100 - rawShare),
		rest * compressedShare / (100 - rawShare),
		rest * tinyShare / (100 - rawShare),
	}
	for i := range top {
		shares[top] += shares[i]
		shares[i] = 0
	}
	shares[top] = max(shares[top], newest)
	return shares
}

// newestLevel returns the index of the newest turn's level and its cost. It is the level at which
// turns are added, if that leaves room for any other turns; else the best level that does; else the
// best level that fits at all.
func (p planner) newestLevel(k, adds int) (index, tokens int) {
	s := p.size(k)
	preferred := p.budget
	if k > 1 {
		preferred = p.budget * newestCap / 100
	}
	for _, room := range []int{preferred, p.budget} {
		for i := adds; i < len(levels); i++ {
			if cost := s.alone(levels[i]); cost <= room {
				return i, cost
			}
		}
	}
	return len(levels) - 1, 0
}

// fill adds turns from next downwards to band i while they fit into room. It returns the next turn
// and the room left.
func (b *borders) fill(i int, l dialogue.Level, next, room int) (int, int) {
	b.first[i] = next + 1
	lines, used := 0, 0
	for ; next >= 1; next-- {
		lines += b.size(next).at(l)
		n := b.count(i) + 1
		if lines+tags(l, n) > room {
			break
		}
		used = lines + tags(l, n)
		b.first[i] = next
	}
	b.tokens += used
	return next, room - used
}

// tags returns the cost of the tags of a band of n turns that the sizes do not include.
func tags(l dialogue.Level, n int) int {
	switch {
	case !merged(l) || n == 0:
		return 0
	case n == 1:
		return AloneTags
	default:
		return BlockTags
	}
}

// count returns the number of turns in band i.
func (b *borders) count(i int) int {
	end := b.newest + 1
	if i > 0 {
		end = b.first[i-1]
	}
	return end - b.first[i]
}

// promote spends the room that is left on the turns next to a border, the best border first: a
// conversation slightly over its budget stays nearly all raw. Bands above top stay empty.
func (b *borders) promote(top, room int) {
	for moved := true; moved; {
		moved = false
		for i := top; i < len(levels)-1; i++ {
			for b.raise(i, room) {
				moved = true
			}
		}
	}
}

// raise moves the newest turn below band i into it if the total stays within room, and reports
// whether it did.
func (b *borders) raise(i, room int) bool {
	turn := b.first[i] - 1
	if turn < b.first[len(levels)-1] || turn < 1 {
		return false
	}
	j := i + 1
	for b.first[j] > turn {
		j++
	}
	up, down := levels[i], levels[j]
	cost := b.size(turn).at(up) + tags(up, b.count(i)+1) - tags(up, b.count(i)) -
		b.size(turn).at(down) - tags(down, b.count(j)) + tags(down, b.count(j)-1)
	if b.tokens+cost > room {
		return false
	}
	b.tokens += cost
	for k := i; k < j; k++ {
		b.first[k] = turn
	}
	return true
}

// layout returns the layout that the borders describe.
func (b *borders) layout(k int) Layout {
	l := Layout{RecalculatedAt: k, Stable: k, Tokens: b.tokens, Dropped: b.first[len(levels)-1] - 1}
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
