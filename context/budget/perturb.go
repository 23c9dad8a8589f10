package budget

// mend raises the value of the choice as far as its searches go, and returns it. Exchanges are
// enough where values only add up; where items reduce each other's novelty, the effect of a change
// is found by applying it and filling up again.
func (k *packer) mend(capacity int, value float64) float64 {
	n := len(k.idx)
	value = k.improve(capacity, value, either(n <= smallLayer, pairedSmall, pairedLarge))
	if n > smallLayer || k.exhausted() {
		return value
	}
	for range maxPerturbed {
		better := k.perturb(capacity, value)
		if better <= value+epsilon(value) {
			break
		}
		value = k.improve(capacity, better, pairedSmall)
	}
	return value
}

// The number of items up to which a search is worth its time: one that restarts around each item,
// and one that mends every greedy pass instead of only the best.
const (
	smallLayer   = 14
	mediumLayer  = 60
	maxPerturbed = 3
)

// perturb tries, for each item, leaving it out and each of its forms, with all else filled up
// around that, both from the current choice and from none. It keeps each attempt that raises the
// value and returns the value reached.
func (k *packer) perturb(capacity int, value float64) float64 {
	saved := append([]int(nil), k.form...)
	for p := range k.idx {
		if k.fixed[p] {
			continue
		}
		for form := out; form < len(k.forms[p]); form++ {
			for _, clear := range []bool{false, true} {
				if form == saved[p] && !clear || k.tokens(p, form) > capacity {
					continue
				}
				k.rebuild(p, form, capacity, clear)
				if now := k.total(); k.used <= capacity && now > value+epsilon(value) {
					value = now
					copy(saved, k.form)
				} else {
					k.restore(saved)
				}
			}
		}
	}
	return value
}

// rebuild fixes p at the form and fills up around it, with clear after removing all that may move.
// The result exceeds capacity when p and the required items do not fit together.
func (k *packer) rebuild(p, form, capacity int, clear bool) {
	for q := range k.idx {
		if clear && !k.fixed[q] && k.form[q] != out {
			k.put(q, out)
		}
	}
	k.put(p, form)
	k.fixed[p] = true
	if k.makeRoom(capacity) {
		k.greedy(capacity, greedyKeys[0])
		if clear {
			k.improve(capacity, k.total(), unpaired)
		}
	}
	k.fixed[p] = false
}

// makeRoom removes what has the least value for its tokens until the rest fits, and reports whether
// it does.
func (k *packer) makeRoom(capacity int) bool {
	for k.used > capacity {
		worst, rate := out, 0.0
		for p, form := range k.form {
			if form == out || k.fixed[p] {
				continue
			}
			if r := -k.gain(p, out) / float64(max(1, k.tokens(p, form))); worst == out || r < rate {
				worst, rate = p, r
			}
		}
		if worst == out {
			return false
		}
		k.put(worst, out)
	}
	return true
}
