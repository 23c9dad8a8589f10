package tokens

// maxShort is the longest piece that is merged by looking for the lowest rank in
// an array each time: quadratic, but faster than a heap up to here. In bytes.
const maxShort = 64

// merge returns the number of tokens that byte pair encoding makes of p: start
// from single bytes and join, again and again, the neighbours whose joined bytes
// have the lowest rank, the leftmost first, until no neighbours join to a token.
// p is at least two bytes long and no token itself.
func (v *vocab) merge(sc *scratch, p string) int {
	if len(p) <= maxShort {
		sc.steps += len(p) * maxShort
		return v.mergeShort(p)
	}
	return v.mergeLong(sc, p)
}

func (v *vocab) mergeShort(p string) int {
	var start [maxShort + 1]uint8
	var rank [maxShort + 1]uint32 // rank[i]: part i joined with part i+1
	n := len(p)                   // parts
	for i := range n {
		start[i] = uint8(i)
		rank[i] = noRank
		if i+1 < n {
			rank[i] = v.pair(p[i], p[i+1])
		}
	}
	start[n] = uint8(n)
	for {
		best, at := uint32(noRank), -1
		for i, r := range rank[:n-1] {
			if r < best {
				best, at = r, i
			}
		}
		if at < 0 {
			return n
		}
		copy(start[at+1:n], start[at+2:n+1])
		copy(rank[at+1:n-1], rank[at+2:n])
		n--
		rank[at] = noRank
		if at+1 < n {
			rank[at] = v.rank(p[start[at]:start[at+2]])
		}
		if at > 0 {
			rank[at-1] = v.rank(p[start[at-1]:start[at+1]])
		}
	}
}

// longMerge is the memory of a merge of a long piece. A part is known by the byte
// it starts at; parts are linked by their lengths, which fit a byte.
type longMerge struct {
	rank  []uint32 // at a part's start: its rank joined with the next; else noRank
	ahead []uint8  // at a part's start: its length
	back  []uint8  // at a part's last byte: its length
	heap  []uint64 // rank<<32 | start, lowest first; stale where rank has changed
}

// mergeLong is merge in O(n log n) for any n.
func (v *vocab) mergeLong(sc *scratch, p string) int {
	m := &sc.long
	m.reset(len(p))
	for i := range len(p) - 1 {
		if r := v.pair(p[i], p[i+1]); r != noRank {
			m.rank[i] = r
			m.heap = append(m.heap, uint64(r)<<32|uint64(i))
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		sc.steps += m.down(i)
	}
	parts := len(p)
	for len(m.heap) > 0 {
		top := m.heap[0]
		rank, i := uint32(top>>32), int(uint32(top))
		if m.rank[i] != rank {
			sc.steps += m.pop()
			continue
		}
		j := i + int(m.ahead[i])   // the part to join to i's
		end := j + int(m.ahead[j]) // of both
		m.ahead[i], m.back[end-1] = uint8(end-i), uint8(end-i)
		m.rank[j] = noRank
		parts--

		next := uint32(noRank)
		if end < len(p) {
			next = v.rank(p[i : end+int(m.ahead[end])])
		}
		m.rank[i] = next
		if next == noRank {
			sc.steps += m.pop()
		} else { // the place of the entry just used
			m.heap[0] = uint64(next)<<32 | uint64(i)
			sc.steps += m.down(0)
		}
		if i > 0 {
			h := i - int(m.back[i-1])
			if r := v.rank(p[h:end]); r != m.rank[h] {
				m.rank[h] = r
				if r != noRank {
					sc.steps += m.push(uint64(r)<<32 | uint64(h))
				}
			}
		}
		sc.steps++
	}
	return parts
}

// reset makes n parts of one byte, none joinable, and an empty heap.
func (m *longMerge) reset(n int) {
	if cap(m.rank) < n {
		m.rank, m.ahead, m.back = make([]uint32, n), make([]uint8, n), make([]uint8, n)
		m.heap = make([]uint64, 0, n)
	}
	m.rank, m.ahead, m.back, m.heap = m.rank[:n], m.ahead[:n], m.back[:n], m.heap[:0]
	for i := range n {
		m.rank[i], m.ahead[i], m.back[i] = noRank, 1, 1
	}
}

// push, pop and down keep the heap, and return how many places they moved.

func (m *longMerge) push(x uint64) (steps int) {
	m.heap = append(m.heap, x)
	i := len(m.heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if m.heap[up] <= x {
			break
		}
		m.heap[i] = m.heap[up]
		i = up
		steps++
	}
	m.heap[i] = x
	return steps
}

func (m *longMerge) pop() (steps int) {
	last := len(m.heap) - 1
	m.heap[0] = m.heap[last]
	m.heap = m.heap[:last]
	if last == 0 {
		return 0
	}
	return m.down(0)
}

func (m *longMerge) down(i int) (steps int) {
	h := m.heap
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
	return steps
}
