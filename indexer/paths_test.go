package indexer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// bring compares the workspace with the index.
func bring(t *testing.T, x *Index) *Snapshot {
	t.Helper()
	if err := x.do(context.Background(), x.w.syncAll); err != nil {
		t.Fatal(err)
	}
	settle(t, x)
	return x.current.Load()
}

// byPaths returns what a snapshot finds by paths, in an order that does not depend on how the index
// was built.
func byPaths(t *testing.T, s *Snapshot) string {
	t.Helper()
	var lines []string
	for _, word := range append(slices.Clone(nouns), verbs...) {
		terms := lexical.Query([]byte(word))
		scores, err := s.Words().PathScores(context.Background(), terms)
		if err != nil {
			t.Fatal(err)
		}
		having := s.Words().PathHaving([]string{terms[0].Text})
		s.Paths(func(f int, p string) {
			if scores[f] > 0 || slices.Contains(having, f) {
				lines = append(lines, fmt.Sprintf("%s %s %.4f %v", word, p, scores[f], slices.Contains(having, f)))
			}
		})
	}
	length := func(path, _ string) uint8 { return uint8(len(path)) }
	s.Classes(1, length, func(_ int, f ClassifiedFile) {
		class, live := s.Class(f.File, length)
		number, ok := s.File(s.Path(f.File))
		lines = append(lines, fmt.Sprintf("%s %d %v %v", s.Path(f.File), f.Class, live && class == f.Class, ok && number == f.File))
	})
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestPathsAfterChanges checks that files which were renamed, removed, changed and written are
// found by their present paths as in a new index, in memory, in files, and after another start.
func TestPathsAfterChanges(t *testing.T) {
	for name, change := range map[string][]func(*Options){"memory": nil, "files": {inFiles}} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t)
			r := random(62)
			paths := w.fill(r, 80)
			dir := t.TempDir()
			x := w.open(dir, change...)
			settle(t, x)
			for round := range 6 {
				for range 1 + r.IntN(1+12*(round%2)) { // few, or more than a part of renamed files may have
					i := r.IntN(len(paths))
					to := fmt.Sprintf("%s/%s/%s%d-%d%s", pick(r, nouns), pick(r, verbs), pick(r, nouns), i, round, paths[i][strings.LastIndexByte(paths[i], '.'):])
					w.rename(paths[i], to)
					paths[i] = to
				}
				p := paths[r.IntN(len(paths))]
				w.write(p, sourceText(r, p))
				gone := r.IntN(len(paths))
				w.remove(paths[gone])
				paths = slices.Delete(paths, gone, gone+1)
				s := bring(t, x)
				if got, want := byPaths(t, s), byPaths(t, w.index().current.Load()); got != want {
					t.Fatalf("round %d: %s", round, firstDifference(got, want))
				}
			}
			before := byPaths(t, x.current.Load())
			shut(t, x)
			x = w.open(dir, change...)
			defer shut(t, x)
			settle(t, x)
			if after := byPaths(t, x.current.Load()); after != before {
				t.Errorf("after another start: %s", firstDifference(after, before))
			}
			if _, ok := x.current.Load().File(""); ok {
				t.Error("a removed file is found by no path")
			}
		})
	}
}

// TestPublicationCostsWhatChanged checks that a change of one file neither classifies the others
// nor makes their tables again, and that a file which is there under another path is seen so.
func TestPublicationCostsWhatChanged(t *testing.T) {
	w := newWorkspace(t)
	paths := w.fill(random(63), 200)
	x := w.index()
	classified, listed := 0, 0
	classify := func(string, string) uint8 { classified++; return 1 }
	table := func(p Paths) any {
		n := 0
		p.All(func(int, string, string) { n++ })
		listed += n
		return n
	}
	use := func(s *Snapshot) (files int) {
		classified, listed = 0, 0
		s.Classes(1, classify, func(int, ClassifiedFile) { files++ })
		s.PathTables(table)
		return files
	}
	if n := use(x.current.Load()); n != 200 || classified != 200 || listed != 200 {
		t.Fatalf("at first %d files, %d classified, %d listed", n, classified, listed)
	}
	w.write(paths[3], "package other\n")
	if n := use(bring(t, x)); n != 200 || classified != 1 || listed != 1 {
		t.Errorf("after a change of one: %d files, %d classified, %d listed", n, classified, listed)
	}
	w.rename(paths[5], "another/path"+paths[5][strings.LastIndexByte(paths[5], '.'):])
	if n := use(bring(t, x)); n != 200 || classified != 1 || listed != 1 {
		t.Errorf("after one was renamed: %d files, %d classified, %d listed", n, classified, listed)
	}
	w.remove(paths[7])
	if n := use(bring(t, x)); n != 199 || classified != 0 || listed != 0 {
		t.Errorf("after one was removed: %d files, %d classified, %d listed", n, classified, listed)
	}
	buffer := Buffer{Path: paths[9], Text: []byte("package unsaved\n")}
	if n := use(x.With(context.Background(), x.current.Load(), NewOverlay(), []Buffer{buffer})); n != 199 || classified != 1 || listed != 1 {
		t.Errorf("with an unsaved buffer: %d files, %d classified, %d listed", n, classified, listed)
	}
}
