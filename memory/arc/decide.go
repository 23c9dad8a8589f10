package arc

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// turn is the state of reading one turn into a folder.
type turn struct {
	folder *Folder
	notes  *Notes
	said   []Line // notes.Said with the words alone that tell something in this conversation
	now    int
	change float64 // the probability that the person changes something here

	options []key    // of what was proposed, listed or asked before
	offered []string // its words
	context []key    // of all else that was said in the turn before
	decided bool     // the person decides something here
}

func (t *turn) read() {
	t.look()
	for i := range t.said {
		if l := &t.said[i]; l.is(withdrawing) {
			t.withdraw(l)
		}
	}
	t.answer()
	if !t.pick() {
		t.accept()
		t.decide()
	}
	t.ask()
}

// look collects what the person may refer to.
func (t *turn) look() {
	t.said = slices.Clone(t.notes.Said)
	for i := range t.said {
		t.said[i].Keys = t.folder.rare(t.said[i].Keys)
	}
	for _, l := range t.said {
		c := l.p(utterance.Change)
		if l.is(changing) {
			c = max(c, .6)
		}
		t.change = max(t.change, c)
	}
	for age, n := range t.folder.before {
		if n == nil {
			break
		}
		for _, list := range [][]Line{n.Said, n.Replied} {
			for i := range list {
				if l := &list[i]; l.is(asks|listed) || l.p(utterance.Proposal) > .4 {
					t.offer(l)
				}
			}
		}
		if age == 0 {
			t.context = t.folder.rare(union(n.Heard, n.Answer))
		}
	}
	t.folder.eachOpen(func(_ int, q *asking) bool {
		t.options = union(t.options, q.keys)
		t.offered = append(t.offered, q.Text)
		return t.now-q.Turn < recent
	})
	t.options = t.folder.rare(t.options)
}

// offer puts what a line asks or proposes on the table.
func (t *turn) offer(l *Line) {
	t.options = union(t.options, l.Keys)
	t.offered = append(t.offered, l.Text)
}

// repeats reports whether a short line says nothing but words of what was offered.
func (t *turn) repeats(l *Line) bool {
	if l.Words > shortEcho {
		return false
	}
	words := wordsOf(l.Text[l.Agrees:])
	return slices.ContainsFunc(t.offered, func(text string) bool {
		same, of := common(words, text)
		return same > 0 && same == of
	})
}

