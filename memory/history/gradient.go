package history

import "github.com/contexture-dev/contexture/memory/dialogue"

// The gradient, by its numbers.
//
// Shares of the bands are in percent of the budget (SPEC §5). They hold at the end of a period, when the turns that
// were added since the recalculation are in the raw band with the others: at the recalculation itself raw is smaller
// by the reserve.
const (
	rawShare        = 40
	smoothedShare   = 16
	compressedShare = 30
	tinyShare       = 14

	period = 10 // turns between two recalculations

	// blockTurns is how far back a replay begins: at a multiple of it the borders are always laid anew, so that a
	// layout depends on no turn before but by its size.
	blockTurns = 50

	recentTurns = 20 // turns whose mean size foretells the next ones
	marginShare = 115
	reserveCap  = 50 // percent of the budget that the reserve may take
	easyShare   = 25 // percent of the budget up to which a reserve for two periods is cheap
	newestCap   = 60 // percent of the budget up to which the newest turn is preferred to older ones

	// longFrom is the turn of a block from which one layout is made to last two periods whatever that costs. With it
	// eight in a hundred turns see a recalculation; without it ten would, and the tenth turn could never be spared.
	longFrom = 30
)

// state is a layout and what the replay must know of it.
type state struct {
	Layout
	until int  // the turn that is due for a recalculation
	whole bool // everything is raw
}

// gradient replays the rule from the last multiple of blockTurns.
func (p planner) gradient(turns int) Layout {
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
	return st.Layout
}

// lasts says whether the borders can stay for another period: most of what a new layout would reserve is still free.
func (p planner) lasts(st state, k int) bool {
	return p.budget-st.Tokens-p.size(k).R >= p.reserve(k, period)*6/10
}

// reserve is the room kept free at turn k for the next ones, in tokens.
func (p planner) reserve(k, next int) int {
	return min(p.meanRaw(k)*next*marginShare/100, p.budget*reserveCap/100)
}

// meanRaw is the mean raw size of the newest turns up to k.
func (p planner) meanRaw(k int) int {
	from, sum := max(k-recentTurns, 0)+1, 0
	for i := from; i <= k; i++ {
		sum += p.size(i).R
	}
	return sum / (k - from + 1)
}

// add appends turn k at the end: raw, if the turns that are still to come before the next recalculation can be shown
// as well, else at the level that leaves them their part. Nothing before it changes. It is false when not even the
// shortest form fits; then the borders must move at once.
func (p planner) add(st *state, k int) bool {
	s, free := p.size(k), p.budget-st.Tokens
	if st.whole {
		if s.R > free {
			return false
		}
		st.append(dialogue.Raw, k, s.R)
		return true
	}
	left := max(st.until-k, 1)
	fair := min(free, max(free*3/(2*left), free-(left-1)*p.meanRaw(k)))
	level, ok := best(s, fair)
	if !ok {
		if level, ok = best(Size{R: free + 1, S: free + 1, C: s.C, T: s.T}, free); !ok {
			return false
		}
	}
	st.append(level, k, s.alone(level))
	return true
}

// append adds turn k as a block of its own, or to a band of raw or smoothed turns, which are blocks of their own.
func (st *state) append(level dialogue.Level, k, tokens int) {
	st.Tokens += tokens
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
	st := state{until: p.due(k)}
	reserve := p.reserve(k, st.until-k)
	b := p.borders(k, reserve)
	b.promote(p.budget - reserve)
	st.Layout = b.layout(k)
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
	return state{Layout: Layout{Bands: bands, RecalculatedAt: k, Tokens: sum}, whole: true}, true
}

// due is the turn to which a layout of turn k is made to last: the next multiple of ten, or the one after it where
// that is cheap, or where the next one is too near to move the borders twice.
func (p planner) due(k int) int {
	next := (k/period + 1) * period
	end := (k/blockTurns + 1) * blockTurns
	long := k%blockTurns >= longFrom || next-k <= period/2 ||
		p.meanRaw(k)*2*period*marginShare <= p.budget*easyShare
	if long {
		next += period
	}
	return min(next, end)
}
