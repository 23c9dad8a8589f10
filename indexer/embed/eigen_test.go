package embed

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSymmetricEigen(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		name    string
		n, rank int
	}{{"one", 1, 1}, {"two", 2, 2}, {"full", 40, 40}, {"deficient", 40, 7}, {"zero", 16, 0}, {"large", 208, 208}} {
		t.Run(c.name, func(t *testing.T) {
			a := make([]float64, c.n*c.n)
			for range c.rank { // a sum of outer products has that rank
				v := make([]float64, c.n)
				for i := range v {
					v[i] = r.NormFloat64()
				}
				for i := range a {
					a[i] += v[i/c.n] * v[i%c.n]
				}
			}
			checkEigen(t, a, c.n, c.rank)
		})
	}
}

func checkEigen(t *testing.T, a []float64, n, rank int) {
	t.Helper()
	vectors := append([]float64(nil), a...)
	values := symmetricEigen(vectors, n)
	largest := max(1e-300, math.Abs(values[n-1]))
	for k := range n {
		v := vectors[k*n:][:n]
		if k > 0 && values[k] < values[k-1] {
			t.Errorf("value %d is %g after %g", k, values[k], values[k-1])
		}
		if k < n-rank && math.Abs(values[k]) > 1e-12*largest {
			t.Errorf("value %d is %g, rank %d wants zero", k, values[k], rank)
		}
		for i := range n { // a·v = value·v
			sum := 0.0
			for j := range n {
				sum += a[i*n+j] * v[j]
			}
			if !(math.Abs(sum-values[k]*v[i]) <= 1e-10*largest) {
				t.Fatalf("vector %d is off by %g", k, sum-values[k]*v[i])
			}
		}
		for l := range k + 1 {
			dot := 0.0
			for j := range n {
				dot += v[j] * vectors[l*n+j]
			}
			if want := float64(btoi(k == l)); !(math.Abs(dot-want) <= 1e-10) {
				t.Fatalf("vectors %d and %d: product %g, want %g", k, l, dot, want)
			}
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
