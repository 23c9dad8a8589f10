package level

import (
	"container/heap"
	"strings"
)

// plan is how a level selects from a draft.
type plan struct {
	budget int
	must   func(*unit) bool
	first  []int // units that come before all others, in this order, up to the budget or the floor
	floor  int
	factor func(*unit) float64 // weight of a unit's words, 0 excludes the unit
	strict bool                // tier by tier: the next begins when no more of the last fits
	also   bool                // the omitted anchors form a line at the end of their message
}

// choose picks units under the budget: first those of p.first and those that must be in, then the
// others by their new content per token, best first (the greedy cover; a gain that earlier picks
// have reduced is recomputed when its turn comes). It returns which units are in and the tokens
// they take.
func (d *draft) choose(p plan) (in []bool, used int) {
	in = make([]bool, len(d.units))
	covered := map[uint32]bool{}
	spoken := make([]bool, len(d.messages)) // whose speaker is already in
	take := func(i int) {
		in[i] = true
		spoken[d.units[i].message] = true
		for _, t := range d.units[i].terms {
			covered[t.hash] = true
		}
	}
	var queues [tiers][]candidate
	for n, i := range p.first {
		cost := d.units[i].size(p)
		if !spoken[d.units[i].message] {
			cost += speakerCost
		}
		if !in[i] && (n == 0 || used+cost <= max(p.budget, p.floor)) {
			used += cost
			take(i)
		}
	}
	for i := range d.units {
		u := &d.units[i]
		if in[i] {
			continue
		}
		if p.must != nil && p.must(u) {
			used += u.size(p)
			if !spoken[u.message] {
				used += speakerCost
			}
			take(i)
			continue
		}
		if p.also {
			used += d.alsoCost(u)
		}
		if f := p.factor(u); f > 0 && !u.fence {
			q := tier(0)
			if p.strict {
				q = u.tier
			}
			queues[q] = append(queues[q], candidate{unit: i})
		}
	}
	for _, q := range queues {
		used = d.cover(p, q, covered, spoken, used, take)
	}
	return in, used
}

// speakerCost is the approximate cost of "assistant: " on a line of its own.
const speakerCost = 4

type candidate struct {
	unit int
	key  float64
}

// cover adds candidates, best first, while they fit.
func (d *draft) cover(p plan, q []candidate, covered map[uint32]bool, spoken []bool, used int, take func(int)) int {
	for i := range q {
		q[i].key = d.key(p, &d.units[q[i].unit], covered)
	}
	h := byKey(q)
	heap.Init(&h)
	for h.Len() > 0 && used < p.budget {
		top := h[0]
		u := &d.units[top.unit]
		key := d.key(p, u, covered)
		if key <= 0 {
			heap.Pop(&h)
			continue
		}
		if key < top.key {
			h[0].key = key
			heap.Fix(&h, 0)
			continue
		}
		heap.Pop(&h)
		cost := u.size(p)
		if p.also {
			cost -= d.alsoCost(u)
		}
		if !spoken[u.message] {
			cost += speakerCost
		}
		if used+cost <= p.budget {
			used += cost
			take(top.unit)
		}
	}
	return used
}

// key returns the gain of a unit per token.
func (d *draft) key(p plan, u *unit, covered map[uint32]bool) float64 {
	gain := 2 * float64(len(u.anchors))
	if u.fails {
		gain += 6
	}
	if u.tier >= called {
		gain++
	}
	for _, t := range u.terms {
		if w := d.weight(t); covered[t.hash] {
			gain += w * coveredShare
		} else {
			gain += w
		}
	}
	if u.idle || u.closing {
		gain /= 3
	}
	return p.factor(u) * gain * (1 + 2*u.stake) / float64(u.size(p)+4)
}

func (u *unit) size(p plan) int {
	if u.short != "" && !p.strict {
		return len(u.short)/4 + 2
	}
	return u.cost
}

// alsoCost returns the approximate cost of a unit's anchors when the unit is left out. Anchors that
// are the whole unit are not listed: such a unit must be in.
func (d *draft) alsoCost(u *unit) int {
	n := 0
	for _, a := range u.anchors {
		n += len(a)/4 + 2
	}
	return min(n, u.cost)
}

// byKey is a heap ordered by key, largest first; ties go to the earlier unit.
type byKey []candidate

func (h byKey) Len() int { return len(h) }
func (h byKey) Less(i, j int) bool {
	if h[i].key != h[j].key {
		return h[i].key > h[j].key
	}
	return h[i].unit < h[j].unit
}
func (h byKey) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *byKey) Push(x any)   { *h = append(*h, x.(candidate)) }
func (h *byKey) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// render writes the units that are in, message by message, each message after its speaker. A gap in
// a block is shown as "…"; the anchors in also[message] end the message.
func (d *draft) render(in []bool, p plan, also map[int][]string) string {
	var b strings.Builder
	message, gap, group := -1, false, 0
	listed := false
	finish := func() {
		if list := also[message]; len(list) > 0 && !listed {
			b.WriteString(" (also: " + strings.Join(list, ", ") + ")")
		}
		listed = true
	}
	first := true
	for i := range d.units {
		u := &d.units[i]
		if !in[i] && !(also[u.message] != nil && u.message != message) {
			gap = gap || u.group != 0 && u.group == group
			continue
		}
		if u.message != message {
			finish()
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			message, gap, group, first, listed = u.message, false, 0, true, false
			b.WriteString(strings.TrimRight(speaker(d.messages[u.message]), " "))
		}
		if !in[i] {
			continue
		}
		if gap && u.group == group {
			b.WriteString("\n…")
		}
		gap, group = false, u.group
		if u.tier >= called {
			finish() // dialogue precedes tool output
		}
		if u.start && !first {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
		first = false
		if u.short != "" && !p.strict {
			b.WriteString(u.short)
		} else {
			b.WriteString(u.text)
		}
	}
	finish()
	return b.String()
}
