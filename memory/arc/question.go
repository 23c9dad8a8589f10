package arc

import "github.com/contexture-dev/contexture/memory/utterance"

// ask records the questions of the turn. Questions of the person that the reply answers are closed
// at once; they can be reopened if the person defers them in the next turn.
func (t *turn) ask() {
	begin := len(t.folder.asked)
	for i := range t.said {
		t.askOrDefer(&t.said[i], begin)
	}
	if t.notes.Reply&Evades != 0 && len(t.folder.asked) == begin && !t.decided {
		t.leave()
	}
	for i := range t.notes.Replied {
		if l := &t.notes.Replied[i]; l.is(last) && l.p(utterance.Question) > possibly && l.asksSomething() {
			t.put(l, true)
		}
	}
}

// askOrDefer records the question that a line of the person asks. A line that defers questions
// keeps open those of its own message, which begin at index begin of the folder, or else the
// subject of the turn before.
func (t *turn) askOrDefer(l *Line, begin int) {
	f := t.folder
	switch {
	case l.is(deferring) && !l.is(asks):
		if t.opens(l, len(f.asked) == begin) {
			t.put(l, false)
		}
		for k := begin; k < len(f.asked); k++ { // regardless of the reply
			f.end(true, k, 0)
		}
	case l.asksSomething():
		t.put(l, false)
		if !l.is(deferring) && t.replied() {
			f.end(true, len(f.asked)-1, t.now)
		}
	}
}

// opens reports whether a line that defers something is an open question of its own, rather than
// about one of its message, if it is not alone, or of the turn before, which is reopened.
func (t *turn) opens(l *Line, alone bool) bool {
	before := t.folder.open
	if l.is(stated) || l.is(undecided) && l.Words > shortReply {
		return true
	}
	if !alone || t.reopen() && (!l.is(undecided) || t.folder.open > before) {
		return false
	}
	return l.is(undecided) || weightOf(l.Keys) > substantial
}

// asksSomething reports whether a line asks a question that has a subject and is not an offer.
func (l *Line) asksSomething() bool {
	return l.is(asks) && !l.is(offering) && weightOf(l.Keys) > telling
}

// leave records the person's sentence that the assistant says it leaves open, even if the sentence
// is not a question.
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

// put adds a question and removes an earlier occurrence of it.
func (t *turn) put(l *Line, toPerson bool) {
	t.folder.eachOpen(func(i int, q *asking) bool {
		if shared(l.Keys, q.keys) > mostOf*weightOf(q.keys) {
			t.folder.end(true, i, t.now)
		}
		return true
	})
	t.folder.asked = append(t.folder.asked, asking{Question: Question{l.Text, t.now}, keys: l.Keys, toPerson: toPerson})
	t.folder.open++
}

// replied reports whether the assistant's reply answers a question of the same turn: there is a
// reply, and it neither says that the answer is not known nor defers the question.
func (t *turn) replied() bool {
	return t.notes.Reply&Replies != 0 && t.notes.Reply&Evades == 0
}

// reopen reopens what was asked or weighed in the turn before, and reports whether there was
// anything.
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
		if l := &prev.Said[i]; l.p(utterance.Proposal) > possibly && !l.is(asks) && weightOf(l.Keys) > max(most, telling) {
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
		if l.is(opening) && (l.is(asks) || l.p(utterance.Order) > likely) && i == 0 {
			reply = false
		}
	}
	t.folder.eachOpen(func(i int, q *asking) bool {
		said, answered := shared(t.notes.Heard, q.keys), shared(t.notes.Answer, q.keys)
		need := max(someOf*weightOf(q.keys), telling)
		switch {
		case q.toPerson && q.Turn == t.now-1 && reply && !puts,
			said > need && !puts, answered > need && t.notes.Reply&Evades == 0 && !q.toPerson && !puts:
			t.folder.end(true, i, t.now)
		}
		return true
	})
}
