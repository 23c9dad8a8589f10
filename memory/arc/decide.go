package arc

import (
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// turn holds the state of adding one turn to a folder.
type turn struct {
	folder *Folder
	notes  *Notes
	said   []Line // notes.Said, with only the words that are distinctive in this conversation
	now    int
	change float64 // the probability that the person changes something here

	options []key    // of what was proposed, listed or asked before
	offered []string // its words
	context []key    // of everything else in the turn before
	decided bool     // the person decides something here

	compared int // number of decisions whose sentences were compared with the turn's
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

// look collects what the person may be referring to.
func (t *turn) look() {
	t.said = slices.Clone(t.notes.Said)
	for i := range t.said {
		t.said[i].Keys = t.folder.rare(t.said[i].Keys)
	}
	for _, l := range t.said {
		c := l.p(utterance.Change)
		if l.is(changing) {
			c = max(c, clearly)
		}
		t.change = max(t.change, c)
	}
	for age, n := range t.folder.before {
		if n == nil {
			break
		}
		for _, list := range [][]Line{n.Said, n.Replied} {
			for i := range list {
				if l := &list[i]; l.is(asks|listed) || l.p(utterance.Proposal) > rather {
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

// revises reports whether keys are about an active decision.
func (t *turn) revises(keys []key) (is bool) {
	t.folder.each(func(_ int, d *keyedDecision) bool {
		is = shared(keys, d.own) > telling || t.now-d.Turn < recent && shared(keys, d.about) > telling
		return !is
	})
	return is
}

// decide records the person's sentences that decide something. Of several sentences that settle the
// same thing, the likeliest wins.
func (t *turn) decide() {
	type choice struct {
		line *Line
		z    float64
	}
	var list []choice
	for i := range t.said {
		l := &t.said[i]
		if !l.is(asks | withdrawing | deferring) {
			if z := t.evidence(l); z > enough && (l.Kept >= keptAt || l.is(stated)) && (weightOf(l.Keys) > telling || t.repeats(l)) {
				list = append(list, choice{l, z})
			}
		}
		if l.is(asks) || l.p(utterance.Proposal) > rather {
			t.offer(l) // people weigh and choose in one message
		}
	}
	for i, c := range list {
		beaten := !c.line.is(stated) && slices.ContainsFunc(list, func(o choice) bool {
			return o.z > c.z && (c.line.Words <= fewWords || shared(o.line.Keys, c.line.Keys) > telling || strings.Contains(o.line.Wide, c.line.Text))
		})
		if beaten {
			continue
		}
		list[i].z = math.Inf(1) // no later candidate may repeat it
		text := c.line.Text
		if c.line.Wide != "" && weightOf(c.line.Keys) < substantial {
			text = c.line.Wide
		}
		t.settle(Decision{Text: text, Turn: t.now, Rejected: c.line.Rejected}, c.line.Keys)
	}
}

// keptAt is the probability, in 255ths, that a decision lasts from which it is recorded.
const keptAt = 255 / 8

// settle adds a decision and ends those it replaces.
func (t *turn) settle(d Decision, own []key) {
	var out []key
	for _, r := range d.Rejected {
		out = union(out, keys(r))
	}
	about := t.options
	t.folder.each(func(i int, e *keyedDecision) bool {
		if e.Turn == t.now {
			return true
		}
		if t.replaces(&d, own, out, e) {
			t.folder.end(false, i, t.now)
		}
		return true
	})
	t.folder.made = append(t.folder.made, keyedDecision{Decision: d, own: own, about: about})
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

// mostCompared bounds the sentences of earlier decisions that a turn is compared with.
const mostCompared = 16

// replaces reports whether a decision with the words own, which rules out the words out, replaces
// an earlier one: it rules out what that one chose, changes it, or repeats it.
func (t *turn) replaces(d *Decision, own, out []key, e *keyedDecision) bool {
	if shared(out, e.own) > telling && !slices.ContainsFunc(e.Rejected, func(r string) bool { return shared(out, keys(r)) > telling }) {
		return true
	}
	common, near := shared(own, e.own), t.now-e.Turn < recent
	if t.change > possibly && near && (common > someOf*min(weightOf(own), weightOf(e.own)) && common > telling || shared(own, e.about) > telling) {
		return true
	}
	if common <= telling || t.compared == mostCompared {
		return false
	}
	t.compared++
	same := utterance.SameSubject(utterance.NewProfile(e.Text), utterance.NewProfile(d.Text), t.change)
	return same > surest || t.change > possibly && same > clearly
}

// withdraw ends the decision that the person names. If they name none and nothing has been proposed
// since, it ends the last one.
func (t *turn) withdraw(l *Line) {
	prev := t.folder.before[0]
	proposed := prev != nil && slices.ContainsFunc(slices.Concat(prev.Said, prev.Replied), func(p Line) bool { return p.is(asks) || p.p(utterance.Proposal) > rather })
	t.folder.each(func(i int, d *keyedDecision) bool {
		named := shared(l.Keys, d.own) > telling
		if named || !proposed && t.now-d.Turn <= 2 {
			t.folder.end(false, i, t.now)
			return false
		}
		return t.now-d.Turn < recent
	})
}
