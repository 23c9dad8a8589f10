package tokens

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// naive merges by the definition, holding the text of every part.
func naive(v *vocab, p string) []string {
	parts := strings.Split(p, "") // bytes, because p is ASCII
	for {
		best, at := uint32(noRank), -1
		for i := range len(parts) - 1 {
			if r := v.rank(parts[i] + parts[i+1]); r < best {
				best, at = r, i
			}
		}
		if at < 0 {
			return parts
		}
		parts[at] += parts[at+1]
		parts = append(parts[:at+1], parts[at+2:]...)
	}
}

// TestMergeLong compares every way to merge with the definition. Windows far too small make
// unstable seams, so the fallback is tested too.
func TestMergeLong(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	sc := new(scratch)
	for _, e := range []Encoding{O200k, CL100k} {
		v := mustLoad(t, e).vocab
		bad := 0
		for range 500 {
			p := randomPiece(rng)
			want := naive(v, p)
			if got := v.merge(sc, p); got != len(want) {
				t.Fatalf("%s: merge(%q) = %d, want %d", e, p, got, len(want))
			}
			window := 2 + rng.IntN(40)
			overlap := rng.IntN(window)
			if n := v.mergeLong(sc, p, window, overlap); n != len(want) {
				t.Fatalf("%s: mergeLong(%q, %d, %d) = %d, want %d", e, p, window, overlap, n, len(want))
			}
			if len(sc.long.rank) == len(p) && window < len(p) {
				bad++
			}
		}
		if bad < 20 {
			t.Errorf("%s: only %d seams did not hold: the way back is hardly tried", e, bad)
		}
	}
}

func randomPiece(rng *rand.Rand) string {
	alphabets := []string{"ab", "a", "abcdefghijklmnopqrstuvwxyz", "etaoin", " ", "=-", "\t\n ", "(){}[];,.", "0123456789abcdef"}
	words := []string{"function", "return", "the", "ing", "tion", "Error", "string", "abcabc"}
	alphabet := alphabets[rng.IntN(len(alphabets))]
	var b strings.Builder
	for size := 3 + rng.IntN(300); b.Len() < size; {
		if rng.IntN(20) == 0 {
			b.WriteString(words[rng.IntN(len(words))])
		}
		b.WriteByte(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}
