// Package history lays a conversation out under a token budget: which turns are shown, at which
// level, and where the borders between the levels lie. It is pure: sizes come in, a Layout goes
// out, Blocks fetches the texts of a layout.
//
// The layout is made for prefix caches. A cache of a model server reuses the longest common prefix
// of two prompts, so a history that moves a border every turn is sent anew every turn. Invariants:
//
//   - A layout is a function of (sizes of the turns up to the newest, room, strategy), and of nothing that was asked
//     before. Only Steady budgets keep it from following a budget that trembles.
//   - A newer turn is never at a coarser level than an older one.
//   - Between two recalculations the stable part only grows at its end; all of it stays byte for byte.
//   - What is shown never costs more than the room, tags and notice included.
//
// A layout is made in two steps. The borders are laid for the steady room and keep some of it for
// the turns that come until they are laid again. Where that is cheap, new turns are added raw;
// where it is not, they are added at the best level that is. Then what is free now raises turns
// from the newest back. What was raised is not in the stable part: it falls back, turn by turn, as
// newer ones need its room.
//
// Rejected: moving the borders whenever the newest turn needs room (the text changes near its front
// each turn), adding a turn at a coarser level than those before it where room is short (the
// question that the prompt continues was told in a sentence, and older ones whole), and keeping the
// last layout as state (then the answer depends on who asked when, and a restart changes it).
package history

import (
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Size is what a turn costs at each level, in tokens: R and S as an element of its own with its
// tags and separators, C and T as a line of a merged block, that is the Line with its line break.
type Size struct{ R, S, C, T int }

// at is the cost at a level.
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

// alone is the cost at a level in a block of its own.
func (s Size) alone(l dialogue.Level) int {
	if merged(l) {
		return s.at(l) + AloneTags
	}
	return s.at(l)
}

// What the two tags of a block are taken to cost, with their line breaks, in tokens. Both are above
// the count in either encoding for turns of up to six digits.
const (
	BlockTags = 32 // <T-123456-through-234567-C> and its end
	AloneTags = 20 // <T-123456-C> and its end
)

// Strategy is a way to choose turns.
type Strategy string

// The strategies of the contract.
const (
	Gradient Strategy = "gradient" // the newest turns raw, older ones shorter and shorter
	Regular  Strategy = "regular"  // the newest whole turns that fit
	TaskLog  Strategy = "oneShot"  // specification, tasks and log instead of turns: see OneShot
)

// Band is a run of turns at one level, both ends included.
type Band struct {
	Level    dialogue.Level
	From, To int
}

// Room is what a layout may take, in tokens.
type Room struct {
	// Now is what may be taken this time.
	Now int
	// Steady is what the gradient's borders are laid for: while it stays the same, so do they, as
	// long as there is now what they take. 0 is Now.
	Steady int
	// Spare is the part of Now that raises no turn which is stable without it: what is left of a
	// prompt's budget differs from prompt to prompt, and what is stable shall not. 0 lets all of
	// Now raise turns.
	Spare int
	// Dense raises turns by all that is free now. Without it, raw turns that were added since the
	// borders were laid stay where they are, and the room kept for the next ones is left to others.
	Dense bool
	// Notice is what it costs to tell of turns that are left out; 0 is not told. It is left away
	// where not even the newest turn has room beside it.
	Notice int
}

// Layout says what is shown of a conversation.
type Layout struct {
	Bands []Band // oldest first, without gaps; neighbours may be of one level: then they are blocks of their own

	// RecalculatedAt is the turn at which the borders were last looked at: the last multiple of ten
	// (or 1), or a later turn that would not fit.
	RecalculatedAt int
	// Stable is the last turn of the stable part. Of two layouts that agree in RecalculatedAt and
	// in the steady room, the later one begins with the blocks of the earlier one up to the lower
	// Stable of both.
	Stable  int
	Dropped int  // the oldest turns, left out for want of room: 1 … Dropped
	Notice  bool // the room for a notice of them is in Tokens
	Tokens  int  // by the sizes given, never above the room
}

// Plan lays out turns 1 … len(sizes). Under TaskLog there are no bands.
func Plan(sizes []Size, room Room, s Strategy) Layout {
	return PlanOf(len(sizes), func(turn int) Size { return sizes[turn-1] }, room, s)
}

// PlanOf is Plan for the owner of long conversations: it asks for the sizes of the turns it needs
// only, once each. These are the newest hundred or so and those that the layout reaches.
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
		return Layout{RecalculatedAt: turns} // a text of its own each turn
	default:
		st := p.gradient(turns)
		if st.Tokens > room.Now {
			p.budget = Steady(room.Now)
			st = p.gradient(turns)
		}
		return p.raised(st, room)
	}
}

// planner is one question.
type planner struct {
	size   func(turn int) Size
	budget int // the steady room
	notice int
}

// told lays out with room for the notice where something is left out, if anything but the notice
// fits then.
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

// remember asks size once a turn. Turns are asked for from the newest backwards, so the memory is
// as short as the answer.
func remember(turns int, size func(turn int) Size) func(turn int) Size {
	var known []Size // of turn turns, turns-1, …
	return func(turn int) Size {
		for len(known) <= turns-turn {
			known = append(known, size(turns-len(known)))
		}
		return known[turns-turn]
	}
}

// levels from the best.
var levels = [...]dialogue.Level{dialogue.Raw, dialogue.Smoothed, dialogue.Compressed, dialogue.Tiny}

func merged(l dialogue.Level) bool { return l == dialogue.Compressed || l == dialogue.Tiny }

// regular takes whole turns from the newest until one does not fit; older, smaller ones are not
// taken, a conversation with holes misleads. A newest turn that does not fit stands alone at the
// best level that does.
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

// best is the best level at which a turn alone costs at most room.
func best(s Size, room int) (dialogue.Level, bool) {
	for _, l := range levels {
		if s.alone(l) <= room {
			return l, true
		}
	}
	return 0, false
}
