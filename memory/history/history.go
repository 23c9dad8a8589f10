// Package history lays out a conversation under a token budget: it decides which turns are shown,
// at which level, and where the borders between the levels lie. It is pure: it computes a Layout
// from sizes, and Blocks fetches the texts of a layout.
//
// Layouts are designed for prefix caches. The cache of a model server reuses the longest common
// prefix of two prompts, so a history that moves a border every turn is sent again every turn.
// Invariants:
//
//   - A layout is a function of (sizes of the turns up to the newest, room, strategy), not of
//     earlier calls. Only Steady budgets keep it from following small changes of the budget.
//   - A newer turn is never at a coarser level than an older one.
//   - Between two recalculations the stable part only grows at its end; the rest of it stays the
//     same byte for byte.
//   - What is shown never costs more than the room, tags and notice included.
//
// A layout is made in two steps. First the borders are computed for the steady room; they reserve
// some of it for the turns added before the next recalculation. New turns are added raw if that is
// cheap, otherwise at the best level that is. Second, the room that is free now raises turns from
// the newest back. Raised turns are not in the stable part: they fall back one after another as
// newer turns need the room.
//
// Rejected: moving the borders whenever the newest turn needs room (the text changes near its front
// each turn); adding a turn at a coarser level than those before it when room is short (the
// question that the prompt continues was shortened to a sentence while older turns were shown
// whole); and keeping the last layout as state (the answer then depends on who asked when, and a
// restart changes it).
package history

