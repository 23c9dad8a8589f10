package tokens

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// pathological returns texts of about n bytes that are slow for a counter that merges by scanning
// or whose split looks ahead.
func pathological(n int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, n/len(s)) }
	rng := rand.New(rand.NewPCG(3, 4))
	random := func(alphabet string) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[rng.IntN(len(alphabet))]
		}
		return string(b)
	}
	return map[string]string{
		"one letter": fill("a"), "words": fill("thequickbrownfox"), "upper": fill("AB"),
		"spaces": fill(" "), "blank lines": fill(" \n"), "tabs": fill("\t") + "x", "line then tabs": "\n" + fill("\t") + "x",
		"punctuation": fill("=-*/"), "emoji": fill("👩‍👩‍👧🏽"), "han": fill("漢字仮名"),
		"marks": fill("a\u0301\u0302"), "han upper": "漢" + fill("A"), "mark upper": "\u0301" + fill("AB"), "slashes": fill("/\n/"),
		"invalid": fill("\xff\xfe"), "digits": fill("1234567"), "quotes": fill("'"), "contractions": fill("'ll"),
		"random letters": random("abcdefghijklmnopqrstuvwxyz"), "random few": random("ab"), "random symbols": random("=-+*/<>!&|()[]"),
	}
}

// steps returns the work done to count s.
func steps(c *Counter, s string) int {
	sc := new(scratch)
	c.count(sc, s)
	return sc.steps
}

// TestLinear checks that twice the text takes little more than twice the work.
func TestLinear(t *testing.T) {
	for _, e := range []Encoding{O200k, CL100k} {
		c := mustLoad(t, e)
		small, large := pathological(1<<15), pathological(1<<16)
		for name, text := range large {
			a, b := steps(c, small[name]), steps(c, text)
			if a < len(small[name]) {
				t.Errorf("%s %s: %d steps for %d bytes: not all work is counted", e, name, a, len(small[name]))
			}
			if most := 64 * len(text); b > most || 4*b > 9*a {
				t.Errorf("%s %s: %d steps for %d bytes after %d for half of it", e, name, b, len(text), a)
			}
		}
	}
}

// TestSplitLooksTwiceAtMost checks the bound on a splitter's work with texts on which a
// backtracking engine would scan the same bytes many times.
func TestSplitLooksTwiceAtMost(t *testing.T) {
	for _, e := range []Encoding{O200k, CL100k} {
		c := mustLoad(t, e)
		for name, text := range pathological(1 << 12) {
			looked := 0
			for i := 0; i < len(text); {
				end, seen := c.next(text, i)
				if end <= i || seen < min(end, i+1) {
					t.Fatalf("%s %s: a piece from %d to %d, seen to %d", e, name, i, end, seen)
				}
				looked += max(seen, end) - i
				i = end
			}
			if looked > 2*len(text) {
				t.Errorf("%s %s: looked at %d bytes of %d", e, name, looked, len(text))
			}
		}
	}
}

func mustLoad(t testing.TB, e Encoding) *Counter {
	t.Helper()
	c, err := For(e)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
