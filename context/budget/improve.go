package budget

import (
	"cmp"
	"slices"
	"sort"
)

// exchange is one move, or two that are applied together: p to form and q to its form. q is out
// when there is only one, both are for the empty exchange.
type exchange struct {
	p, pForm int
	q, qForm int
	tokens   int     // change of the tokens used
	value    float64 // change of the value, as estimated
}

func (a exchange) touches(p int) bool { return p != out && (a.p == p || a.q == p) }

func (a exchange) conflicts(b exchange) bool { return b.touches(a.p) || b.touches(a.q) }

// order breaks a tie in a comparison by the items' order.
func (a exchange) order(b exchange, c int) int {
	if c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(a.q, b.q),
		cmp.Compare(a.pForm, b.pForm), cmp.Compare(a.qForm, b.qForm))
}

// Bounds on the search for exchanges. Only the most promising moves are paired: in a large layer a
// single item has little weight.
const (
	roundsSmall = 24
	roundsLarge = 8
	maxTries    = 8
	pairedSmall = 48
	pairedLarge = 24
	unpaired    = 0
)

// improve raises the value of the choice by exchanges until none helps: an item leaves or shrinks,
// another comes in or grows; with paired > 0, up to two on each side, out of that many promising
// moves. It returns the new value, which is never lower than value, that of the current choice.
func (k *packer) improve(capacity int, value float64, paired int) float64 {
	for range either(len(k.idx) <= mediumLayer, roundsSmall, roundsLarge) {
		s := &k.scratch
		k.moves()
		better, ok := k.bestExchange(s.ins, s.outs, capacity, value)
		if !ok && paired > 0 {
			s.pairedIns = pairs(s.pairedIns[:0], s.ins, paired)
			s.pairedOuts = pairs(s.pairedOuts[:0], s.outs, paired)
			better, ok = k.bestExchange(s.pairedIns, s.pairedOuts, capacity, value)
		}
		if !ok {
			break
		}
		value = better
	}
	return value
}

// scratch holds the slices of a search for reuse from one round to the next.
type scratch struct {
	ins, outs, pairedIns, pairedOuts, sorted []exchange

	cheapest []int
	joins    []join
}

// join pairs an in with the out that makes room for it, by their indices.
type join struct {
	in, out int
	value   float64
}

// moves lists every single change in scratch: ins raise the value, outs free
// tokens.
func (k *packer) moves() {
	ins, outs := k.scratch.ins[:0], k.scratch.outs[:0]
	for p := range k.idx {
		if k.fixed[p] {
			continue
		}
		now := k.tokens(p, k.form[p])
		for form := out; form < len(k.forms[p]); form++ {
			if form == k.form[p] {
				continue
			}
			e := exchange{p, form, out, out, k.tokens(p, form) - now, k.gain(p, form)}
			switch {
			case e.value > 0:
				ins = append(ins, e)
			case e.tokens < 0:
				outs = append(outs, e)
			}
		}
	}
	k.scratch.ins, k.scratch.outs = ins, outs
}

// pairs appends to all the moves and all pairs among the most promising of them: those with the
// best value, and those with the best value per token.
func pairs(all, moves []exchange, most int) []exchange {
	chosen := moves
	if len(moves) > most {
		byValue := slices.Clone(moves)
		slices.SortFunc(byValue, func(a, b exchange) int { return a.order(b, cmp.Compare(b.value, a.value)) })
		byRate := slices.Clone(byValue[most/2:])
		slices.SortFunc(byRate, func(a, b exchange) int { return a.order(b, cmp.Compare(b.rate(), a.rate())) })
		chosen = append(byValue[:most/2:most/2], byRate[:most-most/2]...)
	}
	all = append(all, moves...)
	for i, a := range chosen {
		for _, b := range chosen[i+1:] {
			if a.p != b.p {
				all = append(all, exchange{a.p, a.pForm, b.p, b.pForm, a.tokens + b.tokens, a.value + b.value})
			}
		}
	}
	return all
}

// rate returns the value gained per token, or for an out the value kept per token freed.
func (a exchange) rate() float64 {
	switch {
	case a.tokens > 0:
		return a.value / float64(a.tokens)
	case a.tokens < 0:
		return -a.value / float64(a.tokens)
	default:
		return a.value
	}
}

// bestExchange joins each in with the cheapest out that makes room for it, and applies the most
// promising join that raises the value.
func (k *packer) bestExchange(ins, outs []exchange, capacity int, value float64) (float64, bool) {
	slack := capacity - k.used
	s := &k.scratch
	s.sorted = append(append(s.sorted[:0], outs...), exchange{p: out, pForm: out, q: out, qForm: out})
	outs = s.sorted
	slices.SortFunc(outs, func(a, b exchange) int { return a.order(b, cmp.Compare(a.tokens, b.tokens)) })
	cheapest := slices.Grow(s.cheapest[:0], len(outs))[:len(outs)] // the one that costs least among the outs up to each index
	for i := range outs {
		cheapest[i] = i
		if i > 0 && outs[cheapest[i-1]].value >= outs[i].value {
			cheapest[i] = cheapest[i-1]
		}
	}
	joins := s.joins[:0]
	for i, in := range ins {
		// The first n outs free enough.
		n := sort.Search(len(outs), func(j int) bool { return outs[j].tokens > slack-in.tokens })
		if n == 0 {
			continue
		}
		best := cheapest[n-1]
		if in.value+outs[best].value <= epsilon(value) {
			continue
		}
		if in.conflicts(outs[best]) {
			if best = firstDistinct(in, outs[:n]); best < 0 {
				continue
			}
		}
		if gain := in.value + outs[best].value; gain > epsilon(value) {
			joins = append(joins, join{i, best, gain})
		}
	}
	s.cheapest, s.joins = cheapest, joins
	slices.SortFunc(joins, func(a, b join) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.in, b.in))
	})
	for _, j := range joins[:min(len(joins), maxTries)] {
		if better, ok := k.try(ins[j.in], outs[j.out], value); ok {
			return better, true
		}
	}
	return value, false
}

// firstDistinct returns the cheapest out that shares no item with in, or -1.
func firstDistinct(in exchange, outs []exchange) int {
	best := -1
	for i, o := range outs {
		if !in.conflicts(o) && (best < 0 || o.value > outs[best].value) {
			best = i
		}
	}
	return best
}

// try applies both exchanges and keeps them when the value really rises.
func (k *packer) try(in, outgoing exchange, value float64) (float64, bool) {
	var undo [4][2]int
	n := 0
	for _, e := range [...]exchange{outgoing, in} {
		for _, m := range [...][2]int{{e.p, e.pForm}, {e.q, e.qForm}} {
			if m[0] != out {
				undo[n] = [2]int{m[0], k.form[m[0]]}
				n++
				k.put(m[0], m[1])
			}
		}
	}
	if better := k.total(); better > value+epsilon(value) {
		return better, true
	}
	for ; n > 0; n-- {
		k.put(undo[n-1][0], undo[n-1][1])
	}
	return value, false
}
