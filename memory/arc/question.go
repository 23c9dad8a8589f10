package arc

import "github.com/contexture-dev/contexture/memory/utterance"

// ask takes the questions of the turn. Those of the person that the reply answers are closed at
// once, and may be opened again when the person puts them off in the next turn.
func (t *turn) ask() {
	begin := len(t.folder.asked)
	for i := range t.said {
		t.askOrDefer(&t.said[i], begin)
	}
	if t.notes.Reply&Evades != 0 && len(t.folder.asked) == begin && !t.decided {
		t.leave()
	}
	for i := range t.notes.Replied {
		if l := &t.notes.Replied[i]; l.is(last) && l.p(utterance.Question) > .3 && l.asksSomething() {
			t.put(l, true)
		}
	}
}

// askOrDefer takes the question that a line of the person asks. A line that puts questions off
// leaves open those of its message, which begin at the begin-th of the folder, or else what the
// turn before was about.
func (t *turn) askOrDefer(l *Line, begin int) {
	f := t.folder
	switch {
	case l.is(deferring) && !l.is(asks):
		if len(f.asked) == begin && !t.reopen() && weightOf(l.Keys) > substantial {
			t.put(l, false)
		}
		for k := begin; k < len(f.asked); k++ { // whatever the reply says
			f.end(true, k, 0)
		}
	case l.asksSomething():
		t.put(l, false)
		if !l.is(deferring) && t.replied() {
			f.end(true, len(f.asked)-1, t.now)
		}
	}
}

// asksSomething reports whether a line asks a question that has a subject, and is not an offer.
func (l *Line) asksSomething() bool {
	return l.is(asks) && !l.is(offering) && weightOf(l.Keys) > telling
}

// leave takes the sentence of the person that the assistant says it leaves open, though it does not
// ask.
func (t *turn) leave() {
	var most *Line
	for i := range t.said {
		if l := &t.said[i]; !l.is(withdrawing) && l.Agrees == 0 && (most == nil || weightOf(l.Keys) > weightOf(most.Keys)) {
			most = l
		}
	}
	if most != nil && weightOf(most.Keys) > substantial {
		t.put(most, false)
	}
}

// put adds a question; the same one asked before goes.
func (t *turn) put(l *Line, toPerson bool) {
	t.folder.eachOpen(func(i int, q *asking) bool {
		if shared(l.Keys, q.keys) > .7*weightOf(q.keys) {
			t.folder.end(true, i, t.now)
		}
		return true
	})
	t.folder.asked = append(t.folder.asked, asking{Question: Question{l.Text, t.now}, keys: l.Keys, toPerson: toPerson})
	t.folder.open++
}

// replied reports whether the assistant's reply answers a question of the same turn: it says
// something, unless it says that it does not know, or puts off.
func (t *turn) replied() bool {
	return t.notes.Reply&Replies != 0 && t.notes.Reply&Evades == 0
}

// reopen opens what was asked or weighed in the turn before again.
func (t *turn) reopen() bool {
	f := t.folder
	prev := f.before[0]
	if prev == nil {
		return false
	}
	question, most := -1, 0.0
	for i := len(f.asked) - 1; i >= 0 && f.asked[i].Turn >= prev.Turn; i-- {
		if w := weightOf(f.asked[i].keys); !f.asked[i].toPerson && f.asked[i].Turn == prev.Turn && w > most {
			question, most = i, w
		}
	}
	var weighed *Line
	for i := range prev.Said {
		if l := &prev.Said[i]; l.p(utterance.Proposal) > .3 && !l.is(asks) && weightOf(l.Keys) > max(most, telling) {
			weighed, most = l, weightOf(l.Keys)
		}
	}
	if weighed != nil {
		t.put(weighed, false)
		f.asked[len(f.asked)-1].Turn = prev.Turn
	} else if question >= 0 && f.asked[question].closed != 0 {
		f.end(true, question, 0)
	}
	return weighed != nil || question >= 0
}

// answer closes the questions of earlier turns that this one answers.
func (t *turn) answer() {
	reply := len(t.said) > 0 || len(t.notes.Heard) > 0
	puts := false
	for i := range t.said {
		l := &t.said[i]
		puts = puts || l.is(deferring)
		if l.is(opening) && (l.is(asks) || l.p(utterance.Order) > .5) && i == 0 {
			reply = false
		}
	}
	t.folder.eachOpen(func(i int, q *asking) bool {
		said, answered := shared(t.notes.Heard, q.keys), shared(t.notes.Answer, q.keys)
		need := max(.3*weightOf(q.keys), telling)
		switch {
		case q.toPerson && q.Turn == t.now-1 && reply && !puts,
			said > need && !puts, answered > need && t.notes.Reply&Evades == 0 && !q.toPerson && !puts:
			t.folder.end(true, i, t.now)
		}
		return true
	})
}
