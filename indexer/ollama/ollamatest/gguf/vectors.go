package gguf

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// direction returns a vector derived from seed and name, with a root mean square of 1: a model's
// normalisations leave it nearly unchanged. The vectors of two names are nearly orthogonal, the
// more so the more dimensions.
func direction(seed uint64, name string, dims int) []float32 {
	h := fnv.New64a()
	h.Write([]byte(name))
	rng := rand.New(rand.NewPCG(seed, h.Sum64()))
	v := make([]float64, dims)
	var squares float64
	for i := range v {
		v[i] = rng.NormFloat64()
		squares += float64(v[i] * v[i]) // the conversion prevents fusing it into the sum, as some processors would
	}
	scale := math.Sqrt(float64(dims) / squares)
	out := make([]float32, dims)
	for i := range v {
		out[i] = float32(v[i] * scale)
	}
	return out
}

// closeness is the cosine of a group's words with their common vector, so 0.81 is that of two of
// them.
const closeness = 0.9

// near returns a vector of the same length as base whose cosine with it is closeness; own,
// orthogonal to base, distinguishes it.
func near(base, own []float32) []float32 {
	out := make([]float32, len(base))
	apart := float32(math.Sqrt(1 - closeness*closeness))
	for i := range out {
		// Converted separately, for the same reason as above.
		out[i] = float32(closeness*base[i]) + float32(apart*own[i])
	}
	return out
}
