package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/indexer/lexical"
	"pgregory.net/rapid"
)

// TestCachedTerms checks that the cache of terms does not change them.
func TestCachedTerms(t *testing.T) {
	word := rapid.OneOf(
		rapid.SampledFrom([]string{"retryCount", "retry_count", "Stemming", "dying", "naïve", "数据库", "don't", "v2", "x", "\xff\xfe", "e\u0301tude", "…"}),
		rapid.StringOfN(rapid.RuneFrom([]rune("abcABC_09é中-.+#('`/ \n\u2028")), 0, 80, -1),
		rapid.Just(strings.Repeat("endless", 12)),
	)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(word, 0, 20).Draw(t, "words"), rapid.SampledFrom([]string{" ", "", ".", "—", "_"}).Draw(t, "between"))
		var want, got []string
		lexical.Terms([]byte(text), func(term string) { want = append(want, term) })
		for range 2 { // without the cache, then with it
			got = got[:0]
			Terms(text, func(term string) { got = append(got, term) })
			if !slices.Equal(got, want) {
				t.Fatalf("terms of %q: %q, want %q", text, got, want)
			}
		}
	})
}

func BenchmarkTerms(b *testing.B) {
	text := strings.Repeat("The messages around it lend it score, because an answer rarely repeats the words of the question it answers. ", 10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Terms(text, func(string) {})
	}
}
