package receipt

import "time"

// TrialPrompts is the number of prompts with names of places after which a trial decides.
const TrialPrompts = 50

// MostLevel is the level of a trial at which nothing is named any more.
const MostLevel = 2

// Trial measures whether the names of places pay in a workspace. After every TrialPrompts prompts
// that had some, its level rises if the look-ups that they made needless returned less than the
// names took. At each level places are named only where they pay more surely. The level never falls
// by itself: at a higher one, what a lower one would have given is not known.
type Trial struct {
	Level int `json:"level"`
	// Since is when the last of the prompts was that were counted.
	Since time.Time `json:"since"`
	// Prompts are those that count for the next decision, and Places and Spared the tokens of
	// their names, and of the results of the look-ups that were needless.
	Prompts int `json:"prompts"`
	Places  int `json:"places"`
	Spared  int `json:"spared"`
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
	if t.Prompts < TrialPrompts {
		return
	}
	if t.Spared < t.Places {
		t.Level = min(t.Level+1, MostLevel)
	}
	*t = Trial{Level: t.Level, Since: at}
}
