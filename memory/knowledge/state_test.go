package knowledge

import (
	"fmt"
	"testing"
)

// TestStanding checks the state of an item and its reason, from the strongest to the weakest.
func TestStanding(t *testing.T) {
	mate := &Provenance{Name: "Anna"}
	for _, c := range []struct {
		it    Item
		state State
		why   string
	}{
		{Item{SupersededBy: "rule-1", Outdated: filesGone, State: Candidate}, Superseded, "replaced by rule-1"},
		{Item{Outdated: filesGone, State: Confirmed}, Superseded, "outdated: " + filesGone},
		{Item{Team: mate, State: Candidate}, Candidate, "suggested by Anna of the team; not accepted yet"},
		{Item{Team: mate, State: Confirmed, Confirmation: AcceptedBy}, Confirmed, "suggested by Anna of the team, and accepted"},
		{Item{State: Candidate}, Candidate, "found in what was said; not confirmed yet"},
		{Item{State: Confirmed, Confirmation: RepeatedBy}, Confirmed, "said in two conversations or more"},
		{Item{}, Confirmed, "stored on purpose"},
	} {
		if state, why := c.it.Standing(), c.it.Why(); state != c.state || why != c.why {
			t.Errorf("%+v: %s, %q, want %s, %q", c.it, state, why, c.state, c.why)
		}
	}
}

// TestWeigh checks what confirms a rule that memory found: words for the future, or words in two
// conversations, also after so many quotations that not all are kept.
func TestWeigh(t *testing.T) {
	in := func(conversations ...string) (out []Quotation) {
		for i, c := range conversations {
			out = append(out, saying(c, "T-1", fmt.Sprint("words ", i)))
		}
		return out
	}
	outright := in("a")
	outright[0].Outright = true
	for _, c := range []struct {
		name string
		it   Item
		want Confirmation
	}{
		{"once", Item{Learned: true, Probability: .9, Quotations: in("a")}, ""},
		{"for the future", Item{Learned: true, Quotations: outright}, StatedBy},
		{"twice in one conversation", Item{Learned: true, Probability: .9, Quotations: in("a", "a")}, ""},
		{"in two conversations", Item{Learned: true, Probability: .9, Quotations: in("a", "b")}, RepeatedBy},
		{"in two, improbable", Item{Learned: true, Probability: .3, Quotations: in("a", "b")}, ""},
		{"accepted", Item{Learned: true, State: Confirmed, Confirmation: AcceptedBy, Quotations: in("a")}, AcceptedBy},
		{"by hand", Item{State: Confirmed, Confirmation: StoredBy}, StoredBy},
	} {
		if c.it.weigh(); c.it.Confirmation != c.want || (c.it.Standing() == Confirmed) != (c.want != "") {
			t.Errorf("%s: %s by %q, want %q", c.name, c.it.Standing(), c.it.Confirmation, c.want)
		}
	}
	long := Item{ID: "x", Kind: Rule, Learned: true, State: Candidate, Probability: .9}
	for i := range maxQuotations {
		long.Quotations = append(long.Quotations, saying("a", fmt.Sprint("T-", i+1), "words"))
	}
	s := &itemStage{items: map[string]*Item{"x": &long}, was: map[string]*Item{"x": &long}, changed: map[string]bool{}}
	if err := s.repeat(&long, saying("b", "T-2", "the words"), noon); err != nil || long.Confirmation != RepeatedBy || len(long.Quotations) != maxQuotations {
		t.Errorf("after %d quotations: %v, %q, %d", maxQuotations, err, long.Confirmation, len(long.Quotations))
	}
}
