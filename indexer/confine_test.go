//go:build unix

package indexer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/source"
	"golang.org/x/sys/unix"
)

// outsideWord occurs only in files outside the root.
const outsideWord = "quokkaoutside"

// withOutside returns a folder outside the workspace that resembles its folder "sub".
func (w workspace) withOutside() (outside string) {
	w.t.Helper()
	outside, err := filepath.EvalSymlinks(w.t.TempDir())
	w.must(err)
	for _, name := range []string{"a.go", "only.go"} {
		w.must(os.WriteFile(filepath.Join(outside, name), []byte("package "+outsideWord+"\n\nfunc "+outsideWord+"() {}\n"), 0o644))
	}
	w.write("sub/a.go", "package sub\n\nfunc Inside() {}\n")
	w.write("b.go", "package b\n")
	return outside
}

// outsideTold reports whether a snapshot has any data of the files outside.
func outsideTold(t *testing.T, s *Snapshot) string {
	t.Helper()
	if hits := keywordHits(t, s, outsideWord); len(hits) > 0 {
		return "a search finds " + hits[0].place
	}
	if _, ok := s.File("sub/only.go"); ok {
		return "a file of outside is listed"
	}
	if strings.Contains(content(s), outsideWord) {
		return "a description"
	}
	r := s.NewReader()
	for f := range s.Files() {
		if text, _ := r.File(f); strings.Contains(string(text), outsideWord) {
			return "the text of " + s.Path(f)
		}
	}
	return ""
}

// A folder is repeatedly replaced by a link to a folder outside while the index watches, reads and
// answers: the index never holds or shows anything from outside, and in the end it equals a new
// one.
func TestNothingOutsideIsIndexed(t *testing.T) {
	for _, follow := range []bool{false, true} {
		w := newWorkspace(t)
		outside := w.withOutside()
		x := w.index(watched, func(o *Options) { o.FollowLinks = follow })
		link := filepath.Join(t.TempDir(), "link")
		w.must(os.Symlink(outside, link))
		for range 300 {
			for _, step := range [][2]string{{w.abs("sub"), w.dir + ".aside"}, {link, w.abs("sub")}} {
				w.must(os.Rename(step[0], step[1]))
			}
			if where := outsideTold(t, x.current.Load()); where != "" {
				t.Fatalf("follow %t: told by %s", follow, where)
			}
			for _, step := range [][2]string{{w.abs("sub"), link}, {w.dir + ".aside", w.abs("sub")}} {
				w.must(os.Rename(step[0], step[1]))
			}
		}
		want := content(w.index(func(o *Options) { o.FollowLinks = follow }).current.Load())
		s := until(t, x, "the end of it all", func(s *Snapshot) bool { return content(s) == want })
		if where := outsideTold(t, s); where != "" {
			t.Errorf("follow %t: told by %s", follow, where)
		}
	}
}

// The root itself becomes a link to another folder: reads fail, and nothing from that folder is
// indexed.
func TestRootBecomesALink(t *testing.T) {
	w := newWorkspace(t)
	outside := w.withOutside()
	x := w.index()
	s := x.current.Load()
	w.must(os.Rename(w.dir, w.dir+".aside"))
	w.must(os.Symlink(outside, w.dir))
	w.must(os.Mkdir(filepath.Join(outside, "sub"), 0o755))
	w.must(os.WriteFile(filepath.Join(outside, "sub", "a.go"), []byte("package "+outsideWord+"\n"), 0o644))
	f, _ := s.File("sub/a.go")
	if text, gate := s.NewReader().File(f); gate != OutsideRoot || text != nil {
		t.Errorf("gate %q, text %q", gate, text)
	}
	x.Rebuild(false)
	until(t, x, "the rebuild to end", func(*Snapshot) bool { st := x.Status().State; return st == Failed || st == Idle })
	if where := outsideTold(t, x.current.Load()); where != "" {
		t.Errorf("told by %s", where)
	}
	w.must(os.Remove(w.dir))
	w.must(os.Rename(w.dir+".aside", w.dir))
}

// A file that the rules have excluded since the index last read them is not shown.
func TestReaderAsksTheRulesOnDisk(t *testing.T) {
	for name, exclude := range map[string]func(w workspace){
		".gitignore at the top":   func(w workspace) { w.write(".gitignore", "sub/a.go\n") },
		".gitignore beside it":    func(w workspace) { w.write("sub/.gitignore", "*.go\n") },
		".contextureignore":       func(w workspace) { w.write(".contextureignore", "/sub/\n") },
		"a changed .gitignore":    func(w workspace) { w.write("sub/deep/.gitignore", "x\n/../a.go\n"); w.write(".gitignore", "/sub\n") },
		"Git's exclude file":      func(w workspace) { w.write(".git/info/exclude", "a.go\n") },
		"the person's own ignore": func(w workspace) { w.write("../global", "a.go\n") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t)
			w.dir = filepath.Join(w.dir, "root")
			w.write("sub/a.go", threeFunctions)
			w.write("sub/deep/b.go", threeFunctions)
			w.git("init", "-q")
			x := w.index(func(o *Options) { o.GlobalIgnore = w.abs("../global") })
			s := x.current.Load()
			f, _ := s.File("sub/a.go")
			if _, gate := s.NewReader().File(f); gate != "" {
				t.Fatalf("gate %q before", gate)
			}
			exclude(w)
			if text, gate := s.NewReader().File(f); gate != Excluded || text != nil {
				t.Errorf("gate %q, text %q", gate, text)
			}
		})
	}
}

// Pipes in place of Git's own files block nothing: the index becomes idle and answers.
func TestPipesInGit(t *testing.T) {
	for _, name := range strings.Fields(".git .git/HEAD .git/config .git/packed-refs .git/refs/heads/main .git/shallow .git/objects/info/alternates") {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t)
			w.write("a.go", threeFunctions)
			w.git("init", "-q", "-b", "main")
			w.git("add", ".")
			w.git("commit", "-q", "-m", "one")
			w.remove(name)
			w.must(unix.Mkfifo(w.abs(name), 0o600))
			if s := w.index(watched).current.Load(); len(s.Symbols().Definitions("Second", 1)) != 1 {
				t.Error("the file is not indexed")
			}
		})
	}
}

// A file that was replaced by a link at the moment it was opened is read again, although its stat
// is the same.
func TestExchangedWhileRead(t *testing.T) {
	w := newWorkspace(t)
	outside := w.withOutside()
	x := w.index(func(o *Options) { o.Now = func() time.Time { return time.Now().Add(time.Hour) } })
	listed, err := x.tree.Stat("sub/a.go")
	w.must(err)
	w.must(os.Rename(w.abs("sub"), w.dir+".aside"))
	w.must(os.Symlink(outside, w.abs("sub")))
	k := x.newWorker(0)
	defer k.close()
	parser := fileParser{x: x, blamed: func(string) bool { return false }, known: func(string, hash) bool { return false }}
	r := parser.one(k, listed)
	if r.reason != source.Link || stateOf(r).unchanged(listed) {
		t.Errorf("%q; the stat from before the exchange counts: %t", r.reason, stateOf(r).unchanged(listed))
	}
	w.must(os.Remove(w.abs("sub")))
	w.must(os.Rename(w.dir+".aside", w.abs("sub")))
	if r := parser.one(k, listed); r.reason != "" || !stateOf(r).unchanged(listed) {
		t.Errorf("%q, read again each time", r.reason)
	}
}
