package tokens

// heap is a binary min-heap. Its methods return the number of moves made. (container/heap would
// allocate for each entry.)
type heap []uint64

// order turns entries in any order into a heap, in linear time.
func (h heap) order() (steps int) {
	for i := len(h)/2 - 1; i >= 0; i-- {
		steps += h.down(i)
	}
	return steps
}

func (h *heap) push(x uint64) (steps int) {
	*h = append(*h, x)
	a := *h
	i := len(a) - 1
	for i > 0 {
		up := (i - 1) / 2
		if a[up] <= x {
			break
		}
		a[i] = a[up]
		i = up
		steps++
	}
	a[i] = x
	return steps + 1
}

// replace replaces the lowest entry with x.
func (h heap) replace(x uint64) (steps int) {
	h[0] = x
	return h.down(0)
}

// pop removes the lowest entry.
func (h *heap) pop() (steps int) {
	a := *h
	last := len(a) - 1
	a[0] = a[last]
	*h = a[:last]
	if last == 0 {
		return 1
	}
	return h.down(0)
}

func (h heap) down(i int) (steps int) {
	x := h[i]
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c+1] < h[c] {
			c++
		}
		if x <= h[c] {
			break
		}
		h[i] = h[c]
		i = c
		steps++
	}
	h[i] = x
	return steps + 1
}
