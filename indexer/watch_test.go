package indexer

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The metamorphic test: after any changes to the tree, the watched index has the same answers as a
// new one.
func TestIncrementalEqualsRebuilt(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := random(100 + seed)
			w := newWorkspace(t)
			p := play{workspace: w, r: r, files: w.fill(r, 40)}
			x := w.index(watched)
			for round := range 6 {
				var done []string
				for range 1 + r.IntN(8) {
					done = append(done, p.step())
				}
				fresh := w.index().current.Load()
				want := content(fresh)
				until(t, x, fmt.Sprintf("round %d, after %s", round, strings.Join(done, "; ")), func(s *Snapshot) bool { return content(s) == want })
				if err := sameAnswers(t, x.current.Load(), fresh); err != nil {
					t.Fatalf("round %d, after %s: %v", round, strings.Join(done, "; "), err)
				}
			}
			p.sameMeaning(x)
		})
	}
}

// play changes a tree at random; files are the known ones, including ignored ones.
type play struct {
	workspace
	r     *rand.Rand
	files []string
}

func (p *play) step() string {
	some := func() int { return p.r.IntN(len(p.files)) }
	switch n := p.r.IntN(12); {
	case n < 3 || len(p.files) < 10:
		name := fmt.Sprintf("%s/%s/new%d%s", pick(p.r, nouns[:6]), pick(p.r, verbs[:5]), p.r.IntN(10_000), pick(p.r, extensions))
		p.write(name, sourceText(p.r, name))
		p.files = append(p.files, name)
		return "write " + name
	case n < 5:
		name := p.files[some()]
		p.write(name, sourceText(p.r, name))
		return "edit " + name
	case n < 6:
		i := some()
		name := p.files[i]
		p.remove(name)
		p.files = slices.Delete(p.files, i, i+1)
		return "remove " + name
	case n < 7: // as editors save
		name := p.files[some()]
		p.write(name+".tmp~", sourceText(p.r, name))
		p.rename(name+".tmp~", name)
		return "save " + name
	case n < 8:
		i := some()
		to := fmt.Sprintf("%s/renamed%d%s", pick(p.r, nouns[:6]), p.r.IntN(10_000), path.Ext(p.files[i]))
		p.rename(p.files[i], to)
		said := "rename " + p.files[i] + " to " + to
		p.files[i] = to
		return said
	case n < 10:
		return p.renameFolder(path.Dir(p.files[some()]))
	case n < 11:
		from, to := p.files[some()], fmt.Sprintf("%s/copy%d", pick(p.r, nouns[:6]), p.r.IntN(10_000))
		to += path.Ext(from)
		text, err := os.ReadFile(p.abs(from))
		p.must(err)
		p.write(to, string(text))
		p.files = append(p.files, to)
		return "copy " + from + " to " + to
	}
	dir := []string{"", pick(p.r, nouns[:4])}[p.r.IntN(2)]
	rules := strings.Join([]string{"*" + pick(p.r, extensions[1:]), pick(p.r, verbs[:3]) + "/", "!" + pick(p.r, nouns) + "*"}[p.r.IntN(3):], "\n") + "\n"
	p.write(path.Join(dir, ".gitignore"), rules)
	return fmt.Sprintf("ignore in %q: %q", dir, rules)
}

func (p *play) renameFolder(dir string) string {
	to := fmt.Sprintf("%s/folder%d", pick(p.r, nouns[6:9]), p.r.IntN(10_000))
	p.rename(dir, to)
	for i, f := range p.files {
		if rest, ok := strings.CutPrefix(f, dir+"/"); ok {
			p.files[i] = to + "/" + rest
		}
	}
	return "rename folder " + dir + " to " + to
}

// sameMeaning compares the vectors, made again in both, because a model made at another time may
// differ.
func (p *play) sameMeaning(x *Index) {
	p.t.Helper()
	x.Rebuild(true)
	settle(p.t, x)
	fresh := p.index()
	if got, want := x.Status().Digest, fresh.Status().Digest; got != want || got == "" {
		p.t.Errorf("embedder %q, want %q", got, want)
	}
	for _, q := range queries {
		got, want := meaningHits(p.t, x.current.Load(), q), meaningHits(p.t, fresh.current.Load(), q)
		if err := sameHits(got, want); err != nil {
			p.t.Errorf("by meaning, %q: %v", q, err)
		}
	}
}

// sentinel writes a file and waits until it is indexed: everything before it has then been
// processed.
func (w workspace) sentinel(x *Index, name string) {
	w.t.Helper()
	w.write(name, "# "+name+"\n\nSomething new called "+name+".\n")
	until(w.t, x, name, has(name))
	until(w.t, x, "rest after "+name, func(*Snapshot) bool { return idle(x) })
}

func TestTouchParsesNothing(t *testing.T) {
	w := newWorkspace(t)
	paths := w.fill(random(7), 30)
	x := w.index(watched)
	before := x.Status()
	now := time.Now().Add(time.Hour)
	for _, p := range paths {
		w.must(os.Chtimes(w.abs(p), now, now))
	}
	w.sentinel(x, "sentinel.md")
	if st := x.Status(); st.Parsed != before.Parsed+1 || st.Embedded != before.Embedded+1 {
		t.Errorf("parsed %d and embedded %d, before %d and %d", st.Parsed, st.Embedded, before.Parsed, before.Embedded)
	}
}

