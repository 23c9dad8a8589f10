package ollama

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// vector decodes only an array of numbers: encoding/json would accept null as zero.
type vector []float32

var errVector = errors.New("not an array of numbers")

// UnmarshalJSON implements json.Unmarshaler. A number that does not fit float32 is an error.
func (v *vector) UnmarshalJSON(data []byte) error {
	if len(data) < 2 || data[0] != '[' || data[len(data)-1] != ']' {
		return errVector
	}
	data = data[1 : len(data)-1]
	out := make(vector, 0, len(data)/8)
	for len(data) > 0 {
		end := 0
		for end < len(data) && data[end] != ',' {
			end++
		}
		field := data[:end]
		for len(field) > 0 && field[0] <= ' ' {
			field = field[1:]
		}
		for len(field) > 0 && field[len(field)-1] <= ' ' {
			field = field[:len(field)-1]
		}
		if len(field) == 0 && end == len(data) && len(out) == 0 {
			break // an empty array with space in it
		}
		f, err := strconv.ParseFloat(string(field), 32)
		if err != nil {
			return errVector
		}
		out = append(out, float32(f))
		data = data[min(end+1, len(data)):]
	}
	*v = out
	return nil
}

// tiny is the length below which a vector has no direction.
const tiny = 1e-6

// check returns an error if the vectors of an answer are invalid: their count, their dimension (0
// accepts any that is the same for all), a value that is not a number, a length of zero. It scales
// every vector to length 1; one that has that length already keeps its bits.
func check(vectors []vector, count, dims int) error {
	if len(vectors) != count {
		return fmt.Errorf("%d vectors for %d texts", len(vectors), count)
	}
	for _, v := range vectors {
		if dims == 0 {
			dims = len(v)
		}
		if len(v) != dims || dims == 0 {
			return fmt.Errorf("a vector of %d dimensions instead of %d", len(v), dims)
		}
		if !normalise(v) {
			return errors.New("a vector without a direction")
		}
	}
	return nil
}

// normalise scales v to length 1. It reports false, and leaves v unchanged, if that is impossible.
func normalise(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if length := math.Sqrt(sum); math.IsNaN(length) || math.IsInf(length, 0) || length < tiny {
		return false
	}
	if math.Abs(sum-1) < 1e-5 {
		return true
	}
	scale := 1 / math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) * scale)
	}
	return true
}

// mean returns the normalised weighted mean of unit vectors, or nil if they cancel each other out.
func mean(parts [][]float32, weight []float64) []float32 {
	sum := make([]float64, len(parts[0]))
	for i, part := range parts {
		for j, x := range part {
			sum[j] += weight[i] * float64(x)
		}
	}
	length := 0.0
	for _, x := range sum {
		length += x * x
	}
	length = math.Sqrt(length)
	total := 0.0
	for _, w := range weight {
		total += w
	}
	if length < tiny*total || length == 0 {
		return nil
	}
	out := make([]float32, len(sum))
	for i, x := range sum {
		out[i] = float32(x / length)
	}
	return out
}

// cosine returns the cosine of two unit vectors; 0 if their dimensions differ.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
