// Package vector scans int8 vectors exactly: it compares every row without approximation, so there
// is no graph to build, and a deletion is a row that the caller ignores.
//
// A caller quantises once ([Quantize]), stores the rows of one length end to end in a flat slice,
// and answers a query with [Dot]. [Similarity] compares single pairs, for example for
// deduplication. A scan of 100,000 rows of 384 costs 1–3 ms on one core: it is bound by memory,
// which is why a component takes one byte.
//
// All functions are pure and may be called concurrently as long as the memory is not written.
package vector

import "math"

// peak is the component of a vector along one axis. −128 is never produced, so that a vector and
// its negative have the same length.
const peak = 127

// Quantize scales v to unit length × 127 and rounds half to even into dst[:len(v)]; it panics if
// dst is shorter. A vector of zeros, or one whose length is not finite, becomes zeros: its dot
// product with any vector is 0.
//
// The dot product of two quantised vectors is their cosine × 127², off by at most 127·√dims +
// dims/4 from rounding, and usually by a hundredth of that.
func Quantize(dst []int8, v []float32) {
	dst = dst[:len(v)]
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	if squares == 0 || math.IsNaN(squares) || math.IsInf(squares, 0) {
		clear(dst)
		return
	}
	scale := peak / math.Sqrt(squares)
	for i, x := range v {
		dst[i] = int8(math.RoundToEven(float64(x) * scale))
	}
}

// Similarity returns the cosine of a and b, −1 to 1, from their exact integer products. It is 0 if
// either is all zeros or if their lengths differ: vectors of different embedders cannot be
// compared.
func Similarity(a, b []int8) float64 {
	if len(a) != len(b) {
		return 0
	}
	var ab, aa, bb int64
	for i, x := range a {
		x, y := int64(x), int64(b[i])
		ab += x * y
		aa += x * x
		bb += y * y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	cosine := float64(ab) / math.Sqrt(float64(aa)*float64(bb))
	return max(-1, min(1, cosine))
}
