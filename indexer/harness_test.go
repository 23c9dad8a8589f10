package indexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

const patience = 3 * time.Minute

// workspace is a folder on disk that a test changes.
type workspace struct {
	t   *testing.T
	dir string
}

func newWorkspace(t *testing.T) workspace {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return workspace{t, dir}
}

func (w workspace) abs(path string) string { return filepath.Join(w.dir, filepath.FromSlash(path)) }

func (w workspace) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w workspace) write(path, text string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(w.abs(path)), 0o755))
	w.must(os.WriteFile(w.abs(path), []byte(text), 0o644))
}

func (w workspace) remove(path string) { w.t.Helper(); w.must(os.RemoveAll(w.abs(path))) }

func (w workspace) rename(from, to string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(w.abs(to)), 0o755))
	w.must(os.Rename(w.abs(from), w.abs(to)))
}

// git runs git without the person's configuration.
func (w workspace) git(args ...string) {
	w.t.Helper()
	fixed := []string{"-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"}
	cmd := exec.Command("git", append(fixed, args...)...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// options are those of the tests: nothing from the person's configuration, and a cheap count of
// tokens.
func options(root, dir string) Options {
	return Options{
		Root: root, Dir: dir, Home: filepath.Join(dir, "home"), GlobalIgnore: filepath.Join(dir, "ignore"),
		Count: func(b []byte) int { return len(b)/4 + 1 },
	}
}

func (w workspace) open(dir string, change ...func(*Options)) *Index {
	w.t.Helper()
	opts := options(w.dir, dir)
	for _, f := range change {
		f(&opts)
	}
	x, err := Open(context.Background(), opts)
	if err != nil {
		w.t.Fatal(err)
	}
	return x
}

func watched(o *Options) { o.Watch = true }

// index opens an index in a new folder, waits until it is up to date, and closes it with the test.
func (w workspace) index(change ...func(*Options)) *Index {
	w.t.Helper()
	x := w.open(w.t.TempDir(), change...)
	w.t.Cleanup(func() { shut(w.t, x) })
	settle(w.t, x)
	return x
}

func shut(t *testing.T, x *Index) {
	t.Helper()
	if err := x.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func settle(t *testing.T, x *Index) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := x.Wait(ctx); err != nil {
		t.Fatalf("wait: %v; status %+v", err, x.Status())
	}
}

// until waits for a condition on the index, checking whenever its status changes.
func until(t *testing.T, x *Index, what string, ok func(s *Snapshot) bool) *Snapshot {
	t.Helper()
	timeout := time.After(patience)
	for {
		changed := x.Changed()
		s, release := x.Snapshot()
		release()
		if ok(s) {
			return s
		}
		select {
		case <-changed:
		case <-timeout:
			t.Fatalf("%s: not within %s; status %+v", what, patience, x.Status())
		}
	}
}

// idle reports whether everything is indexed and embedded.
func idle(x *Index) bool {
	s := x.Status()
	return s.State == Idle && s.Queue == 0 && s.Pending == 0
}

func has(path string) func(*Snapshot) bool {
	return func(s *Snapshot) bool { _, ok := s.File(path); return ok }
}

func hasNot(path string) func(*Snapshot) bool {
	return func(s *Snapshot) bool { _, ok := s.File(path); return !ok }
}

// content returns everything that a snapshot answers, in an order that does not depend on how the
// index was built.
func content(s *Snapshot) string {
	var lines []string
	s.Paths(func(f int, p string) {
		own, i := s.layout.filePart(f)
		start, end := int(own.seg.files[i].DocStart), int(own.seg.files[i].DocEnd)
		lines = append(lines, fmt.Sprintf("file %q %s doc %d-%d", p, s.Language(f), start, end))
		first, last := s.FileChunks(f)
		for id := first; id < last; id++ {
			c := s.Chunk(id)
			c.ID, c.File = 0, 0
			lines = append(lines, fmt.Sprintf("chunk %+v", c))
		}
		s.Symbols().NewLinker().References(f, func(chunk, count, n int) {
			d := s.Chunk(chunk)
			lines = append(lines, fmt.Sprintf("reference %q %d of %d: %q@%d", p, count, n, d.Path, d.Start))
		})
	})
	err := s.Symbols().Containing(context.Background(), "", func(y Symbol) bool {
		y.File = 0
		lines = append(lines, fmt.Sprintf("symbol %+v", y))
		return true
	})
	if err != nil {
		lines = append(lines, err.Error())
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// firstDifference shows where two contents differ first.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		switch {
		case i >= len(g):
			return "missing: " + w[i]
		case i >= len(w):
			return "too much: " + g[i]
		case g[i] != w[i]:
			return "has:   " + g[i] + "\nwants: " + w[i]
		}
	}
	return "none"
}

var (
	chunkLevel = lexical.Params{K1: 1.2, B: .75}
	fileLevel  = lexical.Params{K1: 1.2, B: .5}
)

// hit is the score of a chunk or file.
type hit struct {
	place string
	score float64
}

// ranked sorts a chunk's or file's scores by value, then by location.
func ranked(n int, score func(int) float32, place func(int) string) []hit {
	var out []hit
	for i := range n {
		if v := score(i); v != 0 {
			out = append(out, hit{place(i), float64(v)})
		}
	}
	slices.SortFunc(out, func(a, b hit) int {
		if math.Abs(a.score-b.score) > 1e-4*math.Abs(a.score) {
			return cmp.Compare(b.score, a.score)
		}
		return cmp.Compare(a.place, b.place)
	})
	return out
}

func chunkPlace(s *Snapshot) func(int) string {
	return func(id int) string { c := s.Chunk(id); return fmt.Sprintf("%q@%d", c.Path, c.Start) }
}

// keywordHits returns a query's scores on both levels, by chunk and by file.
func keywordHits(t *testing.T, s *Snapshot, query string) []hit {
	t.Helper()
	scores, err := s.Words().Score(context.Background(), lexical.Query([]byte(query)), chunkLevel, fileLevel)
	if err != nil {
		t.Fatal(err)
	}
	out := ranked(s.Chunks(), func(i int) float32 { return scores.Doc[i] }, chunkPlace(s))
	out = append(out, ranked(s.Files(), func(i int) float32 { return scores.Group[i] }, s.Path)...)
	paths, err := s.Words().PathScores(context.Background(), lexical.Query([]byte(query)))
	if err != nil {
		t.Fatal(err)
	}
	return append(out, ranked(s.Files(), func(i int) float32 { return paths[i] }, s.Path)...)
}

// meaningHits returns a query's cosines by chunk.
func meaningHits(t *testing.T, s *Snapshot, query string) []hit {
	t.Helper()
	scores, err := s.Vectors().Similar(context.Background(), lexical.Query([]byte(query)))
	if err != nil {
		t.Fatal(err)
	}
	if scores.Chunk == nil {
		return nil
	}
	if again := CosinesOf(scores.Chunk); again.Top != scores.Top || again.Count != scores.Count {
		t.Errorf("%q: %d cosines above 0, up to %v; want %d, %v", query, scores.Count, scores.Top, again.Count, again.Top)
	}
	return ranked(s.Chunks(), func(i int) float32 { return scores.Chunk[i] }, chunkPlace(s))
}

func sameHits(a, b []hit) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d hits, want %d", len(a), len(b))
	}
	for i := range a {
		if a[i].place != b[i].place || math.Abs(a[i].score-b[i].score) > 1e-3*(.01+math.Abs(b[i].score)) {
			return fmt.Errorf("hit %d: %v, want %v", i, a[i], b[i])
		}
	}
	return nil
}

