package vector

import "slices"

// Hit is one row that [Top] chose.
type Hit struct {
	Index int   // the row's number
	Score int32 // its dot product
}

// Top returns the k best of scores that are above floor and that keep admits, the best first and
// equal scores by index; nil keep admits all. Fewer come back when fewer qualify. It holds at most
// 2k + 256 candidates at a time whatever the scores are, and asks keep only for rows that could
// still get in, in ascending order of index.
//
// One pass with a rising threshold: candidates gather until the buffer is full, are then cut to the
// k best, and from there on a row has to beat the worst of those. On scores in no particular order
// all but O(k log(n/k)) rows cost one comparison each.
func Top(scores []int32, k int, keep func(i int) bool, floor int32) []Hit {
	if k <= 0 {
		return nil
	}
	k = min(k, len(scores))
	keys := make([]uint64, 0, min(2*k, len(scores))+256)
	for i, score := range scores {
		if score <= floor || keep != nil && !keep(i) {
			continue
		}
		if len(keys) == cap(keys) {
			slices.Sort(keys)
			keys = keys[:k]
			floor = max(floor, scoreOf(keys[k-1]))
			// Equal scores further on have higher indexes, so the k-th best itself is the new floor.
			if score <= floor {
				continue
			}
		}
		keys = append(keys, keyOf(i, score))
	}
	slices.Sort(keys)
	hits := make([]Hit, min(k, len(keys)))
	for i := range hits {
		hits[i] = Hit{Index: int(uint32(keys[i])), Score: scoreOf(keys[i])}
	}
	return hits
}

// keyOf orders by descending score, then ascending index, when keys ascend. Complementing all but
// the sign bit turns the order of signed numbers into the reverse order of unsigned ones.
func keyOf(i int, score int32) uint64 {
	return uint64(uint32(score)^0x7fffffff)<<32 | uint64(uint32(i))
}

func scoreOf(key uint64) int32 { return int32(uint32(key>>32) ^ 0x7fffffff) }
