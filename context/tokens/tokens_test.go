package tokens_test

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"

	"github.com/contexture-dev/contexture/context/tokens"
)

func counter(t testing.TB, e tokens.Encoding) *tokens.Counter {
	t.Helper()
	c, err := tokens.For(e)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// One reference counter per encoding: making one takes 150 ms.
var references = map[tokens.Encoding]func() (*tiktoken.Tiktoken, error){
	tokens.O200k:  newReference(tokens.O200k),
	tokens.CL100k: newReference(tokens.CL100k),
}

func newReference(e tokens.Encoding) func() (*tiktoken.Tiktoken, error) {
	return sync.OnceValues(func() (*tiktoken.Tiktoken, error) {
		tiktoken.SetBpeLoader(loader.NewOfflineLoader())
		return tiktoken.GetEncoding(string(e))
	})
}

func reference(t testing.TB, e tokens.Encoding) *tiktoken.Tiktoken {
	t.Helper()
	ref, err := references[e]()
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func TestNames(t *testing.T) {
	for _, e := range encodings {
		got, err := tokens.Parse(string(e))
		if err != nil || got != e {
			t.Errorf("Parse(%q) = %q, %v", e, got, err)
		}
		if c := counter(t, e); c.Encoding() != e || c != counter(t, e) {
			t.Errorf("For(%q) is of %q or not shared", e, c.Encoding())
		}
	}
	for _, name := range []string{"", "O200K_BASE", "p50k_base", "o200k_base "} {
		if _, err := tokens.Parse(name); err == nil || !strings.Contains(err.Error(), "o200k_base") {
			t.Errorf("Parse(%q): error %v, want one that names the encodings", name, err)
		}
		if _, err := tokens.For(tokens.Encoding(name)); err == nil {
			t.Errorf("For(%q): no error", name)
		}
	}
}

// checkTruncate checks everything that Truncate promises except where it cuts.
func checkTruncate(t *testing.T, c *tokens.Counter, s string, max int) {
	t.Helper()
	prefix, n := c.Truncate(s, max)
	switch {
	case !strings.HasPrefix(s, prefix):
		t.Errorf("Truncate(%q, %d) = %q: no prefix", s, max, prefix)
	case n != c.Count(prefix) || n > max && max >= 0:
		t.Errorf("Truncate(%q, %d) = %q, %d: it has %d", s, max, prefix, n, c.Count(prefix))
	case c.Count(s) <= max && prefix != s:
		t.Errorf("Truncate(%q, %d) = %q: all of it fits", s, max, prefix)
	case max >= 7 && prefix == "" && s != "": // a space and a rune have at most 3 and 4
		t.Errorf("Truncate(%q, %d) is empty", s, max)
	}
	border := false
	for i := range s + "." {
		border = border || i == len(prefix)
	}
	if !border {
		t.Errorf("Truncate(%q, %d) = %q: not cut between runes", s, max, prefix)
	}
}

func TestTruncateKeepsItsPromises(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 5
	}
	for _, e := range encodings {
		c := counter(t, e)
		for i, s := range nasty {
			s += nasty[(i*5+1)%len(nasty)] + "\n" + strings.Repeat(s, 3)
			for max := -1 + i%step; max <= c.Count(s)+1; max += step {
				checkTruncate(t, c, s, max)
			}
		}
		for _, s := range []string{strings.Repeat("a", 20000), strings.Repeat("\U0001f469\u200d\U0001f467", 2000), strings.Repeat("\xffé", 3000), strings.Repeat("漢", 5000) + "\n"} {
			for _, max := range []int{1, 2, 3, 4, 5, 17, 100, 1000, 2000} {
				checkTruncate(t, c, s, max)
				prefix, n := c.Truncate(s, max)
				if c.Count(s) > max && max > 10 && n < max*9/10 {
					t.Errorf("Truncate(%.10q…, %d) has only %d tokens, %d bytes", s, max, n, len(prefix))
				}
			}
		}
	}
}

func TestTruncateCutsWhereItHelps(t *testing.T) {
	c := counter(t, tokens.O200k)
	for _, test := range []struct {
		name, text string
		max        int
		want       string
	}{
		{"at a line", "one two\nthree four\nfive six seven\n", 8, "one two\nthree four\n"},
		{"at a word where the line is far", "a\n" + strings.Repeat(" word", 50), 12, "a\n" + strings.Repeat(" word", 10)},
		{"CRLF whole", "one two\r\nthree four five", 4, "one two\r\n"},
		{"all", "one\ntwo", 3, "one\ntwo"},
		{"nothing", "one", 0, ""},
		{"no rune fits", "\U00013000", 1, ""},
	} {
		if got, _ := c.Truncate(test.text, test.max); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestConcurrent(t *testing.T) {
	files := source(t)[:20]
	for _, e := range encodings {
		c := counter(t, e)
		var want []int
		for _, f := range files {
			want = append(want, c.Count(f))
		}
		var wg sync.WaitGroup
		for worker := range 8 {
			wg.Go(func() {
				for i := range files {
					i = (i + worker) % len(files)
					if got := c.CountBytes([]byte(files[i])); got != want[i] {
						t.Errorf("%s: worker %d counts %d, want %d", e, worker, got, want[i])
					}
					prefix, n := c.Truncate(files[i], 100)
					if n > 100 || !utf8.ValidString(prefix) {
						t.Errorf("%s: worker %d: Truncate gives %d tokens", e, worker, n)
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestCountDoesNotAllocate(t *testing.T) {
	text := []byte(source(t)[0] + strings.Repeat("long", 3000))
	for _, e := range encodings {
		c := counter(t, e)
		c.CountBytes(text)
		if n := testing.AllocsPerRun(20, func() { c.CountBytes(text) }); n >= allowedAllocations+1 {
			t.Errorf("%s: %v allocations a count", e, n)
		}
	}
}
