package indexer

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/indexer/history"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

func TestHistoryFindsLines(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(50), 30)
	commit := func(message string) {
		w.git("add", ".")
		w.git("commit", "-q", "-m", message)
	}
	w.git("init", "-q")
	w.write("pay.go", "package pay\n\nfunc charge() error {\n\treturn post(\"charge\")\n}\n")
	commit("payments: charge a card")
	w.write("pay.go", "package pay\n\nfunc charge() error {\n\tif blocked() {\n\t\treturn errBlocked\n\t}\n\treturn post(\"charge\")\n}\n")
	commit("payments: refuse stolen cards")
	w.write("pay.go", "package pay\n\nfunc charge() error {\n\tif blocked() {\n\t\treturn errBlocked\n\t}\n\treturn postTwice(\"charge\")\n}\n")
	commit("network: send again")

	dir := t.TempDir()
	for _, again := range []string{"read", "stored"} {
		x := w.open(dir)
		settle(t, x)
		s := x.current.Load()
		file, ok := s.File("pay.go")
		if !ok {
			t.Fatal("pay.go is not indexed")
		}
		match, err := s.History(context.Background(), lexical.Query([]byte("stolen")))
		if err != nil {
			t.Fatal(err)
		}
		want := keys(t, "if blocked() {", "return errBlocked")
		if got := slices.Sorted(maps.Keys(match.Lines[file])); !slices.Equal(got, want) || len(match.Lines) != 1 {
			t.Errorf("%s: the commit about stolen cards tells of %v, want the lines %v of one file", again, match.Lines, want)
		}
		for key, score := range match.Lines[file] {
			if score <= 0 || score > 1 {
				t.Errorf("%s: line %d has the score %v", again, key, score)
			}
		}
		shut(t, x)
	}
}

// keys returns the keys of lines, ascending.
func keys(t *testing.T, lines ...string) (out []uint32) {
	t.Helper()
	for _, l := range lines {
		key, plain := history.LineKey([]byte(l))
		if plain {
			t.Fatalf("%q has no key", l)
		}
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

// TestCommitsOfEarlierBuilds checks that commits which were stored without their lines are read
// again.
func TestCommitsOfEarlierBuilds(t *testing.T) {
	w := newWorkspace(t)
	w.write("pay.go", "package pay\n\nfunc refuseStolen() {}\n")
	w.git("init", "-q")
	w.git("add", ".")
	w.git("commit", "-q", "-m", "payments: refuse stolen cards")
	hash, err := history.Head(context.Background(), w.dir)
	w.must(err)
	dir := t.TempDir()
	x := w.open(dir)
	settle(t, x)
	b := x.w.disk.db.NewBatch()
	old := encodeCommit(commit{Commit: history.Commit{Message: "payments: refuse stolen cards", Files: []string{"pay.go"}}})
	w.must(b.Set(append(slices.Clone(keyCommit), hash...), old))
	w.must(b.Commit())
	shut(t, x)

	x = w.open(dir)
	settle(t, x)
	defer shut(t, x)
	match, err := x.current.Load().History(context.Background(), lexical.Query([]byte("stolen")))
	if err != nil || len(match.Lines) != 1 {
		t.Errorf("lines %v, %v", match.Lines, err)
	}
}
