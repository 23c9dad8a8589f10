// Package level makes shorter versions of what was said by choosing from it: a turn at four levels,
// and a run of messages in a budget. What stands in a level stands in a message, sentence by
// sentence and line by line; nothing is reworded, no half of a sentence is joined to another, and
// only the end of level T is cut, with "…". It is pure: no storage, no clock, no state, the same
// input gives the same text, and the work is linear in the input but for one sort.
//
// [Turn] makes the levels S, C and T of one turn and [RawText] its level R; [Compact] makes one
// summary of many messages; [Importance] ranks whole messages. [Anchors] and [Missing] check that a
// shortening kept what matters.
package level

import (
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Options are what a level needs from outside. The zero value works.
type Options struct {
	// Count gives the tokens of a text. Without it a token is taken for four bytes, which is enough
	// to compare sizes but is no promise about budgets.
	Count func(string) int
}

func (o Options) count(s string) int {
	if o.Count == nil {
		return (len(s) + 3) / 4
	}
	return o.Count(s)
}

// Levels are the shortened versions of one turn, from long to short.
type Levels struct {
	S string // smoothed: about 60 % of the raw text
	C string // compressed: 30 to 40 %
	T string // tiny: one sentence, 1 to 5 %
}

// Shares of the raw text's tokens that the levels aim at, and the least that each may use, so that
// a short turn is not cut to nothing.
const (
	smoothedShare   = 0.60
	compressedShare = 0.38
	tinyShare       = 0.04

	leastSmoothed   = 30
	leastCompressed = 24
	leastTiny       = 28
	mostTiny        = 60 // one sentence, however long the turn
)

// Turn makes the levels of a turn.
//
// The person's own words stand whole in S (see [ownLimit] for the end of that) and are the first in
// C. Tool output is shortened before dialogue. Every anchor of the messages' content is in S, and
// as far as C's share allows in C: decisions and errors first. No level is longer than the one
// before it and S no longer than R: where a turn is so short that nothing can be left out, levels
// equal R's text.
func Turn(t dialogue.Turn, o Options) Levels {
	raw := RawText(t)
	size := o.count(raw)
	d := newDraft(t, o)
	s := atMost(d.smoothed(max(int(smoothedShare*float64(size)), leastSmoothed), size), raw, o)
	c := atMost(d.compressed(max(int(compressedShare*float64(size)), leastCompressed)), s, o)
	tiny := d.tiny(min(max(int(tinyShare*float64(size)), leastTiny), mostTiny))
	if most := o.count(c); o.count(tiny) > most { // C has no tool calls where there is no room for them
		tiny = d.tiny(most - 1)
	}
	return Levels{S: s, C: c, T: atMost(tiny, oneSpaced(c), o)}
}

// atMost returns text, or longer when that one is in fact the shorter.
func atMost(text, longer string, o Options) string {
	if text == "" || o.count(text) > o.count(longer) {
		return longer
	}
	return text
}
