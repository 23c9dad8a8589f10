package eval

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the goldens")

const (
	corpusFile  = "../../testdata/workspaces/courier.txtar"
	queriesFile = "../../testdata/goldens/courier.queries"
	ranksFile   = "../../testdata/goldens/courier.ranks"
	limit       = 20 // number of candidates checked; rank 0 means that none matches
)

// query is a prompt and the location that answers it, identified by a text there.
type query struct{ text, path, needle string }

func readQueries(t testing.TB) []query {
	t.Helper()
	data, err := os.ReadFile(queriesFile)
	if err != nil {
		t.Fatal(err)
	}
	var out []query
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		text, target, ok := strings.Cut(line, " => ")
		path, needle, ok2 := strings.Cut(target, ": ")
		if !ok || !ok2 {
			t.Fatalf("query %q", line)
		}
		out = append(out, query{text, path, needle})
	}
	return out
}

// indexed is the corpus and its index.
type indexed struct {
	*indexer.Snapshot
	x     *indexer.Index
	texts map[string]string
}

// indexCorpus writes the corpus to disk and indexes it, and checks that every query's target occurs
// in it exactly once.
func indexCorpus(t testing.TB, queries []query) indexed {
	t.Helper()
	archive, err := txtar.ParseFile(corpusFile)
	if err != nil {
		t.Fatal(err)
	}
	root, dir := t.TempDir(), t.TempDir()
	texts := map[string]string{}
	for _, f := range archive.Files {
		name := filepath.Join(root, filepath.FromSlash(f.Name))
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		if err == nil {
			err = os.WriteFile(name, f.Data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		texts[f.Name] = string(f.Data)
	}
	for _, q := range queries {
		if n := strings.Count(texts[q.path], q.needle); n != 1 {
			t.Fatalf("%q: %q stands %d times in %s", q.text, q.needle, n, q.path)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	x, err := indexer.Open(ctx, indexer.Options{
		Root: root, Dir: filepath.Join(dir, "index"), Home: dir, GlobalIgnore: filepath.Join(dir, "ignore"),
		Count: func(b []byte) int { return len(b)/4 + 1 },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := x.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	s, release := x.Snapshot()
	t.Cleanup(release)
	if s.LiveFiles() != len(archive.Files) {
		t.Fatalf("%d of %d files are indexed", s.LiveFiles(), len(archive.Files))
	}
	return indexed{s, x, texts}
}

// rank returns the position, from 1, of the first candidate that contains the query's target, or 0
// if none does.
func rank(s indexed, q query) (at int, first string) {
	target := strings.Index(s.texts[q.path], q.needle)
	res := retrieve.Run(context.Background(), s.Snapshot, retrieve.Request{
		Query: q.text, Intent: intent.Classify(q.text, intent.Context{}), Limit: limit, Deadline: time.Minute,
	}, time.Now)
	for i, c := range res.Candidates {
		chunk := s.Chunk(c.Chunk)
		if i == 0 {
			first = fmt.Sprintf("%s:%d", chunk.Path, chunk.StartLine+1)
		}
		if chunk.Path == q.path && chunk.Start <= target && target < chunk.End {
			return i + 1, first
		}
	}
	return 0, first
}

func TestRanks(t *testing.T) {
	queries := readQueries(t)
	s := indexCorpus(t, queries)
	var out strings.Builder
	mrr, recall := 0.0, map[int]int{1: 0, 3: 0, 10: 0}
	for _, q := range queries {
		at, first := rank(s, q)
		if at > 0 {
			mrr += 1 / float64(at)
		}
		for k := range recall {
			if at > 0 && at <= k {
				recall[k]++
			}
		}
		fmt.Fprintf(&out, "%2d  %s => %s: %s", at, q.text, q.path, q.needle)
		if at != 1 {
			fmt.Fprintf(&out, " (first is %s)", first)
		}
		out.WriteByte('\n')
	}
	n := float64(len(queries))
	head := fmt.Sprintf("MRR %.3f\nrecall@1 %.3f\nrecall@3 %.3f\nrecall@10 %.3f\nqueries %d\n\n", mrr/n,
		float64(recall[1])/n, float64(recall[3])/n, float64(recall[10])/n, len(queries))
	got := head + out.String()
	if *update {
		if err := os.WriteFile(ranksFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	golden, err := os.ReadFile(ranksFile)
	if err != nil {
		t.Fatal(err)
	}
	var before float64
	if _, err := fmt.Sscanf(string(golden), "MRR %f", &before); err != nil {
		t.Fatalf("%s: %v", ranksFile, err)
	}
	if now := mrr / n; now < before-.0005 {
		t.Errorf("MRR fell from %.3f to %.3f", before, now)
	}
	if got != string(golden) {
		t.Errorf("ranks changed; go test ./context/eval -update writes them\n%s", changed(string(golden), got))
	}
}

// changed lists the lines that were added and those that were removed.
func changed(before, after string) string {
	var out strings.Builder
	have := func(text, line string) bool { return strings.Contains("\n"+text, "\n"+line+"\n") }
	for line := range strings.Lines(before) {
		if line = strings.TrimSuffix(line, "\n"); !have(after, line) {
			fmt.Fprintf(&out, "- %s\n", line)
		}
	}
	for line := range strings.Lines(after) {
		if line = strings.TrimSuffix(line, "\n"); !have(before, line) {
			fmt.Fprintf(&out, "+ %s\n", line)
		}
	}
	return out.String()
}

// The same question on the same files has the same answer, however often it is asked and indexed.
func TestRanksAreStable(t *testing.T) {
	queries := readQueries(t)
	a, b := indexCorpus(t, queries), indexCorpus(t, queries)
	for _, q := range queries {
		atA, firstA := rank(a, q)
		if atB, firstB := rank(b, q); atA != atB || firstA != firstB {
			t.Errorf("%q: rank %d and %d, first %s and %s", q.text, atA, atB, firstA, firstB)
		}
	}
}