func TestFolderRename(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(8), 20)
	for i := range 25 {
		w.write(fmt.Sprintf("old/deep/f%d.go", i), fmt.Sprintf("package deep\n\n// Renamed%d moves with its folder.\nfunc Renamed%d() int { return %[1]d }\n", i, i))
	}
	x := w.index(watched)
	before := x.Status()
	w.rename("old", "young/still")
	s := until(t, x, "the new place", has("young/still/deep/f24.go"))
	if _, ok := s.File("old/deep/f24.go"); ok {
		t.Error("old and new place are there at once")
	}
	s = until(t, x, "the old place to go", hasNot("old/deep/f0.go"))
	until(t, x, "rest", func(*Snapshot) bool { return idle(x) })
	for i := range 25 {
		defs := s.Symbols().Definitions(fmt.Sprintf("Renamed%d", i), 5)
		if want := fmt.Sprintf("young/still/deep/f%d.go", i); len(defs) != 1 || defs[0].Path != want {
			t.Errorf("Renamed%d is defined at %v, want %s", i, defs, want)
		}
	}
	if st := x.Status(); st.Parsed != before.Parsed || st.Embedded != before.Embedded || st.Files != before.Files {
		t.Errorf("after the rename %+v, before %+v", st, before)
	}
	if err := sameAnswers(t, x.current.Load(), w.index().current.Load()); err != nil {
		t.Error(err)
	}
}

// A branch that changes many files: the answers are right, and only new text is embedded, once.
func TestBranchSwitch(t *testing.T) {
	w := newWorkspace(t)
	r := random(9)
	paths := w.fill(r, 150)
	w.git("init", "-q", "-b", "main")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "the beginning")
	w.git("checkout", "-q", "-b", "other")
	for i, p := range paths[:60] {
		switch {
		case i%6 == 0:
			w.remove(p)
		case i%6 == 1:
			w.rename(p, "branch/"+filepath.Base(p))
		default:
			text, err := os.ReadFile(w.abs(p))
			w.must(err)
			w.write(p, string(text)+"\n"+sourceText(r, p))
		}
	}
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "the other branch")
	other := w.index()
	onOther := other.current.Load()
	w.git("checkout", "-q", "main")
	x := w.index(watched)
	onMain := x.current.Load()

	w.git("checkout", "-q", "other")
	want := content(onOther)
	until(t, x, "the answers of the branch", func(s *Snapshot) bool { return content(s) == want && idle(x) })
	if err := sameAnswers(t, x.current.Load(), onOther); err != nil {
		t.Error(err)
	}
	embedded := x.Status().Embedded
	if fresh := countNew(onMain, onOther); embedded-onMain.Chunks() > fresh {
		t.Errorf("embedded %d chunks for %d new texts", embedded-onMain.Chunks(), fresh)
	}
	w.git("checkout", "-q", "main")
	want = content(onMain)
	until(t, x, "the answers of main again", func(s *Snapshot) bool { return content(s) == want && idle(x) })
	if err := sameAnswers(t, x.current.Load(), onMain); err != nil {
		t.Error(err)
	}
	if n := x.Status().Embedded; n != embedded {
		t.Errorf("embedded %d chunks again on the way back", n-embedded)
	}
}

// countNew counts the chunks of b whose text is not in a.
func countNew(a, b *Snapshot) int {
	known := map[hash]bool{}
	for id := range a.Chunks() {
		known[a.Chunk(id).Hash] = true
	}
	n := 0
	for id := range b.Chunks() {
		if !known[b.Chunk(id).Hash] {
			n++
		}
	}
	return n
}

func TestAtomicSave(t *testing.T) {
	w := newWorkspace(t)
	w.write("main.go", "package main\n\nfunc Before() {}\n")
	x := w.index(watched)
	for i := range 5 {
		name := fmt.Sprintf("Saved%d", i)
		w.write(".main.go.swp", "package main\n\nfunc "+name+"() {}\n")
		w.rename(".main.go.swp", "main.go")
		s := until(t, x, name, func(s *Snapshot) bool { return len(s.Symbols().Definitions(name, 1)) == 1 })
		if len(s.Symbols().Definitions("Before", 1)) != 0 || s.LiveFiles() != 1 {
			t.Errorf("after saving %d times the first text is still there", i+1)
		}
	}
}

// A file becomes a folder, a folder becomes a file, and names differ only in case.
func TestChangingKinds(t *testing.T) {
	w := newWorkspace(t)
	w.write("thing", "a plain text about the thing\n")
	w.write("dir/inner.go", "package dir\n\nfunc Inner() {}\n")
	x := w.index(watched)
	w.remove("thing")
	w.write("thing/now.go", "package thing\n\nfunc Now() {}\n")
	w.remove("dir")
	w.write("dir", "a plain text where a folder was\n")
	w.write("thing/NOW.go", "package thing\n\nfunc NOW() {}\n")
	fresh := w.index().current.Load()
	want := content(fresh)
	until(t, x, "the kinds of now", func(s *Snapshot) bool { return content(s) == want })
}
