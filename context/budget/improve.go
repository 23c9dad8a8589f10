package budget

import (
	"cmp"
	"slices"
)

// trials, shared by the items, bounds the moves that a round of improve tries, which are at least
// minTrials, and maxRounds the rounds.
const trials, minTrials, maxRounds = 900, 8, 12

// improve raises the value of the choice, that of which is given, until nothing helps: an item
// comes in or grows, those that are worth least for their tokens make room for it, and what then
// fits besides comes in. It returns the new value, which is never lower.
func (k *packer) improve(capacity int, value float64) float64 {
	for range maxRounds {
		better := value
		for _, m := range k.moves(capacity) {
			if better = k.try(m, capacity, value); better > value {
				break
			}
		}
		if better == value {
			break
		}
		value = better
	}
	return value
}

// moves returns the moves of single items that raise the value, the most promising first.
func (k *packer) moves(capacity int) (moves []candidate) {
	for p := range k.idx {
		for form := range k.forms[p] {
			if gain := k.gain(p, form); !k.fixed[p] && gain > 0 && k.tokens(p, form) <= capacity {
				moves = append(moves, candidate{greedyKeys[1](gain, k.tokens(p, form)-k.tokens(p, k.form[p])), p, form})
			}
		}
	}
	slices.SortStableFunc(moves, func(a, b candidate) int { return cmp.Compare(b.key, a.key) })
	return moves[:min(max(minTrials, trials/(1+len(k.idx))), len(moves))]
}

// try makes a move and the room for it, by each of the keys, until the value rises; it returns the
// value.
func (k *packer) try(m candidate, capacity int, value float64) float64 {
	before := slices.Clone(k.form)
	for _, key := range greedyKeys {
		k.put(m.p, m.form)
		k.makeRoom(capacity, m.p, key)
		k.greedy(capacity, key)
		if better := k.total(); k.used <= capacity && better > value+epsilon(value) {
			return better
		}
		k.restore(before)
	}
	return value
}

// makeRoom takes out or shortens items other than p, those first that lose least by the key, until
// the rest fits or nothing can go.
func (k *packer) makeRoom(capacity, p int, key greedyKey) {
	for k.used > capacity {
		best, ok := candidate{}, false
		for q, now := range k.form {
			if q == p || k.fixed[q] || now == out {
				continue
			}
			for form := out; form < len(k.forms[q]); form++ {
				freed := k.tokens(q, now) - k.tokens(q, form)
				if freed <= 0 {
					continue
				}
				if c := (candidate{key(k.gain(q, form), freed), q, form}); !ok || c.before(best) {
					best, ok = c, true
				}
			}
		}
		if !ok {
			return
		}
		k.put(best.p, best.form)
	}
}
