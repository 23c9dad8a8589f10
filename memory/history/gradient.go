package history

import "github.com/contexture-dev/contexture/memory/dialogue"

// The gradient, by its numbers.
//
// Shares of the bands are in percent of the budget. They hold at the end of a period, when the
// turns that were added since the recalculation are in the raw band with the others: at the
// recalculation itself raw is smaller by the reserve.
const (
	rawShare        = 40
	smoothedShare   = 16
	compressedShare = 30
	tinyShare       = 14

	period = 10 // turns between two recalculations

	// blockTurns is how far back a replay begins: at a multiple of it the borders are always laid
	// anew, so that a layout depends on no turn before but by its size.
	blockTurns = 100

	recentTurns = 20 // turns whose mean size foretells the next ones
	easyShare   = 25 // percent of the budget up to which a reserve for two periods is cheap
	olderLeast  = 10 // percent of the budget that the reserve leaves to turns before the newest
	newestCap   = 45 // percent of the budget up to which the newest turn is preferred to older ones

	// longFrom is the turn of a block from which one layout is made to last two periods whatever
	// that costs. With it nine in a hundred turns move the borders, so that one turn out of place
	// does not spoil the tenth that may.
	longFrom = 80
)

// reserveShare is how much of the budget, in percent, the turns of a period may take for the level
// at which they are added, by level. What raw turns would take stands idle at first; of the other
// levels the free room raises turns.
var reserveShare = [len(levels)]int{30, 45, 50, 100}

// marginShare is what is reserved for the turns of a period, in percent of what they usually take,
// by level: a longer turn than usual moves the borders at once where it finds no room. What stands
// idle has less of a margin.
var marginShare = [len(levels)]int{115, 150, 150, 150}

// state is a layout and what the replay must know of it.
type state struct {
	Layout
	until int  // the turn that is due for a recalculation
	adds  int  // index of the level at which turns are added
	whole bool // everything is raw
}

// gradient replays the rule from the last multiple of blockTurns.
func (p planner) gradient(turns int) state {
	start := max(turns/blockTurns*blockTurns, 1)
	st := p.fresh(start)
	for k := start + 1; k <= turns; k++ {
		if k%period == 0 {
			st.RecalculatedAt = k
			if !st.whole && k >= st.until {
				if !p.lasts(st, k) {
					st = p.fresh(k)
					continue
				}
				st.until = k + period
			}
		}
		if !p.add(&st, k) {
			st = p.fresh(k)
		}
	}
	return st
}

// lasts reports whether the borders can stay for another period: most of what a new layout would
// reserve is still free.
func (p planner) lasts(st state, k int) bool {
	free := p.budget - st.Tokens - p.size(k).alone(levels[st.adds])
	return free >= p.reserve(k, period, st.adds)*4/10+p.tail(k, st.adds)
}

// addsAt is the index of the best level at which the turns of a period after turn k are cheap
// enough.
func (p planner) addsAt(k int) int {
	for i := range levels {
		if p.meanCost(k, i)*period*marginShare[i] <= p.budget*reserveShare[i] {
			return i
		}
	}
	return len(levels) - 1
}

// reserve is the room kept free at turn k for the next ones at a level, in tokens.
func (p planner) reserve(k, next, level int) int {
	return p.meanCost(k, level) * next * marginShare[level] / 100
}

// tail is the room kept free for raw turns where others are added: their share of the budget, as
// far as the newest ones need it.
func (p planner) tail(k, level int) int {
	if level == 0 {
		return 0
	}
	return min(p.meanCost(k, 0), p.budget*rawShare/100)
}

// meanCost is the mean cost of the newest turns up to k in blocks of their own at a level.
func (p planner) meanCost(k, level int) int {
	from, sum := max(k-recentTurns, 0)+1, 0
	for i := from; i <= k; i++ {
		sum += p.size(i).alone(levels[level])
	}
	return sum / (k - from + 1)
}

// add appends turn k at the level at which turns are added, or at a coarser one that is not coarser
// than the turn before it; nothing before it changes. It is false when that does not fit, or when
// everything was raw till now and this turn cannot be; then the borders must move at once.
func (p planner) add(st *state, k int) bool {
	s, free := p.size(k), p.budget-st.Tokens
	if st.whole {
		if s.R > free {
			return false
		}
		st.append(dialogue.Raw, k, s.R)
		return true
	}
	for _, l := range levels[st.adds:] {
		if n := len(st.Bands); n > 0 && finer(st.Bands[n-1].Level, l) {
			return false
		}
		if cost := s.alone(l); cost <= free {
			st.append(l, k, cost)
			return true
		}
	}
	return false
}

// append adds turn k as a block of its own, or to a band of raw or smoothed turns, which are blocks
// of their own.
func (st *state) append(level dialogue.Level, k, tokens int) {
	st.Tokens += tokens
	st.Stable = k
	if n := len(st.Bands); n > 0 && !merged(level) && st.Bands[n-1].Level == level {
		st.Bands[n-1].To = k
		return
	}
	st.Bands = append(st.Bands, Band{level, k, k})
}

// fresh lays the borders anew at turn k.
func (p planner) fresh(k int) state {
	if st, ok := p.everything(k); ok {
		return st
	}
	adds := p.addsAt(k)
	st := state{until: p.due(k, adds), adds: adds}
	st.Layout = p.told(func(p planner) Layout {
		return p.borders(k, adds, p.reserve(k, st.until-k, adds)+p.tail(k, adds)).layout(k)
	})
	return st
}

// everything is the layout that shows all turns up to k raw.
func (p planner) everything(k int) (state, bool) {
	sum := 0
	for i := k; i >= 1; i-- {
		if sum += p.size(i).R; sum > p.budget {
			return state{}, false
		}
	}
	bands := []Band{{dialogue.Raw, 1, k}}
	return state{Layout: Layout{Bands: bands, RecalculatedAt: k, Stable: k, Tokens: sum}, whole: true}, true
}

// due is the turn to which a layout of turn k is made to last: the next multiple of ten, or the one
// after it where that is cheap, or where the next one is too near to move the borders twice.
func (p planner) due(k, level int) int {
	next := (k/period + 1) * period
	end := (k/blockTurns + 1) * blockTurns
	long := k%blockTurns >= longFrom || next-k <= period/2 ||
		p.reserve(k, 2*period, level)*100 <= p.budget*easyShare
	if long {
		next += period
	}
	return min(next, end)
}
