package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestQuantize(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		name string
		in   []float32
		want []int8
	}{
		{"nothing", nil, []int8{}},
		{"zeros stay zeros", []float32{0, 0, 0}, []int8{0, 0, 0}},
		{"one axis", []float32{0, -5, 0}, []int8{0, -127, 0}},
		{"length does not matter", []float32{3e-20, 4e-20}, []int8{76, 102}},
		{"largest floats", []float32{math.MaxFloat32, -math.MaxFloat32}, []int8{90, -90}},
		{"smallest floats", []float32{math.SmallestNonzeroFloat32, 0}, []int8{127, 0}},
		{"infinite", []float32{inf, 1}, []int8{0, 0}},
		{"not a number", []float32{1, nan}, []int8{0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dst := constant(len(c.in), 55)
			Quantize(dst, c.in)
			if !slices.Equal(dst, c.want) {
				t.Errorf("got %v, want %v", dst, c.want)
			}
		})
	}
}

// A quantised dot product equals the cosine within the bound stated by Quantize.
func TestQuantizedDotIsCosine(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, dims := range []int{2, 32, 192, 768} {
		for range 50 {
			a, b := make([]float32, dims), make([]float32, dims)
			var ab, aa, bb float64
			for i := range a {
				a[i], b[i] = float32(r.NormFloat64()), float32(r.NormFloat64())
				b[i] += a[i] / 2
				ab += float64(a[i]) * float64(b[i])
				aa += float64(a[i]) * float64(a[i])
				bb += float64(b[i]) * float64(b[i])
			}
			cosine := ab / math.Sqrt(aa*bb)
			qa, qb, out := make([]int8, dims), make([]int8, dims), make([]int32, 1)
			Quantize(qa, a)
			Quantize(qb, b)
			Dot(qa, dims, qb, out)
			bound := peak*math.Sqrt(float64(dims)) + float64(dims)/4
			if diff := math.Abs(float64(out[0]) - cosine*peak*peak); diff > bound {
				t.Errorf("dims %d: dot %d is %.0f off the cosine, bound %.0f", dims, out[0], diff, bound)
			}
			if diff := math.Abs(Similarity(qa, qb) - cosine); diff > 0.03 {
				t.Errorf("dims %d: similarity is %.3f off", dims, diff)
			}
		}
	}
}

func TestSimilarity(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []int8
		want float64
	}{
		{"same", []int8{3, 4}, []int8{6, 8}, 1},
		{"opposite", []int8{-128, 0}, []int8{127, 0}, -1},
		{"orthogonal", []int8{1, 0}, []int8{0, 1}, 0},
		{"zeros", []int8{0, 0}, []int8{1, 1}, 0},
		{"other length", []int8{1}, []int8{1, 0}, 0},
		{"empty", nil, nil, 0},
	} {
		if got := Similarity(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
