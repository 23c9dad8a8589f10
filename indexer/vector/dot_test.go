package vector

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// naiveDot is the definition.
func naiveDot(rows []int8, dims int, query []int8) []int32 {
	out := make([]int32, len(rows)/dims)
	for i := range out {
		for j := range dims {
			out[i] += int32(rows[i*dims+j]) * int32(query[j])
		}
	}
	return out
}

func randomBytes(r *rand.Rand, n int) []int8 {
	v := make([]int8, n)
	for i := range v {
		v[i] = int8(r.IntN(256) - 128)
	}
	return v
}

func constant(n int, x int8) []int8 { return slices.Repeat([]int8{x}, n) }

func TestDotEqualsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dims := range []int{1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 192, 200, 255, 384, 768, 1000} {
		for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 13, 64} {
			for name, input := range map[string][2][]int8{
				"random": {randomBytes(r, n*dims), randomBytes(r, dims)},
				"lowest": {constant(n*dims, -128), constant(dims, -128)},
				"mixed":  {constant(n*dims, -128), constant(dims, 127)},
			} {
				rows, query := input[0], input[1]
				want := naiveDot(rows, dims, query)
				for level := 0; level <= bestLevel; level++ {
					got := make([]int32, n)
					dotAt(level, rows, query, got)
					if !slices.Equal(got, want) {
						t.Fatalf("%s, level %d, %d rows of %d: got %v, want %v", name, level, n, dims, got, want)
					}
				}
				got := make([]int32, n)
				dotGo(rows, query, got)
				if !slices.Equal(got, want) {
					t.Fatalf("%s, Go, %d rows of %d: got %v, want %v", name, n, dims, got, want)
				}
			}
		}
	}
}

func TestDotLeavesTheRestAlone(t *testing.T) {
	rows := []int8{1, 2, 3, 4, 5, 6, 7} // two rows of three and a byte over
	out := []int32{-1, -1, -1}
	Dot(rows, 3, []int8{1, 10, 100, 99}, out)
	if want := []int32{321, 654, -1}; !slices.Equal(out, want) {
		t.Errorf("out = %v, want %v", out, want)
	}
	out = []int32{-1}
	Dot(rows, 0, nil, out)
	Dot(rows, -4, nil, out)
	Dot(rows, 8, make([]int8, 8), out)
	Dot(nil, 8, make([]int8, 8), nil)
	if out[0] != -1 {
		t.Errorf("a scan without rows wrote %d", out[0])
	}
}

func TestDotRefusesShortSlices(t *testing.T) {
	for name, call := range map[string]func(){
		"query": func() { Dot(make([]int8, 64), 32, make([]int8, 31), make([]int32, 2)) },
		"out":   func() { Dot(make([]int8, 64), 32, make([]int8, 32), make([]int32, 1)) },
		"dims":  func() { Dot(make([]int8, 1<<17), 1<<17, make([]int8, 1<<17), make([]int32, 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic: the kernel would run over the end")
				}
			}()
			call()
		})
	}
}

func BenchmarkDot(b *testing.B) {
	const n = 100_000
	r := rand.New(rand.NewPCG(1, 2))
	for _, dims := range []int{192, 384} {
		rows, query, out := randomBytes(r, n*dims), randomBytes(r, dims), make([]int32, n)
		for level := 0; level <= bestLevel; level++ {
			b.Run(fmt.Sprintf("dims=%d/level=%d", dims, level), func(b *testing.B) {
				b.SetBytes(int64(len(rows)))
				for b.Loop() {
					dotAt(level, rows, query, out)
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/scan")
			})
		}
		b.Run(fmt.Sprintf("dims=%d/go", dims), func(b *testing.B) {
			b.SetBytes(int64(len(rows)))
			for b.Loop() {
				dotGo(rows, query, out)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/scan")
		})
	}
}
