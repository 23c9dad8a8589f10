package window

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// tail returns the number of newest messages that are whole without a gap.
func tail(msgs []Message, w Window) (n int) {
	for i := len(w.Pieces) - 1; i >= 0 && w.Pieces[i].Summary == ""; i-- {
		if w.Pieces[i].From != msgs[len(msgs)-1-n].Index {
			break
		}
		n++
	}
	return n
}

// A larger budget never shortens the unbroken run of newest messages. It may reduce the number of
// whole messages: a long newer one may replace two short ones that fitted. Compacted windows are
// not tested: the room that key messages leave to the recent ones depends on how well they happen
// to fill their share.
func TestMoreBudgetShowsMoreOfTheNewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := messages(rapid.SliceOfN(rapid.IntRange(1, 300), 2, 300).Draw(t, "tokens")...)
		budget := rapid.IntRange(50, 20000).Draw(t, "budget")
		more := budget + rapid.IntRange(1, budget).Draw(t, "more")
		small, err := Build(msgs, budget, &filler{})
		if err != nil {
			t.Fatal(err)
		}
		large, err := Build(msgs, more, &filler{})
		if err != nil {
			t.Fatal(err)
		}
		if small.Strategy == large.Strategy && small.Strategy != Compacted && tail(msgs, large) < tail(msgs, small) {
			t.Fatalf("%s: %d newest messages with %d tokens, %d with %d", small.Strategy, tail(msgs, small), budget,
				tail(msgs, large), more)
		}
	})
}

// While all messages have the same length, a larger budget shows no fewer of them.
func TestMoreBudgetShowsMoreOfEqualMessages(t *testing.T) {
	for _, n := range []int{3, 60, 250} {
		msgs, last, strategy := even(n, 40), 0, Strategy("")
		for budget := 1; budget <= n*40; budget++ {
			w, err := Build(msgs, budget, &filler{})
			if err != nil {
				t.Fatal(err)
			}
			if w.Strategy == strategy && w.Coverage.Full < last {
				t.Fatalf("%d messages, %s: %d whole with %d tokens, %d with one less", n, strategy, w.Coverage.Full, budget, last)
			}
			strategy, last = w.Strategy, w.Coverage.Full
		}
	}
}

// A growing conversation mostly requests the same summaries again.
func TestSummariesComeBackAsConversationGrows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	tokens := make([]int, 1500)
	for i := range tokens {
		tokens[i] = 20 + r.IntN(300)
	}
	msgs := messages(tokens...)
	for _, budget := range []int{10000, 40000, 110000} {
		made, hits := map[string]bool{}, map[string]int{}
		asked := map[string]int{}
		for n := 600; n <= len(msgs); n++ {
			c := &keyed{made: made, hits: hits, asked: asked}
			if _, err := Build(msgs[:n], budget, c); err != nil {
				t.Fatal(err)
			}
		}
		for level, n := range asked {
			share := hits[level] * 100 / n
			t.Logf("budget %d: %s summaries: %d %% of %d had been made", budget, level, share, n)
			if level != LevelRecent && n > 50 && share < 85 {
				t.Errorf("budget %d: only %d %% of the %s summaries come back", budget, share, level)
			}
		}
	}
}

// keyed records its requests, including the tokens.
type keyed struct {
	made        map[string]bool
	hits, asked map[string]int
}

func (k *keyed) Compact(from, to int, level string, tokens int) (string, int, bool, error) {
	key := fmt.Sprint(from, to, level, tokens)
	k.asked[level]++
	if k.made[key] {
		k.hits[level]++
	}
	k.made[key] = true
	return "summary", tokens * 9 / 10, false, nil
}
