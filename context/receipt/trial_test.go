package receipt

import (
	"testing"
	"time"
)

// TestTrial checks that the level rises only after enough prompts with names that surely spared
// less than these took, that it does not fall, and that it ends.
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
	if trial != (Trial{Since: at, Prompts: TrialPrompts - 1, Places: 490, Spared: 441, Squares: 49}) {
		t.Errorf("before the last prompt: %+v", trial)
	}
	count(1, 10, 9)
	if trial != (Trial{Level: 1, Since: at}) {
		t.Errorf("after it: %+v", trial)
	}
	for _, c := range []struct {
		level, lots, most, rest int // tokens spared by one prompt of ten and by the others, of 10 given
		want                    int
	}{
		{0, 1, 9, 9, 1}, {0, 1, 60, 0, 0}, {0, 2, 60, 0, 1}, {0, 9, 100, 0, 0}, {1, 1, 0, 0, 2}, {1, 9, 10, 10, 1}, {2, 9, 0, 0, 2},
	} {
		trial = Trial{Level: c.level}
		for range c.lots * TrialPrompts / 10 {
			count(1, 10, c.most)
			count(9, 10, c.rest)
		}
		if trial.Level != c.want {
			t.Errorf("%+v: level %d", c, trial.Level)
		}
	}
}
