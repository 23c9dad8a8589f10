package tokens

// Long pieces are merged with a heap, window by window, so that the memory is
// bounded and stays in the processor's cache.
//
// The result is exact, by this argument. Call a sequence of tokens stable if, for every two
// neighbours t, u, merging their joined bytes gives t, u. Then merging all bytes of a stable
// sequence gives the sequence. For suppose that merging all bytes joins parts across a border of
// the sequence, and take the first such join, at the border of t and u. Up to then, what happened
// within t and u is what happens when t and u are merged alone: merging takes the lowest rank,
// leftmost first, and what it takes within a stretch whose borders nothing has crossed is the
// lowest, leftmost within that stretch. So merging t and u alone crosses the border too, a
// contradiction. By the same argument, any result of merging is stable.
//
// So tokens of one window may be followed by tokens of the next, which starts where the kept tokens
// end, if the two tokens at the seam are stable. A window's last tokens are not kept, because the
// window's end may cut through a token; those before are nearly always right. If a seam is not
// stable, the whole piece is merged at once.
const (
	window  = 4096 // bytes
	overlap = 512  // bytes at a window's end whose tokens are not kept
)

// mergeLong is merge for a piece of any length n, in O(n log n).
func (v *vocab) mergeLong(sc *scratch, p string, window, overlap int) (tokens int) {
	m := &sc.long
	length, last := 0, 0 // of what is kept, and of its last token
	merged := ""         // the bytes whose parts m holds
	for length < len(p) {
		size := min(window, len(p)-length)
		if next := p[length : length+size]; next != merged { // equal in long runs
			sc.steps += v.run(m, next)
			merged = next
		}
		if last > 0 && !v.seam(sc, p[length-last:length+int(m.ahead[0])], last) {
			sc.steps += v.run(m, p)
			tokens, _, _ = m.take(len(p))
			return tokens
		}
		keep := size - overlap
		if length+size == len(p) {
			keep = size
		}
		n, bytes, l := m.take(max(keep, 1))
		tokens, length, last = tokens+n, length+bytes, l
	}
	return tokens
}

// seam reports whether merging p gives exactly two tokens, the first of the given length.
func (v *vocab) seam(sc *scratch, p string, first int) bool {
	sc.steps += v.run(&sc.seam, p)
	return int(sc.seam.ahead[0]) == first && first+int(sc.seam.ahead[first]) == len(p)
}

// longMerge is the memory of a merge with a heap. A part is identified by its first byte; parts are
// linked by their lengths, which fit a byte.
type longMerge struct {
	rank  []uint32 // at a part's start: its rank joined with the next part; else noRank
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

// take returns the number of the first parts that start before the given byte, their length in
// bytes, and the length of the last of them.
func (m *longMerge) take(before int) (n, bytes, last int) {
	for bytes < before {
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
		j := i + int(m.ahead[i])   // the part to join with i's
		end := j + int(m.ahead[j]) // end of both
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
