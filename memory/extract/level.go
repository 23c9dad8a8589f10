package extract

import "strings"

// smoothed is level S in about budget tokens.
func (d *draft) smoothed(budget int) string {
	whole := d.ownTokens() <= max(ownLimit, budget)
	p := plan{budget: budget, strict: true, also: true}
	p.must = func(u *unit) bool {
		switch u.tier {
		case own:
			return whole || u.decides || u.fails
		case said:
			return u.decides || u.fails
		case code:
			return u.fence || len(u.anchors) > 0 && u.group != 0
		case called:
			return true
		}
		return u.fails
	}
	p.factor = func(u *unit) float64 { return 1 }
	in, _ := d.choose(p)
	return d.render(in, p, d.left(in, -1))
}

func (d *draft) ownTokens() int {
	n := 0
	for i := range d.units {
		if d.units[i].tier == own {
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

// compressed is level C in about budget tokens.
func (d *draft) compressed(budget int) string {
	intent := d.intent()
	p := plan{budget: budget}
	p.must = func(u *unit) bool {
		return u.decides || u.fails && u.tier != shown && u.tier != called || intent >= 0 && u == &d.units[intent]
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
	return d.render(in, p, d.left(in, limit))
}

// intent is the unit that says best what the person wanted: the first of theirs that is no greeting. It is -1 without
// one.
func (d *draft) intent() int {
	found := -1
	for i := range d.units {
		u := &d.units[i]
		if u.tier != own || u.group != 0 || strings.Contains(u.text, "\n") {
			continue
		}
		if found < 0 {
			found = i
		}
		if len(u.terms) >= 2 && !isFiller(u.text) {
			return i
		}
	}
	return found
}

// outcome is the unit that says best how it ended: of the last message with words of the assistant the sentence with
// the most weight, -1 without one.
func (d *draft) outcome() int {
	best, weight, message := -1, -1.0, -1
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
		if w /= float64(len(u.terms) + 3); w >= weight {
			best, weight = i, w
		}
	}
	return best
}
