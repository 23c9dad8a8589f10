package lexical

import (
	"fmt"
	"sync"
	"testing"

	"github.com/kljensen/snowball/english"
)

// TestCachedStems checks the stems with concurrent callers, and for more words than the table
// holds.
func TestCachedStems(t *testing.T) {
	var table stemTable
	ends := []string{"", "s", "ing", "ation", "ness", "ly"}
	word := func(i int) string {
		return fmt.Sprintf("%c%c%s%s", 'a'+i%26, 'a'+i/26%26, "order"[:2+i/676%4], ends[i%len(ends)])
	}
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 3 * len(table) {
				w := word(i*(worker+1) + worker)
				for range 2 { // computed or remembered
					if got, want := table.stem([]byte(w)), english.Stem(w, false); got != want {
						t.Errorf("%q has the stem %q, want %q", w, got, want)
					}
				}
			}
		})
	}
	group.Wait()
}

func BenchmarkParts(b *testing.B) {
	for b.Loop() {
		Parts([]byte("parseAuthorizationHeader"), func(string) {})
	}
}
