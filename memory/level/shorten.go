package level

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// smallTurn is the number of tokens of R up to which S keeps all dialogue of a turn.
const smallTurn = 150

// smoothed returns level S in about budget tokens. size is that of R.
func (d *draft) smoothed(budget, size int) string {
	whole := d.tokensOf(own) <= max(ownLimit, budget)
	if size <= smallTurn {
		return d.rendered(plan{budget: size, strict: true, also: true,
			must:   func(u *unit) bool { return u.tier != shown || u.fails },
			factor: func(*unit) float64 { return 0 }})
	}
	if d.tokensOf(own)+d.tokensOf(said)+d.tokensOf(called) > budget {
		d.makeBrief()
	}
	fits := d.tokensOf(own)+d.tokensOf(said) <= budget
	p := plan{budget: budget, strict: true, also: true}
	p.factor = func(u *unit) float64 {
		if u.idle || u.closing {
			return 0
		}
		return 1
	}
	p.must = func(u *unit) bool {
		switch u.tier {
		case own:
			return whole || u.settles || u.fails
		case said:
			return fits && !u.idle && !u.closing || u.settles || u.fails
		case code:
			return u.fence || len(u.anchors) > 0 && u.group != 0
		case called:
			return true
		}
		return u.fails
	}
	return d.rendered(p)
}

// rendered returns the text that a plan makes of the draft, with the anchors of all that it leaves
// out.
func (d *draft) rendered(p plan) string {
	in, _ := d.choose(p)
	also := d.left(in, -1)
	if d.speak(in, also, -1) {
		also = d.left(in, -1)
	}
	return d.render(in, p, also)
}

// speak adds a sentence for each message of which only anchors would be left, because a list of
// names alone is meaningless: the sentence with most of the anchors. It skips a
// sentence that exceeds what is left of limit tokens in all (-1: no limit) and drops the anchors of
// that message. It reports whether it added any.
func (d *draft) speak(in []bool, also map[int][]string, limit int) bool {
	best := map[int]int{} // the unit by message, -1 if a unit of the message is in
	for i := range d.units {
		u := &d.units[i]
		if also[u.message] == nil || u.tier >= called {
			continue
		}
		j, known := best[u.message]
		switch {
		case in[i]:
			best[u.message] = -1
		case j >= 0 && (!known || len(u.anchors) > len(d.units[j].anchors)) && u.tier != code && len(u.anchors) > 0:
			best[u.message] = i
		}
	}
	taken := false
	for i := range d.units { // in order, unlike the map
		m := d.units[i].message
		if j, ok := best[m]; !ok || j != i {
			continue
		}
		if limit >= 0 && d.units[i].cost > limit {
			delete(also, m)
			continue
		}
		if limit >= 0 {
			limit -= d.units[i].cost
		}
		in[i], taken = true, true
	}
	return taken
}

// makeBrief shortens the parameters and results of tool calls, which give way before any dialogue.
func (d *draft) makeBrief() {
	for i := range d.units {
		if u := &d.units[i]; u.brief != "" && len(u.brief) < len(u.text) {
			u.text, u.cost = u.brief, d.o.count(u.brief)+1
		}
	}
}

// tokensOf returns the total tokens of the units of a tier.
func (d *draft) tokensOf(t tier) int {
	n := 0
	for i := range d.units {
		if d.units[i].tier == t {
			n += d.units[i].cost
		}
	}
	return n
}

// left lists the anchors of the units that are not in, by message, in at most about limit tokens
// (-1: all). With a limit it lists only names and figures: part of a list of sentences would look
// like the message itself.
func (d *draft) left(in []bool, limit int) map[int][]string {
	also := map[int][]string{}
	var chosen strings.Builder
	var all []string
	for i := range d.units {
		if in[i] {
			chosen.WriteString(d.units[i].text)
			chosen.WriteByte('\n')
		} else {
			all = append(all, d.units[i].anchors...)
		}
	}
	if len(all) == 0 || limit == 0 {
		return also
	}
	missing := map[string]bool{}
	for _, a := range Missing(all, chosen.String()) {
		missing[a] = true
	}
	for i := range d.units {
		u := &d.units[i]
		if in[i] {
			continue
		}
		for _, a := range u.anchors {
			cost := 0
			if limit >= 0 {
				cost = d.o.count(a) + 2
			}
			if !missing[a] || limit >= 0 && (cost > limit || slices.Contains(u.spans, a)) {
				continue
			}
			if limit >= 0 {
				limit -= cost
			}
			missing[a] = false
			also[u.message] = append(also[u.message], a)
		}
	}
	return also
}

