package server_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestCostIsIndependentOfOpenDocuments checks that opening a document and asking a question
// allocate as much with eight times as many open documents, all outside the root: the cost does not
// depend on the number of open documents.
func TestCostIsIndependentOfOpenDocuments(t *testing.T) {
	const few, many, steps = 250, 2000, 100
	outside := t.TempDir()
	root := servertest.Tree(t, map[string]string{"a.go": "package a\n\nfunc thingOfTheRoot() {}\n"})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	uri := func(i int) string { return servertest.URI(fmt.Sprintf("%s/deep/er/f%d.go", outside, i)) }
	settled := func() { ask[command.ConfigResult](t, e, "contexture.config", nil) }
	open := 0
	fill := func(n int) {
		for ; open < n; open++ {
			e.Open(uri(open), "package f\n")
		}
		settled()
	}
	// The minimum of several measurements, because other goroutines of the tests allocate too.
	cost := func() uint64 {
		least := uint64(1 << 63)
		for range 5 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for i := range steps {
				e.Open(uri(open), "package f\n")
				e.Change(uri(open), 2, servertest.Edit{Text: fmt.Sprint("// ", i)})
				e.CloseDocument(uri(open))
				if i%20 == 0 {
					e.Search(args{"query": "thingOfTheRoot"})
				}
			}
			settled()
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		return least
	}
	fill(few)
	before := cost()
	fill(many)
	if after := cost(); after > 2*before {
		t.Errorf("%d bytes with %d open documents, %d with %d", before/steps, few, after/steps, many)
	}
}
