package arc

import (
	"math"
	"slices"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// offer records what a line asks or proposes as something a later reply may take up.
func (t *turn) offer(l *Line) {
	t.options = union(t.options, l.Keys)
	t.offered = append(t.offered, l.Text)
}

// repeats reports whether a short line consists only of words of what was offered.
func (t *turn) repeats(l *Line) bool {
	if l.Words > shortEcho {
		return false
	}
	words := utterance.Words(l.Text[l.Agrees:])
	return slices.ContainsFunc(t.offered, func(text string) bool {
		same, of := common(words, text)
		return same > 0 && same == of
	})
}

// common returns how many of a list's words, short ones excluded, a text contains, and how many of
// them the list has.
func common(words []string, text string) (same, of int) {
	in, long := utterance.Words(text), false
	for _, w := range words {
		if len(w) < 3 {
			continue
		}
		if of++; slices.Contains(in, w) {
			same++
			long = long || len(w) > 3
		}
	}
	if !long {
		same = 0
	}
	return same, of
}

// confirms reports whether a short reply consists of words of a line.
func (t *turn) confirms(l *Line) bool {
	if t.notes.Reply&Brief == 0 {
		return false
	}
	reply := &t.notes.Replied[0]
	same, of := common(utterance.Words(reply.Text[reply.Agrees:]), l.Text)
	return 2*same >= of && same > 0 || shared(l.Keys, reply.Keys) > telling
}

// evidence returns the log odds that a sentence of the person decides something. It always adds the
// terms in the same order, so that equal sentences have equal odds to the last bit.
func (t *turn) evidence(l *Line) float64 {
	if l.is(stated) {
		return outright
	}
	// Where the model wavers between a decision and a rule, the sentence settles something all the
	// same.
	p := l.p(utterance.Decision)
	p = max(p, float64(l.Chosen)/255)
	p = min(max(p+min(p, l.p(utterance.Directive)), leastSure), mostSure)
	z := t.addOptions(math.Log(p/(1-p)), l)
	if l.is(trails) && !t.repeats(l) && shared(l.Keys, t.options) < telling {
		z -= besides
	}
	if l.Rejected != nil {
		z += opposed
	}
	if l.is(settling) {
		z += settled
	}
	if l.Agrees > 0 {
		z += agreed
	}
	if t.change > possibly && t.revises(l.Keys) {
		z += revised
	}
	switch {
	case t.confirms(l):
		z += confirmed
	case shared(l.Keys, t.notes.Answer) > telling:
		z += takenUp
	}
	z -= max(0, l.p(utterance.Directive)-clearly) + proposes*max(0, l.p(utterance.Proposal)-slightly) + reports*max(0, l.p(utterance.Problem)-rather) + max(0, l.p(utterance.Fixed)-rather)
	if l.p(utterance.Order) > likely && shared(l.Keys, t.options) < telling {
		z -= ordered
	}
	return z
}

// addOptions returns the log odds z plus what a sentence adds by naming an offered option or what
// the conversation is about.
func (t *turn) addOptions(z float64, l *Line) float64 {
	isShort := l.Words <= shortPick
	switch in := shared(l.Keys, t.options); {
	case t.repeats(l):
		z += named + first + echoes
	case in > telling && isShort:
		z += named
		if l.is(opening) && l.leads(t.options) {
			z += first
		}
		if in > mostOf*weightOf(l.Keys) && l.Words <= shortAnswer {
			z += echoes
		}
	case l.Agrees > 0 && isShort && shared(l.Keys, t.context) > telling:
		z += named
	case in > telling, isShort && shared(l.Keys, t.context) > telling:
		z += inContext
	}
	return z
}

// leads reports whether the first significant word of a line is one of the options.
func (l *Line) leads(options []key) bool {
	n := 0
	for i, r := range l.Text {
		if r == ' ' || r >= 0x3000 && r < 0x3040 || r == ',' || r == '，' {
			if n++; n > 1 || r >= 0x2E80 {
				return shared(keys(l.Text[:i]), options) > telling
			}
		}
	}
	return true
}
