package arc

import (
	"slices"
	"strings"
)

// undecided tells a sentence of the person that says that something is still to be decided.
func undecided(s string) bool {
	low := strings.ReplaceAll(lowered(s), "’", "'")
	for _, p := range [...]string{"haven't decided", "have not decided", "hasn't decided", "not decided", "undecided", "can't decide", "cannot decide", "haven't made up my mind", "still deciding",
		"still to be decided", "to be decided", "still have to decide", "still need to decide", "need to decide whether", "need to decide between", "torn between", "not sure yet between", "not settled on", "thinking about whether"} {
		if strings.Contains(low, p) {
			return true
		}
	}
	return false
}

// doubt makes what the person has not decided a question that only a decision of theirs closes: the question before
// it, or the sentence itself.
func (r *turnReader) doubt(s, prev string) {
	if len(termsOf(s, 12)) < 3 && len(r.open) == 0 && len(prev) > len(s) { // "Not decided."
		s = prev
	}
	terms := termsOf(s, 12)
	if o := alternatives(s); o != nil {
		r.notes.Options = o
	}
	if n := len(r.open); n > 0 && (!r.open[n-1].ToUser || r.open[n-1].Own) {
		q := &r.open[n-1]
		q.ToUser, q.Own, q.Undecided = true, true, true
		for _, t := range terms {
			addTerm(&q.Terms, t)
		}
		return
	}
	if len(terms) > 0 {
		r.open = append(r.open, Asked{Text: cut(clean(s)), ToUser: true, Own: true, Undecided: true, Terms: terms})
	}
}

// asksOthers tells a sentence by which the person takes it on themselves to find the answer.
func asksOthers(s string) bool {
	low := strings.ReplaceAll(lowered(s), "’", "'")
	for _, p := range [...]string{"i have to ask", "i need to ask", "i'll ask", "i will ask", "i have to check with", "i'll check with", "need to check with", "let me ask", "we have to ask", "we need to ask",
		"has to tell", "have to tell", "has to decide", "waiting for an answer", "waiting for the answer", "i'll find out"} {
		if strings.Contains(low, p) {
			return true
		}
	}
	return false
}

// own makes the last question of the person's message one that they will answer themselves.
func (r *turnReader) own(s string) {
	if n := len(r.open); n > 0 && !r.open[n-1].ToUser {
		q := &r.open[n-1]
		q.ToUser, q.Own = true, true
		for _, t := range termsOf(s, 6) {
			addTerm(&q.Terms, t)
		}
	}
}

// undoes tells a sentence that takes back what was just decided or done.
func undoes(s string) bool {
	low := bare(s)
	for _, p := range [...]string{"revert that", "revert it", "revert this", "undo that", "undo it", "undo this", "scratch that", "roll that back", "roll it back", "forget that", "take that back"} {
		if i := strings.Index(low, p); i >= 0 && i < 16 && !negated(low[:i]) {
			return true
		}
	}
	return false
}

// settle closes the questions that a decision answers: those that have a word of what it is about, and have all of
// what it chose or ruled out or most of what it says.
func (f *folder) settle(m *made) {
	var all []uint32
	for _, list := range [...][]uint32{m.chosen, m.rejected, m.subject} {
		for _, t := range list {
			for _, i := range f.about(t) {
				q := &f.asked[i]
				if q.closed {
					continue
				}
				if all == nil {
					all = termsOf(m.Text, 24)
				}
				named := within(m.chosen, q.Terms) || within(m.rejected, q.Terms)
				same := len(m.subject) == 0 || overlap(m.subject, q.Terms, nil)
				if named && same || shared(all, q.Terms) >= q.far() {
					f.close(i)
				}
			}
		}
	}
}

// about are the questions with a term, closed ones among them.
func (f *folder) about(t uint32) []int {
	if f.seen[t>>6&1023]&(1<<(t&63)) == 0 {
		return nil
	}
	return f.byWord[t]
}

// shared is how many of a are in b.
func shared(a, b []uint32) int {
	n := 0
	for _, t := range a {
		if slices.Contains(b, t) {
			n++
		}
	}
	return n
}
