// Package level shortens messages by selecting from them: it produces a turn at four levels, and a
// run of messages within a budget. All content of a level is taken from a message, sentence by
// sentence and line by line: nothing is reworded, parts of sentences are never joined, and only the
// end of level T is cut, with "…". The package is pure: no storage, no clock, no state; the same
// input yields the same text, and the work is linear in the input except for one sort.
//
// [Turn] returns the levels S, C and T of one turn and [RawText] its level R; [Compact] returns one
// summary of many messages; [Importance] ranks whole messages. [Anchors] and [Missing] check that a
// shortening kept what matters.
package level

import (
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Options holds the inputs of a level besides the messages. The zero value is valid.
type Options struct {
	// Count returns the number of tokens in a text. Without it, four bytes count as a token, which
	// suffices to compare sizes but does not guarantee budgets.
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

// The minimum that each level may use, in tokens, so that a short turn is not cut to nothing.
const (
	leastSmoothed   = 30
	leastCompressed = 24
	leastTiny       = 28
	mostTiny        = 60 // one sentence, for a turn of any length
)

// Turn returns the levels of a turn.
//
// S contains the person's own words whole (up to [ownLimit]), and C prefers them to all else. Tool
// output is shortened before dialogue. S contains every anchor of the messages' content, and C as
// many as its share allows, decisions and errors first. No level is longer than the one before it,
// and S is no longer than R: if a turn is so short that nothing can be left out, levels equal R's
// text.
func Turn(t dialogue.Turn, o Options) Levels {
	raw := RawText(t)
	size := o.count(raw)
	d := newDraft(t, o)
	s := atMost(d.smoothed(max(int(smoothedShare*float64(size)), leastSmoothed), size), raw, o)
	c := atMost(d.compressed(max(int(compressedShare*float64(size)), leastCompressed)), s, o)
	tiny := d.tiny(min(max(int(tinyShare*float64(size)), leastTiny), mostTiny))
	if most := o.count(c); o.count(tiny) > most { // C omits tool calls that do not fit
		tiny = d.tiny(most - 1)
	}
	return Levels{S: s, C: c, T: atMost(tiny, oneSpaced(c), o)}
}

// atMost returns text, or longer if text is empty or in fact the longer of the two.
func atMost(text, longer string, o Options) string {
	if text == "" || o.count(text) > o.count(longer) {
		return longer
	}
	return text
}
