package knowledge

import (
	"cmp"
	"slices"
)

// State is what an item is to memory.
type State string

// The states of the contract. Removed items are not among them: only a hash of their sentences is
// left, so that they do not come back.
const (
	Candidate  State = "candidate"  // nobody confirmed it: it may be found, and is never called a rule
	Confirmed  State = "confirmed"  // active
	Superseded State = "superseded" // a later one replaced it, or nothing is left that it is about
)

// Confirmation is what confirmed a candidate.
type Confirmation string

// The confirmations.
const (
	StoredBy   Confirmation = "stored"   // a person or an assistant stored it on purpose
	StatedBy   Confirmation = "stated"   // a person said it outright for the future
	RepeatedBy Confirmation = "repeated" // it was said in two conversations
	AcceptedBy Confirmation = "accepted" // a person accepted the candidate
	ModelBy    Confirmation = "model"    // a model read it in its message and confirmed it
)

var whyConfirmed = map[Confirmation]string{
	StatedBy: "said outright", RepeatedBy: "said in two conversations or more", AcceptedBy: "accepted", ModelBy: "confirmed by the chat model",
}

// standing returns the state of an item with the cause of it, as a code and in words. Everything
// that shows or uses a state has it from here.
func (it *Item) standing() (state State, cause, why string) {
	switch {
	case it.SupersededBy != "":
		return Superseded, "replaced", "replaced by " + it.SupersededBy
	case it.Outdated != "":
		return Superseded, "outdated", "outdated: " + it.Outdated
	case it.Team != nil && it.State == Candidate:
		return Candidate, "suggested", "suggested by " + it.Team.Name + " of the team; not accepted yet"
	case it.State == Candidate:
		return Candidate, "found", "found in what was said; not confirmed yet"
	case it.Team != nil && it.Confirmation == AcceptedBy:
		return Confirmed, string(AcceptedBy), "suggested by " + it.Team.Name + " of the team, and accepted"
	}
	by := cmp.Or(it.Confirmation, StoredBy) // also before there were states
	return Confirmed, string(by), cmp.Or(whyConfirmed[by], "stored on purpose")
}

// Standing returns the item's state.
func (it *Item) Standing() State {
	s, _, _ := it.standing()
	return s
}

// Cause returns the code of the reason for the item's state.
func (it *Item) Cause() string {
	_, cause, _ := it.standing()
	return cause
}

// Why returns the reason for the item's state, in words.
func (it *Item) Why() string {
	_, _, why := it.standing()
	return why
}

// Holds reports whether nothing replaced the item; it may be a candidate.
func (it *Item) Holds() bool { return it.Standing() != Superseded }

// suggested reports whether a teammate wrote the item and the person has not accepted it: it
// neither replaces anything nor is replaced.
func (it *Item) suggested() bool { return it.Team != nil && it.Standing() == Candidate }

// weigh sets whether a rule that memory found is confirmed by what was said: outright for the
// future, or in conversations that are no copies of each other. What somebody decided about it
// stays.
func (it *Item) weigh() {
	if !it.Learned || it.Confirmation == AcceptedBy || it.Confirmation == ModelBy {
		return
	}
	it.State, it.Confirmation = Candidate, ""
	if slices.ContainsFunc(it.Quotations, func(q Quotation) bool { return q.Outright }) {
		it.State, it.Confirmation = Confirmed, StatedBy
	} else if _, conversations := it.saidTimes(); conversations > 1 && it.Probability >= repeatedAt {
		it.State, it.Confirmation = Confirmed, RepeatedBy
	}
}

// saidTimes returns how often an item was said, and in how many conversations.
func (it *Item) saidTimes() (times, conversations int) {
	var seen []Quotation
	in := map[string]bool{}
	for _, q := range it.Quotations {
		if !slices.ContainsFunc(seen, func(o Quotation) bool { return isCopy(o, q) }) {
			seen = append(seen, q)
			in[q.Conversation] = true
		}
	}
	return len(seen), len(in)
}
