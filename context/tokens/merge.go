package tokens

// maxShort is the longest piece, in bytes, that is merged by scanning an array for the lowest rank
// at each step: quadratic, but faster than a heap up to this length.
const maxShort = 64

// merge returns the number of tokens that byte pair encoding makes of p: it starts from single
// bytes and repeatedly joins the neighbours whose joined bytes have the lowest rank, the leftmost
// first, until no two neighbours join to a token. p is at least two bytes long and is not itself a
// token.
func (v *vocab) merge(sc *scratch, p string) int {
	if len(p) <= maxShort {
		sc.steps += len(p) * maxShort
		return v.mergeShort(p)
	}
	return v.mergeLong(sc, p, window, overlap)
}

func (v *vocab) mergeShort(p string) int {
	var start [maxShort + 1]uint8
	var rank [maxShort + 1]uint32 // rank[i]: rank of part i joined with part i+1
	n := len(p)                   // number of parts
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
