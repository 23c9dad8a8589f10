package history

import "github.com/contexture-dev/contexture/memory/dialogue"

// The parameters of the gradient.
//
// Shares of the bands are in percent of the budget. They hold at the end of a period, when the raw
// band includes the turns added since the recalculation; at the recalculation itself the raw band
// is smaller by the reserve.
const (
	rawShare        = 40
	smoothedShare   = 16
	compressedShare = 30
	tinyShare       = 14

	period = 10 // turns between two recalculations

	// blockTurns is how far back a replay starts: the borders are always recomputed at its
	// multiples, so that a layout depends on earlier turns only through their sizes.
	blockTurns = 100

	recentTurns = 20 // turns whose mean size predicts the next ones
	easyShare   = 25 // percent of the budget up to which a reserve for two periods is cheap
	olderLeast  = 10 // percent of the budget that the reserve leaves to the older turns
	newestCap   = 45 // percent of the budget up to which the newest turn is preferred to older ones

	// longFrom is the turn of a block from which one layout is made to last two periods at any
	// cost. As a result, nine in a hundred turns move the borders, so that one unexpected move does
	// not exceed the permitted tenth.
	longFrom = 80
)

// reserveShare is the largest share of the budget, in percent, that the turns of a period may take
// for the level at which they are added, by level. Room reserved for raw turns is idle at first; at
// the other levels the free room raises turns.
var reserveShare = [len(levels)]int{30, 45, 50, 100}

// marginShare is the reserve for the turns of a period in percent of their usual cost, by level: an
// unusually long turn moves the borders at once if it does not fit. Where the reserve is idle, the
// margin is smaller.
var marginShare = [len(levels)]int{115, 150, 150, 150}

// state is a layout with the state of the replay.
type state struct {
	Layout
	until int  // the turn at which a recalculation is due
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

// lasts reports whether the borders can stay for another period, because most of what a new layout
// would reserve is still free.
func (p planner) lasts(st state, k int) bool {
	free := p.budget - st.Tokens - p.size(k).alone(levels[st.adds])
	return free >= p.reserve(k, period, st.adds)*4/10+p.tail(k, st.adds)
}

// addsAt returns the index of the best level at which the turns of a period after turn k are cheap
// enough.
func (p planner) addsAt(k int) int {
	for i := range levels {
		if p.meanCost(k, i)*period*marginShare[i] <= p.budget*reserveShare[i] {
			return i
		}
	}
	return len(levels) - 1
}

// reserve returns the room kept free at turn k for the next turns at a level, in tokens.
func (p planner) reserve(k, next, level int) int {
	return p.meanCost(k, level) * next * marginShare[level] / 100
}

// tail returns the room kept free for raw turns when turns are added at another level: the raw
// share of the budget, as far as the newest turns need it.
func (p planner) tail(k, level int) int {
	if level == 0 {
		return 0
	}
	return min(p.meanCost(k, 0), p.budget*rawShare/100)
}

// meanCost returns the mean cost of the newest turns up to k, each in a block of its own at a
// level.
func (p planner) meanCost(k, level int) int {
	from, sum := max(k-recentTurns, 0)+1, 0
	for i := from; i <= k; i++ {
		sum += p.size(i).alone(levels[level])
	}
	return sum / (k - from + 1)
}

// add appends turn k at the level at which turns are added, or at a coarser one that is not coarser
// than the turn before it; nothing before it changes. It returns false if that does not fit, or if
// all turns were raw so far and this one cannot be; the borders must then move at once.
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

// append adds turn k as a block of its own, or to a band of raw or smoothed turns, in which every
// turn is a block of its own.
func (st *state) append(level dialogue.Level, k, tokens int) {
	st.Tokens += tokens
	st.Stable = k
	if n := len(st.Bands); n > 0 && !merged(level) && st.Bands[n-1].Level == level {
		st.Bands[n-1].To = k
		return
	}
	st.Bands = append(st.Bands, Band{level, k, k})
}

// fresh recomputes the borders at turn k.
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

// everything returns the layout that shows all turns up to k raw, if it fits.
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

// due returns the turn up to which a layout of turn k must last: the next multiple of ten, or the
// one after it if that is cheap, or if the next one is so near that the borders would move twice in
// short succession.
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
