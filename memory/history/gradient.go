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
	blockTurns = 100

	recentTurns = 20 // turns whose mean size foretells the next ones
	marginShare = 115
	reserveCap  = 60 // percent of the budget that the reserve may take
	easyShare   = 25 // percent of the budget up to which a reserve for two periods is cheap
	olderLeast  = 10 // percent of the budget that the reserve leaves to turns before the newest
	newestCap   = 45 // percent of the budget up to which the newest turn is preferred to older ones

	// longFrom is the turn of a block from which one layout is made to last two periods whatever that costs. With it
	// nine in a hundred turns move the borders, so that one turn out of place does not spoil the tenth that may.
	longFrom = 80
)

// stretch is how far above its even part of the free room a turn may go, in percent, by level: the shorter the form, the
// worse it is to go without.
var stretch = [len(levels)]int{150, 200, 400, 0}

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
	return min(p.mean(k, dialogue.Raw)*next*marginShare/100, p.budget*reserveCap/100)
}

// mean is the mean size of the newest turns up to k at a level.
func (p planner) mean(k int, l dialogue.Level) int {
	from, sum := max(k-recentTurns, 0)+1, 0
	for i := from; i <= k; i++ {
		sum += p.size(i).at(l)
	}
	return sum / (k - from + 1)
}

// add appends turn k at the end, at the best level that leaves the turns still to come before the next recalculation
// their part; nothing before it changes. It is false when not even the shortest form fits, or when everything was raw
// till now and this turn cannot be; then the borders must move at once.
func (p planner) add(st *state, k int) bool {
	s, free := p.size(k), p.budget-st.Tokens
	if st.whole {
		if s.R > free {
			return false
		}
		st.append(dialogue.Raw, k, s.R)
		return true
	}
	coming := max(st.until-k-1, 0)
	spare := free - coming*p.least(k)
	for i, l := range levels {
		cost := s.alone(l)
		fair := max(spare*stretch[i]/100/(coming+1), free-coming*p.mean(k, dialogue.Raw))
		if l == dialogue.Tiny {
			fair, spare = free, free
		}
		if cost <= min(fair, spare) {
			st.append(l, k, cost)
			return true
		}
	}
	return false
}

// least is what a coming turn must be left, in tokens: twice a usual sentence, in a block of its own.
func (p planner) least(k int) int { return 2*p.mean(k, dialogue.Tiny) + AloneTags }

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
	st.Layout = p.borders(k, p.reserve(k, st.until-k)).layout(k)
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
		p.mean(k, dialogue.Raw)*2*period*marginShare <= p.budget*easyShare
	if long {
		next += period
	}
	return min(next, end)
}
