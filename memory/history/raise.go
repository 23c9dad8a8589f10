package history

import (
	"slices"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// finer reports whether a level shows more than another.
func finer(a, b dialogue.Level) bool { return rank(a) < rank(b) }

// rank returns the index of a level in levels.
func rank(l dialogue.Level) int {
	for i, other := range levels {
		if other == l {
			return i
		}
	}
	return len(levels)
}

// raising is a layout whose turns are being raised. The omitted turns precede its first band.
type raising struct {
	planner
	Layout
	room int
	// firm is the last turn that must stay as it is.
	firm int
}

// raised spends the free room on turns, from the newest back. In a dense layout as many turns as
// fit become raw, then as many smoothed, and so on. Otherwise as many as fit become raw, and the
// one before them as fine as fits: everything before that stays unchanged, also while more turns
// are added.
func (p planner) raised(st state, room Room) Layout {
	r := raising{planner: p, Layout: st.Layout, room: room.Now}
	if room.Spare > 0 && len(st.Bands) > 0 && !st.whole {
		if whole, ok := p.within(room.Now).everything(st.Bands[len(st.Bands)-1].To); ok {
			whole.RecalculatedAt, whole.Stable = st.RecalculatedAt, 0 // lost when the spare room is
			return whole.Layout
		}
		without, less := st, room
		without.Bands, less.Now, less.Spare = slices.Clone(st.Bands), room.Now-room.Spare, 0
		r.firm = p.raised(without, less).Stable
	}
	switch {
	case st.whole:
		return r.Layout
	case room.Dense:
		r.join()
		for r.pass() { // once no turn is omitted, the room of the notice is free
		}
		return r.end()
	case st.adds == 0: // the free part of the steady room is reserved for later turns
		if room.Now <= room.Steady {
			return r.Layout
		}
		r.room = min(room.Now, st.Tokens+room.Now-room.Steady)
	}
	i := r.newest()
	for r.raise(&i, dialogue.Raw) {
	}
	for _, l := range levels {
		if i >= 0 && !finer(l, r.Bands[i].Level) || r.raise(&i, l) {
			break
		}
	}
	return r.end()
}

// within returns the planner of another budget.
func (p planner) within(budget int) planner {
	p.budget = budget
	return p
}

// newest returns the index of the newest band that is not raw, −1 if there is none.
func (r *raising) newest() int {
	i := len(r.Bands) - 1
	for i >= 0 && r.Bands[i].Level == dialogue.Raw {
		i--
	}
	return i
}

// join merges neighbouring bands that can form one block.
func (r *raising) join() {
	bands := r.Bands[:0:0]
	for _, b := range r.Bands {
		last := len(bands) - 1
		if last < 0 || bands[last].Level != b.Level {
			bands = append(bands, b)
			continue
		}
		n, more := bands[last].To-bands[last].From+1, b.To-b.From+1
		r.Tokens += tags(b.Level, n+more) - tags(b.Level, n) - tags(b.Level, more)
		if merged(b.Level) {
			r.Stable = min(r.Stable, bands[last].From-1)
		}
		bands[last].To = b.To
	}
	r.Bands = bands
}

// pass raises turns to each level from the newest back, skipping those that are fine enough, and
// reports whether it raised any.
func (r *raising) pass() (changed bool) {
	i := r.newest()
	for _, l := range levels {
		for {
			for i >= 0 && !finer(l, r.Bands[i].Level) {
				i--
			}
			if !r.raise(&i, l) {
				break
			}
			changed = true
		}
	}
	return changed
}

// raise shows the last turn of band at, or with -1 the last omitted turn, at a finer level, in or
// before the band after it. It reports whether that fits, and moves on when the band has no more
// turns.
func (r *raising) raise(at *int, l dialogue.Level) bool {
	i := *at
	turn, cost := r.Dropped, 0
	if i >= 0 {
		b := r.Bands[i]
		turn = b.To
		n := b.To - b.From + 1
		cost = -r.size(turn).at(b.Level) - tags(b.Level, n) + tags(b.Level, n-1)
	}
	if turn < 1 {
		return false
	}
	joins := i+1 < len(r.Bands) && r.Bands[i+1].Level == l
	n := 0
	if joins {
		n = r.Bands[i+1].To - r.Bands[i+1].From + 1
	}
	cost += r.size(turn).at(l) + tags(l, n+1) - tags(l, n)
	if i < 0 && turn == 1 && r.Notice {
		cost -= r.notice
	}
	if r.Tokens+cost > r.room || r.settled(i, turn) {
		return false
	}
	r.Tokens += cost
	r.unsettle(i, turn)
	if joins {
		r.Bands[i+1].From = turn
	} else {
		r.Bands = append(r.Bands[:i+1], append([]Band{{l, turn, turn}}, r.Bands[i+1:]...)...)
	}
	if i < 0 {
		r.Dropped--
		r.Notice = r.Notice && r.Dropped > 0
		return true
	}
	if r.Bands[i].To--; r.Bands[i].To < r.Bands[i].From {
		r.Bands = append(r.Bands[:i], r.Bands[i+1:]...)
		*at--
	}
	return true
}

// settled reports whether a turn of band i must stay as it is.
func (r *raising) settled(i, turn int) bool {
	if i >= 0 && merged(r.Bands[i].Level) {
		turn = r.Bands[i].From
	}
	return turn <= r.firm
}

// unsettle records that a turn of band i has changed, and with it the block that contained it.
func (r *raising) unsettle(i, turn int) {
	r.Stable = min(r.Stable, turn-1)
	switch {
	case i < 0:
		r.Stable = 0
	case merged(r.Bands[i].Level):
		r.Stable = min(r.Stable, r.Bands[i].From-1)
	}
}

// end adds the notice if there is room for it now.
func (r *raising) end() Layout {
	if r.Dropped > 0 && !r.Notice && r.firm == 0 && r.notice > 0 && len(r.Bands) > 0 && r.Tokens+r.notice <= r.room {
		r.Notice, r.Tokens, r.Stable = true, r.Tokens+r.notice, 0
	}
	if r.Stable <= r.Dropped {
		r.Stable = 0
	}
	return r.Layout
}