// sameAnswers compares all keyword answers of two indexes of one tree.
func sameAnswers(t *testing.T, got, want *Snapshot) error {
	t.Helper()
	if a, b := content(got), content(want); a != b {
		return errors.New(firstDifference(a, b))
	}
	for _, q := range queries {
		if err := sameHits(keywordHits(t, got, q), keywordHits(t, want, q)); err != nil {
			return fmt.Errorf("query %q: %w", q, err)
		}
	}
	return nil
}

var nouns = strings.Fields("retry budget token server socket chunk grammar vector history branch commit overlay buffer cache lock journal parser ranker snapshot watcher")
var verbs = strings.Fields("open close read write flush merge split score rank parse walk watch load save count encode decode admit reject cut")

// queries are thirty: the verbs, and ten pairs of nouns.
var queries = func() []string {
	out := slices.Clone(verbs)
	for i := range 10 {
		out = append(out, "where is the "+nouns[i]+" and the "+nouns[len(nouns)-1-i]+" used")
	}
	return out
}()

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

// sourceText makes a file of some functions, in the language of the path's extension.
func sourceText(r *rand.Rand, path string) string {
	var b strings.Builder
	title := func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
	name := func() string { return pick(r, verbs) + title(pick(r, nouns)) }
	n := 1 + r.IntN(5)
	switch filepath.Ext(path) {
	case ".go":
		fmt.Fprintf(&b, "// Package %s can %s and %s.\npackage %[1]s\n", pick(r, nouns), pick(r, verbs), pick(r, verbs))
		for range n {
			fmt.Fprintf(&b, "\n// %s the %s.\nfunc %s(%s int) error {\n\tif %[4]s > %d {\n\t\treturn %s(%[4]s)\n\t}\n\treturn nil\n}\n",
				title(pick(r, verbs)), pick(r, nouns), name()+fmt.Sprint(r.IntN(1000)), pick(r, nouns), r.IntN(1000), name())
		}
	case ".py":
		for range n {
			fmt.Fprintf(&b, "def %s_%s%d(%s):\n    \"\"\"%s the %s.\"\"\"\n    return %s_%s(%[4]s)\n\n\n",
				pick(r, verbs), pick(r, nouns), r.IntN(1000), pick(r, nouns), title(pick(r, verbs)), pick(r, nouns), pick(r, verbs), pick(r, nouns))
		}
	default:
		for range n {
			fmt.Fprintf(&b, "# %s the %s\n\nWhoever wants to %s a %s must %s number %d.\n\n", title(pick(r, verbs)), pick(r, nouns), pick(r, verbs), pick(r, nouns), pick(r, verbs), r.IntN(1000))
		}
	}
	return b.String()
}

var extensions = []string{".go", ".py", ".md"}

// fill writes n files into several folders and returns their paths.
func (w workspace) fill(r *rand.Rand, n int) []string {
	w.t.Helper()
	paths := make([]string, n)
	for i := range paths {
		paths[i] = fmt.Sprintf("%s/%s/%s%d%s", pick(r, nouns[:4]), pick(r, verbs[:3]), pick(r, nouns), i, pick(r, extensions))
		w.write(paths[i], sourceText(r, paths[i]))
	}
	return paths
}

var discard = slog.New(slog.DiscardHandler)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 99)) }

// isEmbedded reports whether every chunk can be searched by meaning.
func isEmbedded(s *Snapshot) bool {
	ready, pending := s.Vectors().Embedded()
	return ready && pending == 0
}