// leastAnswer is the number of tokens that the request and the outcome may take in C, however short
// the turn is.
const leastAnswer = 64

// compressed returns level C in about budget tokens: what was wanted and settled, what failed, the
// outcome, and what else fits.
func (d *draft) compressed(budget int) string {
	p := plan{budget: budget, floor: min(leastAnswer, 2*budget), first: d.weighty()}
	p.factor = func(u *unit) float64 {
		switch u.tier {
		case own:
			return 2
		case said:
			return 1
		case code:
			return 0.5
		case called:
			return 8
		}
		if u.fails {
			return 2
		}
		return 0
	}
	in, used := d.choose(p)
	also := d.left(in, max(budget-used, 0))
	if d.speak(in, also, max(budget-used, 0)) {
		also = map[int][]string{}
	}
	return d.render(in, p, also)
}

const mostEach = 4 // answers, calls and failures that precede all else in C

// weighty returns the units that a short level is about, most important first: what was wanted,
// what the person settled, what failed, the outcome, what else was settled.
func (d *draft) weighty() []int {
	var list []int
	intent, outcome := d.intent(), d.outcome()
	if intent >= 0 {
		list = append(list, intent)
	}
	var mine, theirs, failures, calls []int
	asked := false // the assistant's next words answer a question
	for i := range d.units {
		u := &d.units[i]
		if u.tier == own {
			asked = u.asks
		}
		switch {
		case asked && u.tier == said && len(u.spans) > 0:
			theirs, asked = append(theirs, i), false
		case u.tier == called:
			calls = append(calls, i)
		case u.tier == own && u.group == 0 && len(u.spans) > 0 && (u.settles || u.stake >= settledAt/2):
			mine = append(mine, i)
		case u.fails && u.tier != called:
			failures = append(failures, i)
		case u.tier == said && u.settles:
			theirs = append(theirs, i)
		}
	}
	byStake := func(a, b int) int { return cmp.Or(cmp.Compare(d.units[b].stake, d.units[a].stake), a-b) }
	slices.SortFunc(mine, byStake)
	list = append(list, mine...)
	if outcome >= 0 {
		list = append(list, outcome)
	}
	list = append(list, theirs[:min(len(theirs), mostEach)]...)
	list = append(list, calls[:min(len(calls), mostEach)]...)
	list = append(list, failures[:min(len(failures), mostEach)]...)
	return list
}

// intent returns the unit that best states what the person wanted: the first of theirs with any
// content, or -1.
func (d *draft) intent() int {
	found, most := -1, -1.0
	for i := range d.units {
		u := &d.units[i]
		if u.tier != own || u.group != 0 || strings.Contains(u.text, "\n") {
			continue
		}
		if says := u.content + 2*u.stake; says >= 1 {
			return i
		} else if says > most {
			found, most = i, says
		}
	}
	return found
}

// outcome returns the unit that best states how the turn ended: the sentence with the most weight
// in the last message with words of the assistant, or -1.
func (d *draft) outcome() int {
	best, weight, message := -1, -1.0, -1
	intent := d.intent()
	asked := intent >= 0 && d.units[intent].asks
	for i := len(d.units) - 1; i >= 0; i-- {
		u := &d.units[i]
		if u.tier != said || u.group != 0 || len(u.spans) == 0 {
			continue
		}
		if message >= 0 && u.message != message {
			break
		}
		message = u.message
		w := float64(len(u.anchors))
		for _, t := range u.terms {
			w += d.weight(t)
		}
		w *= 1 + u.stake
		if u.fails {
			w *= 2
		}
		if u.asks {
			w /= 2
		}
		if u.closing {
			w /= 2
		}
		if first := i == 0 || d.units[i-1].message != message; first && asked {
			w *= 2 // the answer comes first
		}
		if w /= math.Sqrt(float64(len(u.terms) + 8)); w >= weight && (best < 0 || !u.idle) {
			best, weight = i, w
		}
	}
	return best
}
