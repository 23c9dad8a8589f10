package recall

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/contexture-dev/contexture/memory/recall"
)

// decidedShelf has outcomes of turns of its conversation.
type decidedShelf struct {
	*shelf
	outcomes map[string][]Outcome
	places   map[string]int
	err      error
}

func (s *decidedShelf) Outcomes(context.Context) (func(string) []Outcome, error) {
	if s.outcomes == nil || s.err != nil {
		return nil, s.err
	}
	return func(turn string) []Outcome { return s.outcomes[turn] }, nil
}

func (s *decidedShelf) Place(_ context.Context, turn, _ string) (uint32, int, bool, error) {
	at, ok := s.places[turn]
	return 1, at, ok, nil
}

// TestFollowOutcomes checks that the outcome of a decision gets more than the decision of an
// outcome, a second step less, and a removed turn nothing.
func TestFollowOutcomes(t *testing.T) {
	s := &decidedShelf{shelf: talk(t, 10, "heron", "b", "c", "d", "e", "f", "g", "h", "i", "j")}
	id, _ := s.Conversation(t.Context(), 1)
	turn := func(n int) string { return fmt.Sprintf("%s/T-%d", id, n) }
	s.places = map[string]int{turn(2): 2, turn(3): 4, turn(4): 6, "x/T-9": 8}
	s.outcomes = map[string][]Outcome{
		turn(1): {{Turn: turn(2), Effect: true, Weight: 1}, {Turn: turn(3), Weight: 1}, {Turn: turn(9), Effect: true, Weight: 1}},
		turn(2): {{Turn: turn(4), Effect: true, Weight: 1, Loose: true}, {Turn: turn(1), Weight: 1}, {Turn: "x/T-9", Effect: true, Weight: .1}},
	}
	hits := []recall.Hit{{Conversation: 1, Message: 0, Score: 1, Own: 1}}
	got, reasons, err := followOutcomes(t.Context(), hits, s)
	if err != nil {
		t.Fatal(err)
	}
	scores := map[int]float64{}
	for _, h := range got {
		scores[h.Message] = h.Score
		if h.Message > 0 && h.Lent != h.Score {
			t.Errorf("message %d has %.3f, lent %.3f", h.Message, h.Score, h.Lent)
		}
	}
	if len(got) != 5 || scores[0] != 1 || scores[2] <= scores[4] || scores[2] <= scores[6] || scores[6] <= scores[8] || scores[8] <= 0 {
		t.Errorf("scores %v", scores)
	}
	for message, want := range map[int]string{
		2: "followed from T-1", 4: "linked with T-1, which followed from it", 6: "linked with T-2, which decided it", 8: "followed from " + turn(2),
	} {
		if got := reasons[location{1, message}]; got != want {
			t.Errorf("message %d: reason %q, want %q", message, got, want)
		}
	}
	if reasons[location{1, 0}] != "" {
		t.Errorf("the decision itself: %q", reasons[location{1, 0}])
	}
}

// TestFollowOutcomesLimits checks that a better keyword score is not lowered, that a score received
// from a link is not passed on, and that nothing changes if no run found outcomes.
func TestFollowOutcomesLimits(t *testing.T) {
	s := &decidedShelf{shelf: talk(t, 4, "heron", "b", "heron", "d")}
	id, _ := s.Conversation(t.Context(), 1)
	hits := func() []recall.Hit {
		return []recall.Hit{{Conversation: 1, Message: 0, Score: 1, Own: 1}, {Conversation: 1, Message: 2, Score: .9, Own: .9}}
	}
	for name, outcomes := range map[string]map[string][]Outcome{
		"nothing known": nil,
		"found better":  {id + "/T-1": {{Turn: id + "/T-2", Effect: true, Weight: 1}}},
	} {
		s.outcomes, s.places = outcomes, map[string]int{id + "/T-2": 2}
		got, reasons, err := followOutcomes(t.Context(), hits(), s)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(hits()) || len(reasons) > 0 {
			t.Errorf("%s: %+v, %v, %v", name, got, reasons, err)
		}
	}
	lent := []recall.Hit{{Conversation: 1, Message: 0, Score: .1, Lent: .1}}
	if got, _, _ := followOutcomes(t.Context(), lent, s); len(got) != 1 {
		t.Errorf("what was lent lends: %+v", got)
	}
	s.err = errors.New("the store is away")
	if _, _, err := followOutcomes(t.Context(), hits(), s); !errors.Is(err, s.err) {
		t.Errorf("error %v", err)
	}
}
