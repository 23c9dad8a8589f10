package budget

// candidate is the best next move of one position, as of its last computation.
type candidate struct {
	key     float64
	p, form int
}

// before orders candidates: higher key, then earlier position.
func (c candidate) before(d candidate) bool {
	return c.key > d.key || (c.key == d.key && c.p < d.p)
}

// greedy adds and upgrades forms, best key first, while they fit. A key is recomputed when its
// candidate comes to the top, since the items added meanwhile usually lower it.
func (k *packer) greedy(capacity int, key greedyKey) {
	queue := make(candidates, 0, len(k.idx))
	for p := range k.idx {
		if c, ok := k.next(p, capacity, key); ok {
			queue = append(queue, c)
		}
	}
	queue.init()
	for len(queue) > 0 {
		top := queue[0]
		c, ok := k.next(top.p, capacity, key)
		switch {
		case !ok:
			queue.pop()
		case c != top && len(queue) > 1 && queue.second().before(c):
			queue[0] = c
			queue.down(0)
		default:
			k.put(c.p, c.form)
			if c, ok = k.next(c.p, capacity, key); ok {
				queue[0] = c
				queue.down(0)
			} else {
				queue.pop()
			}
		}
	}
}

// next returns the best move of p to a larger form, or into the set, that fits and adds value. An
// item without value comes in too.
func (k *packer) next(p, capacity int, key greedyKey) (candidate, bool) {
	best, ok := candidate{p: p}, false
	if k.fixed[p] {
		return best, false
	}
	room := capacity - k.used
	now := k.tokens(p, k.form[p])
	for form, f := range k.forms[p] {
		more := f.tokens - now
		if more > room || form == k.form[p] || (k.form[p] != out && more <= 0) {
			continue
		}
		gain := k.gain(p, form)
		worthless := gain == 0 && k.form[p] == out
		if gain <= 0 && !worthless {
			continue
		}
		if c := (candidate{key(gain, more), p, form}); !ok || c.key > best.key {
			best, ok = c, true
		}
	}
	return best, ok
}

// candidates is a binary heap, best first.
type candidates []candidate

func (q candidates) init() {
	for i := len(q)/2 - 1; i >= 0; i-- {
		q.down(i)
	}
}

func (q candidates) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(q) {
			return
		}
		if child+1 < len(q) && q[child+1].before(q[child]) {
			child++
		}
		if !q[child].before(q[i]) {
			return
		}
		q[i], q[child] = q[child], q[i]
		i = child
	}
}

func (q *candidates) pop() {
	last := len(*q) - 1
	(*q)[0] = (*q)[last]
	*q = (*q)[:last]
	q.down(0)
}

// second returns the best candidate except the top.
func (q candidates) second() candidate {
	if len(q) > 2 && q[2].before(q[1]) {
		return q[2]
	}
	return q[1]
}
