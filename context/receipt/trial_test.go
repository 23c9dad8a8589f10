package receipt

import (
	"testing"
	"time"
)

// TestTrial checks that the level rises only after enough prompts with names whose searches saved
// were worth less, that it does not fall, and that it ends.
func TestTrial(t *testing.T) {
	var trial Trial
	at := time.Unix(0, 0)
	count := func(prompts, places, spared int) {
		for range prompts {
			at = at.Add(time.Minute)
			trial.Count(at, Receipt{Given: places + 9, Places: places, Spared: spared})
		}
	}
	count(200, 0, 0)
	if trial != (Trial{Since: at}) {
		t.Errorf("prompts without names count: %+v", trial)
	}
	count(TrialPrompts-1, 10, 9)
	if trial.Level != 0 || trial.Prompts != TrialPrompts-1 || trial.Places != 490 || trial.Spared != 441 {
		t.Errorf("before the last prompt: %+v", trial)
	}
	for _, step := range []struct{ spared, want int }{{9, 1}, {10, 1}, {11, 1}, {0, 2}, {0, 2}} {
		count(TrialPrompts-trial.Prompts, 10, step.spared)
		if trial != (Trial{Level: step.want, Since: at}) {
			t.Errorf("%d spared of 10: %+v, want level %d", step.spared, trial, step.want)
		}
	}
}