// common returns how many words, short ones apart, a text has of a list, and how many the list has.
func common(words []string, text string) (same, of int) {
	in, long := wordsOf(text), false
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

func wordsOf(text string) []string {
	return strings.FieldsFunc(lower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// confirms reports whether a brief reply is made of the words of a line.
func (t *turn) confirms(l *Line) bool {
	if t.notes.Reply&Brief == 0 {
		return false
	}
	reply := &t.notes.Replied[0]
	same, of := common(wordsOf(reply.Text[reply.Agrees:]), l.Text)
	return 2*same >= of && same > 0 || shared(l.Keys, reply.Keys) > telling
}

// How strong the evidence for a decision must be, and what each sign adds to the model's log odds. The signs are those
// of a choice in a dialogue: an option that was on the table is named, first of all or alone; the sentence contrasts it
// with another; it changes an earlier decision; the reply takes it up.
const (
	enough    = .4
	named     = 2.0
	inContext = 1.0
	first     = 1.0
	echoes    = 1.5
	opposed   = 1.5
	settled   = 2.0
	revised   = 1.5
	takenUp   = 1.0
	confirmed = 2.0
	besides   = 1.5 // it goes on with a question, and does not name its options
	agreed    = .7

	recent      = 8   // turns in which an open question is still in mind
	telling     = .35 // weight of keys in common that is no chance
	shortReply  = 8   // words of a reply that only agrees or picks
	shortEcho   = 6   // words of one that says nothing else
	shortAnswer = 10  // words of one that says little else
	shortPick   = 14  // words of a sentence that names an option
)

// evidence is the log odds that a sentence of the person decides something.
func (t *turn) evidence(l *Line) float64 {
	p := min(max(l.p(utterance.Decision), .02), .98)
	z := math.Log(p / (1 - p))
	switch in := shared(l.Keys, t.options); {
	case t.repeats(l):
		z += named + first + echoes
	case in > telling && l.Words <= shortPick:
		z += named
		if l.is(opening) && l.leads(t.options) {
			z += first
		}
		if in > .7*weightOf(l.Keys) && l.Words <= shortAnswer {
			z += echoes
		}
	case l.Agrees > 0 && l.Words <= shortPick && shared(l.Keys, t.context) > telling:
		z += named
	case in > telling, shared(l.Keys, t.context) > telling && l.Words <= shortPick:
		z += inContext
	}
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
	if t.change > .3 && t.revises(l.Keys) {
		z += revised
	}
	switch {
	case t.confirms(l):
		z += confirmed
	case shared(l.Keys, t.notes.Answer) > telling:
		z += takenUp
	}
	z -= max(0, l.p(utterance.Directive)-.6) + 1.5*max(0, l.p(utterance.Proposal)-.2) + 2*max(0, l.p(utterance.Problem)-.4) + max(0, l.p(utterance.Fixed)-.4)
	if l.p(utterance.Order) > .5 && shared(l.Keys, t.options) < telling {
		z -= 2
	}
	return z
}

// leads reports whether the first word of a line that tells anything is one of the options.
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

// revises reports whether keys are about a decision that stands.
func (t *turn) revises(keys []key) (is bool) {
	t.folder.each(func(_ int, d *made) bool {
		is = shared(keys, d.own) > telling || t.now-d.Turn < recent && shared(keys, d.about) > telling
		return !is
	})
	return is
}

// decide takes the sentences of the person that decide something. Of sentences that settle the same thing the likeliest
// counts.
func (t *turn) decide() {
	type choice struct {
		line *Line
		z    float64
	}
	var list []choice
	for i := range t.said {
		l := &t.said[i]
		if !l.is(asks | withdrawing | deferring) {
			if z := t.evidence(l); z > enough && (weightOf(l.Keys) > telling || t.repeats(l)) {
				list = append(list, choice{l, z})
			}
		}
		if l.is(asks) || l.p(utterance.Proposal) > .4 {
			t.offer(l) // people weigh and choose in one message
		}
	}
	for i, c := range list {
		beaten := slices.ContainsFunc(list, func(o choice) bool {
			return o.z > c.z && (c.line.Words <= fewWords || shared(o.line.Keys, c.line.Keys) > telling || strings.Contains(o.line.Wide, c.line.Text))
		})
		if beaten {
			continue
		}
		list[i].z = math.Inf(1) // what it says is said
		text := c.line.Text
		if c.line.Wide != "" && weightOf(c.line.Keys) < 1.5 {
			text = c.line.Wide
		}
		t.settle(Decision{Text: text, Turn: t.now, Rejected: c.line.Rejected}, c.line.Keys)
	}
}

// settle adds a decision; what it replaces goes.
func (t *turn) settle(d Decision, own []key) {
	var out []key
	for _, r := range d.Rejected {
		out = union(out, keys(r))
	}
	about := t.options
	t.folder.each(func(i int, e *made) bool {
		if e.Turn == t.now {
			return true
		}
		if t.replaces(&d, own, out, e) {
			t.folder.end(false, i, t.now)
		}
		return true
	})
	t.folder.made = append(t.folder.made, made{Decision: d, own: own, about: about})
	t.folder.standing++
	t.decided = true
	own = union(own, keys(d.Text))
	t.folder.eachOpen(func(i int, q *asking) bool {
		if q.Turn < t.now && shared(own, q.keys) > telling {
			t.folder.end(true, i, t.now)
		}
		return true
	})
}

// replaces reports whether a decision with these words, which rules out those, takes the place of an earlier one: it
// rules out what that chose, changes it, or says it again.
func (t *turn) replaces(d *Decision, own, out []key, e *made) bool {
	if shared(out, e.own) > telling && !slices.ContainsFunc(e.Rejected, func(r string) bool { return shared(out, keys(r)) > telling }) {
		return true
	}
	common, near := shared(own, e.own), t.now-e.Turn < recent
	if t.change > .3 && near && (common > .3*min(weightOf(own), weightOf(e.own)) && common > telling || shared(own, e.about) > telling) {
		return true
	}
	if common <= telling {
		return false
	}
	same := utterance.SameSubject(utterance.NewProfile(e.Text), utterance.NewProfile(d.Text), t.change)
	return same > .9 || t.change > .3 && same > .6
}

// withdraw takes back the decision that the person names or, where they name nothing and nothing was proposed since,
// the last one.
func (t *turn) withdraw(l *Line) {
	prev := t.folder.before[0]
	proposed := prev != nil && slices.ContainsFunc(slices.Concat(prev.Said, prev.Replied), func(p Line) bool { return p.is(asks) || p.p(utterance.Proposal) > .4 })
	t.folder.each(func(i int, d *made) bool {
		named := shared(l.Keys, d.own) > telling
		if named || !proposed && t.now-d.Turn <= 2 {
			t.folder.end(false, i, t.now)
			return false
		}
		return t.now-d.Turn < recent
	})
}
