package tokens

// Long pieces are merged with a heap, window by window, so that the memory is
// bounded and stays in the processor's cache.
//
// This is exact by the following. If every two neighbours t, u of a sequence of
// tokens are what merging their joined bytes gives, then the sequence is what
// merging all its bytes gives. For suppose that merging it all joins parts across
// a border of the sequence, and look at the first time, at the border of t and u.
// Until then what happened within t and u is what happens in merging t and u
// alone: merging takes the lowest rank, leftmost first, and what it takes within a
// stretch that nothing has crossed is the lowest, leftmost within that stretch. So
// merging t and u alone crosses the border too, which it does not. Conversely, in
// the same way, neighbours in any result of merging have that property.
//
// So tokens of one window may be followed by tokens of the next, which starts
// where the kept ones end, when the two at the seam have it. A window's last
// tokens are not kept, as its end cuts into one; what is before is nearly always
// right. Where the seam shows that it is not, the whole piece is merged at once.
const (
	window  = 4096 // bytes
	overlap = 512  // bytes at a window's end whose tokens are not kept
)

// mergeLong is merge for a piece of any length n, in O(n log n). It stops when it
// has limit tokens, which are then those of the bytes they stand for, whose length
// it returns: a prefix of p, whose own tokens may go on differently.
func (v *vocab) mergeLong(sc *scratch, p string, limit, window, overlap int) (tokens, length int) {
	m := &sc.long
	last := 0    // length of the last kept token
	merged := "" // what m holds the parts of
	for {
		size := min(window, len(p)-length)
		if next := p[length : length+size]; next != merged { // equal in long runs
			sc.steps += v.run(m, next)
			merged = next
		}
		if last > 0 && !v.seam(sc, p[length-last:length+int(m.ahead[0])], last) {
			sc.steps += v.run(m, p)
			tokens, length, _ = m.take(len(p), limit)
			return tokens, length
		}
		keep := size - overlap
		if length+size == len(p) {
			keep = size
		}
		n, bytes, l := m.take(max(keep, 1), limit-tokens)
		tokens, length, last = tokens+n, length+bytes, l
		if tokens == limit || length == len(p) {
			return tokens, length
		}
	}
}

// seam reports whether merging the two tokens in p, the first of which has the
// given length, gives these two.
func (v *vocab) seam(sc *scratch, p string, first int) bool {
	sc.steps += v.run(&sc.seam, p)
	return int(sc.seam.ahead[0]) == first && first+int(sc.seam.ahead[first]) == len(p)
}

// longMerge is the memory of a merge with a heap. A part is known by the byte it
// starts at; parts are linked by their lengths, which fit a byte.
type longMerge struct {
	rank  []uint32 // at a part's start: its rank joined with the next; else noRank
	ahead []uint8  // at a part's start: its length
	back  []uint8  // at a part's last byte: its length
	heap  heap     // rank<<32 | start, lowest first; stale where rank has changed
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

// take returns the number and bytes of the first parts: those that start before
// the given byte, at most limit; and the length of the last one of them.
func (m *longMerge) take(before, limit int) (n, bytes, last int) {
	for bytes < before && n < limit {
		last = int(m.ahead[bytes])
		bytes += last
		n++
	}
	return n, bytes, last
}

// run merges p and leaves the parts in m. It returns the work done.
func (v *vocab) run(m *longMerge, p string) (steps int) {
	m.reset(len(p))
	for i := range len(p) - 1 {
		if r := v.pair(p[i], p[i+1]); r != noRank {
			m.rank[i] = r
			m.heap = append(m.heap, uint64(r)<<32|uint64(i))
		}
	}
	steps = len(p) + m.heap.order()
	for len(m.heap) > 0 {
		rank, i := uint32(m.heap[0]>>32), int(uint32(m.heap[0]))
		if m.rank[i] != rank {
			steps += m.heap.pop()
			continue
		}
		j := i + int(m.ahead[i])   // the part to join to i's
		end := j + int(m.ahead[j]) // of both
		m.ahead[i], m.back[end-1] = uint8(end-i), uint8(end-i)
		m.rank[i], m.rank[j] = noRank, noRank
		if end < len(p) {
			m.rank[i] = v.rank(p[i : end+int(m.ahead[end])])
		}
		if r := m.rank[i]; r == noRank {
			steps += m.heap.pop()
		} else {
			steps += m.heap.replace(uint64(r)<<32 | uint64(i))
		}
		if i == 0 {
			continue
		}
		h := i - int(m.back[i-1])
		if r := v.rank(p[h:end]); r != m.rank[h] {
			m.rank[h] = r
			if r != noRank {
				steps += m.heap.push(uint64(r)<<32 | uint64(h))
			}
		}
	}
	return steps
}
