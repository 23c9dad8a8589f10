package extract

import "strings"

// smallTurn is how many tokens of R a turn may have whose dialogue stands whole in S.
const smallTurn = 150

// smoothed is level S in about budget tokens. size is that of R.
func (d *draft) smoothed(budget, size int) string {
	whole := d.tokensOf(own) <= max(ownLimit, budget)
	if small := size <= smallTurn; small {
		return d.rendered(plan{budget: size, strict: true, also: true,
			must:   func(u *unit) bool { return u.tier != shown || u.fails },
			factor: func(*unit) float64 { return 0 }})
	}
	if d.tokensOf(own)+d.tokensOf(said)+d.tokensOf(called) > budget {
		d.makeBrief()
	}
	fits := d.tokensOf(own)+d.tokensOf(said) <= budget
	p := plan{budget: budget, strict: true, also: true}
	p.must = func(u *unit) bool {
		switch u.tier {
		case own:
			return whole || u.decides || u.fails
		case said:
			return fits || u.decides || u.fails
		case code:
			return u.fence || len(u.anchors) > 0 && u.group != 0
		case called:
			return true
		}
		return u.fails
	}
	p.factor = func(u *unit) float64 { return 1 }
	return d.rendered(p)
}

// rendered is what a plan makes of the draft, with the anchors of all that it leaves out.
func (d *draft) rendered(p plan) string {
	in, _ := d.choose(p)
	also := d.left(in, -1)
	if d.speak(in, also, -1) {
		also = d.left(in, -1)
	}
	return d.render(in, p, also)
}

// speak takes, of each message of which nothing but anchors would be left, the sentence that holds most of them: a
// list of names alone says nothing. Sentences of over limit tokens in all are not taken (-1: all are), and the anchors
// of their messages go. It reports whether anything was taken.
func (d *draft) speak(in []bool, also map[int][]string, limit int) bool {
	best := map[int]int{} // the unit by message, -1 where something is said
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
	for i := range d.units { // in order: the map's is none
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

// makeBrief shortens the tool calls' parameters and results: they give way before anything that was said.
func (d *draft) makeBrief() {
	for i := range d.units {
		if u := &d.units[i]; u.brief != "" && len(u.brief) < len(u.text) {
			u.text, u.cost = u.brief, d.o.count(u.brief)+1
		}
	}
}

// tokensOf is what the units of a tier take in all.
func (d *draft) tokensOf(t tier) int {
	n := 0
	for i := range d.units {
		if d.units[i].tier == t {
			n += d.units[i].cost
		}
	}
	return n
}

// left lists the anchors of the units that are not in, by message, in at most about limit tokens (-1: all).
func (d *draft) left(in []bool, limit int) map[int][]string {
	also := map[int][]string{}
	var shownText strings.Builder
	var all []string
	for i := range d.units {
		if in[i] {
			shownText.WriteString(d.units[i].text)
			shownText.WriteByte('\n')
		} else {
			all = append(all, d.units[i].anchors...)
		}
	}
	if len(all) == 0 {
		return also
	}
	missing := map[string]bool{}
	for _, a := range Missing(all, shownText.String()) {
		missing[a] = true
	}
	for i := range d.units {
		u := &d.units[i]
		if in[i] || limit == 0 {
			continue
		}
		for _, a := range u.anchors {
			if !missing[a] {
				continue
			}
			cost := d.o.count(a) + 2
			if limit > 0 && cost > limit {
				continue
			}
			if limit > 0 {
				limit = max(limit-cost, 0)
			}
			missing[a] = false
			also[u.message] = append(also[u.message], a)
			if limit == 0 {
				break
			}
		}
	}
	return also
}

// leastAnswer is how many tokens what was wanted and what came of it may take in C however short the turn is.
const leastAnswer = 64

// compressed is level C in about budget tokens: what was wanted, what came of it where there is room for both, and what
// else there is room for.
func (d *draft) compressed(budget int) string {
	intent, outcome := d.intent(), d.outcome()
	if intent >= 0 && outcome >= 0 && d.units[intent].cost+d.units[outcome].cost > max(budget, leastAnswer) {
		outcome = -1
	}
	p := plan{budget: budget}
	p.must = func(u *unit) bool {
		return u.decides || u.fails && u.tier != shown && u.tier != called || intent >= 0 && u == &d.units[intent] ||
			outcome >= 0 && u == &d.units[outcome]
	}
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
	limit := 0
	if used < budget {
		limit = budget - used
	}
	also := d.left(in, limit)
	if d.speak(in, also, limit) {
		also = map[int][]string{}
	}
	return d.render(in, p, also)
}

// intent is the unit that says best what the person wanted: the first of theirs that is no greeting. It is -1 without
// one.
func (d *draft) intent() int {
	found, least := -1, 0
	for i := range d.units {
		u := &d.units[i]
		if u.tier != own || u.group != 0 || strings.Contains(u.text, "\n") {
			continue
		}
		if len(u.terms) >= 3 && !isFiller(u.text) {
			return i
		}
		if n := min(len(u.terms), 2); found < 0 || n > least && !isFiller(u.text) {
			found, least = i, n
		}
	}
	return found
}

// outcome is the unit that says best how it ended: of the last message with words of the assistant the sentence with
// the most weight, -1 without one.
func (d *draft) outcome() int {
	best, weight, message := -1, -1.0, -1
	intent := d.intent()
	asked := intent >= 0 && strings.HasSuffix(d.units[intent].text, "?")
	for i := len(d.units) - 1; i >= 0; i-- {
		u := &d.units[i]
		if u.tier != said || strings.Contains(u.text, "\n") {
			continue
		}
		if message >= 0 && u.message != message {
			break
		}
		message = u.message
		w := 0.0
		for _, term := range u.terms {
			w += d.weight[term]
		}
		if u.decides || u.fails {
			w *= 2
		}
		if strings.HasSuffix(u.text, "?") {
			w /= 2
		}
		if asked && (i == 0 || d.units[i-1].message != message) {
			w *= 1.6 // an answer begins with what was asked
		}
		if w /= float64(len(u.terms) + 3); w >= weight {
			best, weight = i, w
		}
	}
	return best
}
