package server_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/contexture-dev/contexture/server/servertest"
)

// benchEditor serves CONTEXTURE_BENCH_ROOT (default: this repository) with the state directory
// CONTEXTURE_BENCH_STATE (default: a new one) and waits until everything is indexed.
func benchEditor(b *testing.B) (e *servertest.Editor, root string) {
	root = os.Getenv("CONTEXTURE_BENCH_ROOT")
	if root == "" {
		var err error
		if root, err = filepath.Abs(".."); err != nil {
			b.Fatal(err)
		}
	}
	e = servertest.Start(b, servertest.Options{Roots: []string{root}, StateDir: os.Getenv("CONTEXTURE_BENCH_STATE")})
	e.Await("all is embedded", func(s *servertest.State) servertest.Verdict {
		last := s.Last()
		return servertest.If(last.Idle() && last.Embedder.Pending == 0 && last.Embedder.Name != "")
	})
	return e, root
}

var benchQueries = []string{
	"where are ignore rules decided", "how is the budget negotiated", "panic: index out of range in the reader", "vector similarity kernel",
	"watch a folder that was renamed", "count tokens of a long piece", "Snapshot", "which settings may a workspace not set",
}

func BenchmarkSearch(b *testing.B) {
	e, _ := benchEditor(b)
	for i := 0; b.Loop(); i++ {
		e.Search(map[string]any{"query": benchQueries[i%len(benchQueries)]})
	}
}

func BenchmarkBundle(b *testing.B) {
	e, _ := benchEditor(b)
	for i := 0; b.Loop(); i++ {
		e.MustExecute("contexture.bundle", map[string]any{"prompt": benchQueries[i%len(benchQueries)]}, nil)
	}
}

// BenchmarkEditThenSearch measures a search right after a keystroke.
func BenchmarkEditThenSearch(b *testing.B) {
	e, root := benchEditor(b)
	uri := servertest.URI(filepath.Join(root, "bench_unsaved.go"))
	e.Open(uri, source("unsaved"))
	for i := 0; b.Loop(); i++ {
		e.Change(uri, i+2, servertest.Edit{Line: 0, Text: fmt.Sprintf("// %d\n", i)})
		e.Search(map[string]any{"query": benchQueries[i%len(benchQueries)]})
	}
}
