package receipt

import (
	"math"
	"time"
)

// TrialPrompts is the number of prompts with names of places after each of which a trial decides.
const TrialPrompts = 50

// MostLevel is the level of a trial at which nothing is named any more.
const MostLevel = 2

// surely is how many standard errors the mean net of prompts must be below zero to rise by: what a
// prompt spares varies by a hundred times.
const surely = 2

// Trial measures whether the names of places pay in a workspace. Its level rises if, after a
// multiple of TrialPrompts prompts that had some since it last rose, the look-ups that they made
// needless surely returned less than the names took. At each level places are named only where they
// pay more surely. The level never falls by itself: at a higher one, what a lower one would have
// given is not known.
type Trial struct {
	Level int `json:"level"`
	// Since is when the last of the prompts was that were counted.
	Since time.Time `json:"since"`
	// Prompts are those at this level, and Places and Spared the tokens of their names, and of the
	// results of the look-ups that were needless.
	Prompts int `json:"prompts"`
	Places  int `json:"places"`
	Spared  int `json:"spared"`
	// Squares is the sum of the squares of the prompts' net.
	Squares float64 `json:"squares"`
}

// Count counts a prompt, if places were named with it.
func (t *Trial) Count(at time.Time, r Receipt) {
	t.Since = at
	if r.Places == 0 {
		return
	}
	t.Prompts++
	t.Places += r.Places
	t.Spared += r.Spared
	t.Squares += math.Pow(float64(r.Spared-r.Places), 2)
	n := float64(t.Prompts)
	mean := float64(t.Spared-t.Places) / n
	deviation := math.Sqrt(max(0, t.Squares/n-mean*mean))
	if t.Prompts%TrialPrompts == 0 && mean+surely*deviation/math.Sqrt(n) < 0 {
		*t = Trial{Level: min(t.Level+1, MostLevel), Since: at}
	}
}