import (
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Size is the cost of a turn at each level, in tokens: R and S as an element of its own with tags
// and separators, C and T as a line of a merged block, that is, the Line with its line break.
type Size struct{ R, S, C, T int }

// at returns the cost at a level.
func (s Size) at(l dialogue.Level) int {
	switch l {
	case dialogue.Raw:
		return s.R
	case dialogue.Smoothed:
		return s.S
	case dialogue.Compressed:
		return s.C
	default:
		return s.T
	}
}

// alone returns the cost at a level in a block of its own.
func (s Size) alone(l dialogue.Level) int {
	if merged(l) {
		return s.at(l) + AloneTags
	}
	return s.at(l)
}

// The assumed cost of the two tags of a block with their line breaks, in tokens. Both exceed the
// count in either encoding for turn numbers of up to six digits.
const (
	BlockTags = 32 // <T-123456-through-234567-C> and its end
	AloneTags = 20 // <T-123456-C> and its end
)

// Strategy is a method of choosing turns.
type Strategy string

// The strategies of the contract.
const (
	Gradient Strategy = "gradient" // the newest turns raw, older ones shorter and shorter
	Regular  Strategy = "regular"  // as many of the newest turns as fit, whole
	TaskLog  Strategy = "oneShot"  // specification, tasks and log instead of turns: see OneShot
)

// Band is a run of turns at one level, both ends included.
type Band struct {
	Level    dialogue.Level
	From, To int
}

// Room limits the cost of a layout, in tokens.
type Room struct {
	// Now is the room for this layout.
	Now int
	// Steady is the room for which the gradient's borders are computed: while it stays the same the
	// borders do too, as long as they fit in Now. 0 means Now.
	Steady int
	// Spare is the part of Now that must not raise turns in the stable part: what is left of a
	// prompt's budget differs from prompt to prompt, and the stable part must not. 0 lets all of
	// Now raise turns.
	Spare int
	// Dense spends all free room on raising turns. Without it, raw turns that were added since the
	// last recalculation keep their place, and the room reserved for the next ones goes to others.
	Dense bool
	// Notice is the cost of the notice about omitted turns; 0 means no notice. The notice is
	// dropped if it leaves no room for the newest turn.
	Notice int
}

// Layout describes what is shown of a conversation.
type Layout struct {
	Bands []Band // oldest first, without gaps; neighbours of the same level are separate blocks

	// RecalculatedAt is the turn at which the borders were last reconsidered: the last multiple of
	// ten (or 1), or a later turn that would not fit.
	RecalculatedAt int
	// Stable is the last turn of the stable part. Of two layouts that agree in RecalculatedAt and
	// in the steady room, the later one begins with the blocks of the earlier one up to the lower
	// Stable of both.
	Stable  int
	Dropped int  // the number of oldest turns omitted for lack of room: 1 … Dropped
	Notice  bool // Tokens includes the room for a notice of them
	Tokens  int  // by the sizes given, never above the room
}

// Plan lays out turns 1 … len(sizes). Under TaskLog the layout has no bands.
func Plan(sizes []Size, room Room, s Strategy) Layout {
	return PlanOf(len(sizes), func(turn int) Size { return sizes[turn-1] }, room, s)
}

// PlanOf is Plan for long conversations: it requests each size at most once, and only those it
// needs. These are the newest hundred or so and those that the layout reaches.
func PlanOf(turns int, size func(turn int) Size, room Room, s Strategy) Layout {
	if turns < 1 || room.Now < 1 {
		return Layout{Dropped: max(turns, 0)}
	}
	if room.Steady < 1 {
		room.Steady = room.Now
	}
	p := planner{size: remember(turns, size), budget: room.Steady, notice: max(room.Notice, 0)}
	switch s {
	case Regular:
		p.budget = room.Now
		return p.regular(turns)
	case TaskLog:
		return Layout{RecalculatedAt: turns} // its text is new each turn
	default:
		st := p.gradient(turns)
		if st.Tokens > room.Now {
			p.budget = Steady(room.Now)
			st = p.gradient(turns)
		}
		return p.raised(st, room)
	}
}

// planner computes one layout.
type planner struct {
	size   func(turn int) Size
	budget int // the steady room
	notice int
}

// told lays out with room for the notice if something is omitted, unless only the notice would fit
// then.
func (p planner) told(lay func(p planner) Layout) Layout {
	l := lay(p)
	if l.Dropped == 0 || p.notice == 0 || p.notice >= p.budget {
		return l
	}
	p.budget -= p.notice
	short := lay(p)
	switch {
	case len(short.Bands) == 0:
		return l
	case short.Dropped == 0: // less room was better used
		return short
	}
	short.Tokens += p.notice
	short.Notice = true
	return short
}

// remember caches size. Turns are requested from the newest backwards, so the cache is only as long
// as the layout.
func remember(turns int, size func(turn int) Size) func(turn int) Size {
	var known []Size // of turn turns, turns-1, …
	return func(turn int) Size {
		for len(known) <= turns-turn {
			known = append(known, size(turns-len(known)))
		}
		return known[turns-turn]
	}
}

// levels lists the levels from the best.
var levels = [...]dialogue.Level{dialogue.Raw, dialogue.Smoothed, dialogue.Compressed, dialogue.Tiny}

func merged(l dialogue.Level) bool { return l == dialogue.Compressed || l == dialogue.Tiny }

// regular takes whole turns from the newest until one does not fit. It does not continue with
// older, smaller ones: a conversation with gaps is misleading. A newest turn that does not fit is
// shown alone at the best level that does.
func (p planner) regular(turns int) Layout {
	return p.told(func(p planner) Layout { return p.newest(turns) })
}

func (p planner) newest(turns int) Layout {
	l := Layout{RecalculatedAt: turns}
	from := turns + 1
	for from > 1 && l.Tokens+p.size(from-1).R <= p.budget {
		from--
		l.Tokens += p.size(from).R
	}
	if l.Dropped = from - 1; l.Dropped == 0 {
		l.Stable = turns
	}
	if from <= turns {
		l.Bands = []Band{{dialogue.Raw, from, turns}}
		return l
	}
	if level, ok := best(p.size(turns), p.budget); ok {
		l.Bands = []Band{{level, turns, turns}}
		l.Tokens = p.size(turns).alone(level)
		l.Dropped--
	}
	return l
}

// best returns the best level at which a turn alone costs at most room.
func best(s Size, room int) (dialogue.Level, bool) {
	for _, l := range levels {
		if s.alone(l) <= room {
			return l, true
		}
	}
	return 0, false
}
