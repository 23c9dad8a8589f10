package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
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

// A quantised dot product is the cosine within the bound that Quantize states.
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

// sortedTop is the definition of Top.
func sortedTop(scores []int32, k int, keep func(int) bool, floor int32) []Hit {
	var all []Hit
	for i, s := range scores {
		if s > floor && (keep == nil || keep(i)) {
			all = append(all, Hit{i, s})
		}
	}
	slices.SortStableFunc(all, func(a, b Hit) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return all[:max(0, min(k, len(all)))]
}

func TestTopEqualsSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		span := rapid.SampledFrom([]int32{1, 5, 1000, math.MaxInt32}).Draw(t, "span")
		scores := rapid.SliceOfN(rapid.Int32Range(-span, span), 0, 2000).Draw(t, "scores")
		switch rapid.IntRange(0, 3).Draw(t, "order") {
		case 0:
			slices.Sort(scores)
		case 1:
			slices.Sort(scores)
			slices.Reverse(scores)
		}
		k := rapid.IntRange(-1, 400).Draw(t, "k")
		floor := rapid.SampledFrom([]int32{math.MinInt32, -3, 0, 2, math.MaxInt32}).Draw(t, "floor")
		var keep func(int) bool
		if every := rapid.IntRange(0, 4).Draw(t, "every"); every > 0 {
			keep = func(i int) bool { return i%every == 0 }
		}
		got, want := Top(scores, k, keep, floor), sortedTop(scores, k, keep, floor)
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestTopOnManyScores(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	scores := make([]int32, 50_000)
	for i := range scores {
		scores[i] = int32(r.IntN(2*16129) - 16129)
	}
	rising := slices.Sorted(slices.Values(scores))
	for name, scores := range map[string][]int32{"random": scores, "rising": rising, "equal": make([]int32, 50_000)} {
		for _, k := range []int{1, 30, 1000, 50_000, 60_000} {
			got, want := Top(scores, k, nil, -1), sortedTop(scores, k, nil, -1)
			if !slices.Equal(got, want) {
				t.Errorf("%s, k = %d: differs from a sort", name, k)
			}
		}
	}
}

func BenchmarkTop(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	scores := make([]int32, 100_000)
	for i := range scores {
		scores[i] = int32(r.NormFloat64() * 2000)
	}
	rising := slices.Sorted(slices.Values(scores))
	for name, scores := range map[string][]int32{"random": scores, "rising": rising} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Top(scores, 30, nil, 0)
			}
		})
	}
}
