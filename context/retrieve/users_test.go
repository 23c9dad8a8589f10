package retrieve

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/indexer"
)

// kiln returns a workspace in which a function is called by one function of each of n files, and by
// a test, and the function.
func kiln(t *testing.T, n int) (*indexer.Snapshot, indexer.Symbol) {
	t.Helper()
	files := map[string]string{
		"go.mod":            "module kilns\n",
		"kiln/a.go":         "package kiln\n\nfunc Glaze(pot int) int { return pot }\n",
		"kiln/kiln_test.go": "package kiln\n\nfunc TestGlaze(t *testing.T) { Glaze(1) }\n",
	}
	for i := range n {
		files[fmt.Sprintf("kiln/b%02d.go", i)] = fmt.Sprintf("package kiln\n\nfunc fire%d() { Glaze(%[1]d); Glaze(%[1]d + 1) }\n", i)
	}
	s := index(t, files)
	return s, s.Symbols().Definitions("Glaze", 1)[0]
}

// TestUsersReadsLittle checks that the search for who calls a function ends when as many as are
// wanted are found, that it goes on for the test that is still wanted, and reads nothing else.
func TestUsersReadsLittle(t *testing.T) {
	s, d := kiln(t, 5)
	for _, tt := range []struct {
		callers, testers int
		users, read      []string
	}{
		{2, 1, []string{"fire0", "fire1", "TestGlaze"}, []string{"kiln/a.go", "kiln/b00.go", "kiln/b01.go", "kiln/b02.go", "kiln/kiln_test.go"}},
		{0, 1, []string{"TestGlaze"}, []string{"kiln/a.go", "kiln/kiln_test.go"}},
		{0, 0, nil, nil},
		{9, 0, []string{"fire0", "fire1", "fire2", "fire3", "fire4"}, []string{"kiln/a.go", "kiln/b00.go", "kiln/b01.go", "kiln/b02.go", "kiln/b03.go", "kiln/b04.go"}},
	} {
		reader := s.NewReader()
		var users []string
		for _, o := range Users(context.Background(), s, reader, d, tt.callers, tt.testers) {
			users = append(users, o.In)
		}
		read := slices.DeleteFunc(reader.Paths(), func(p string) bool { return p == "go.mod" })
		if !slices.Equal(users, tt.users) || !slices.Equal(read, tt.read) {
			t.Errorf("%d callers and %d testers: %q, by %q", tt.callers, tt.testers, users, read)
		}
	}
}

// TestRelatedReadsLittle checks that a prompt which asks for the users of a name has as many places
// as are shown, and that no file is read for others, which could not precede them.
func TestRelatedReadsLittle(t *testing.T) {
	s, d := kiln(t, relatedFiles+10)
	for name, tt := range map[string]struct {
		others []string
		most   int
	}{
		"one name":     {nil, maxRelated + readTogether},
		"another name": {[]string{"elsewhere"}, relatedFiles},
	} {
		r := &relatedPlaces{&search{s: s, reader: s.NewReader()}}
		l := newLookup(s, r.reader, SymbolQuery{Name: d.Name, Limit: maxRelated})
		l.filesMost, l.indexed = relatedFiles, true
		list := r.users(context.Background(), l, tt.others)
		l.bindings.Close()
		chunks := map[int]bool{}
		for _, x := range list {
			chunks[x.chunk] = x.sure == relatedSurely
		}
		if n := len(r.reader.Paths()); len(chunks) < maxRelated || n > tt.most || len(tt.others) > 0 && n < tt.most {
			t.Errorf("%s: %d places of %d files", name, len(chunks), n)
		}
	}
}
