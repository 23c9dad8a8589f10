package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Every file outside a root contains outsideText in these tests; no text returned by a tree may
// contain it.
const outsideText = "OUTSIDE the root"

// box is a root beside a folder outside it.
type box struct {
	t             testing.TB
	root, outside string
}

func newBox(t testing.TB) box {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := box{t, filepath.Join(dir, "root"), filepath.Join(dir, "outside")}
	write(t, b.root, map[string]string{"a.txt": text, "d/f.txt": text, "d/e/f.txt": text, "zz/z.txt": text})
	write(t, b.outside, map[string]string{"f.txt": outsideText, "e/f.txt": outsideText, "only.txt": outsideText, ".gitignore": outsideText + "\nx\n"})
	return b
}

func (b box) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b box) in(name string) string { return filepath.Join(b.root, name) }

func (b box) link(target, name string) {
	b.t.Helper()
	b.must(os.Symlink(target, b.in(name)))
}

// probe asks a tree everything about a path and reports a text from outside.
func probe(tree *Tree, rel string) error {
	got, _, reason, _ := tree.Read(rel)
	if got != nil && reason != Indexed {
		return fmt.Errorf("%q is %q and has a text", rel, reason)
	}
	if strings.Contains(string(got), outsideText) {
		return fmt.Errorf("%q reads as what lies outside", rel)
	}
	if d := tree.Decide(rel); d.Rule != nil && strings.Contains(d.Rule.Pattern, outsideText) {
		return fmt.Errorf("the rule about %q tells what lies outside", rel)
	}
	tree.Admit(rel)
	if e, err := tree.Stat(rel); err == nil && e.Size == int64(len(outsideText)) {
		return fmt.Errorf("%q has the size of what lies outside", rel)
	}
	return nil
}

// Links to outside in every position, chains and loops of them, and paths that try to follow them:
// nothing outside is read, listed or admitted, whether links are followed or not.
func TestNothingOutside(t *testing.T) {
	b := newBox(t)
	b.link("../outside/f.txt", "file")
	b.link(b.outside, "folder")
	b.link(filepath.Join(b.outside, "f.txt"), "d/file")
	b.link("../../outside", "d/folder")
	b.link("file", "chain1")
	b.link("chain1", "chain2")
	b.link("folder/e", "chain3")
	b.link("loop2", "loop1")
	b.link("loop1", "loop2")
	b.link(".", "self")
	b.link("..", "d/up")
	b.link("/", "top")
	b.link("/proc/self/root", "magic")
	b.link("/proc/self/cwd", "cwd")
	b.link("d", "inside")
	b.link("d/f.txt", "insidefile")
	b.link("../root/d", "around")
	b.link("../outside/../root/d", "throughout")
	b.must(os.Mkdir(b.in("rules"), 0o755))
	b.link("../../outside/.gitignore", "rules/.gitignore")
	write(t, b.root, map[string]string{"rules/x": text})
	names := slices.Concat(strings.Fields("file folder d/file d/folder chain1 chain2 chain3 loop1 loop2 self d/up top magic cwd inside around throughout rules"),
		strings.Fields("folder/f.txt folder/e/f.txt d/folder/f.txt chain3/f.txt self/file self/self/folder/f.txt d/up/file d/up/d/up/folder/only.txt"),
		strings.Fields("inside/file inside/folder/f.txt ../outside/f.txt d/../../outside/f.txt ./../outside/f.txt folder/../../outside/f.txt"),
		[]string{b.outside + "/f.txt", "/" + b.outside + "/f.txt", "d//..//../outside/f.txt", "d\x00/../../outside/f.txt", "top" + b.outside + "/f.txt",
			"magic" + b.outside + "/f.txt", "cwd/f.txt", "..", "../", "../root/../outside/f.txt", "\\..\\outside\\f.txt", "d/f.txt/../../../outside/f.txt"})
	for _, follow := range []bool{false, true} {
		tree := open(t, Options{Root: b.root, FollowLinks: follow})
		for _, name := range names {
			if err := probe(tree, name); err != nil {
				t.Errorf("follow %t: %v", follow, err)
			}
		}
		files, _ := walkAll(t, tree)
		for _, f := range files {
			if err := probe(tree, f); err != nil {
				t.Errorf("follow %t: listed: %v", follow, err)
			}
			if real, err := filepath.EvalSymlinks(b.in(f)); err != nil || !strings.HasPrefix(real, b.root+"/") {
				t.Errorf("follow %t: %s is listed and leads to %s", follow, f, real)
			}
		}
		if got := slices.Contains(files, "insidefile"); got != follow {
			t.Errorf("follow %t: a link within the root is listed: %t", follow, got)
		}
		if !tree.Admit("rules/x") {
			t.Errorf("follow %t: rules behind a link hold", follow)
		}
	}
}

// exchange swaps the files at name and at other and back, n times.
func (b box) exchange(n int, name, other string) {
	spare := name + ".spare"
	for range n {
		for _, step := range [][2]string{{name, spare}, {other, name}, {name, other}, {spare, name}} {
			if err := os.Rename(step[0], step[1]); err != nil {
				b.t.Error(err)
				return
			}
		}
	}
}

// A folder, a file, or the root itself is exchanged for a link to outside thousands of times while
// it is read, decided about and walked.
func TestNothingOutsideWhileSwapped(t *testing.T) {
	swaps := 10_000
	if testing.Short() {
		swaps = 2000
	}
	for what, name := range map[string]string{"a folder": "d", "a folder below": "d/e", "a file": "d/f.txt", "the root": ""} {
		for _, follow := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, follow %t", what, follow), func(t *testing.T) {
				b := newBox(t)
				tree := open(t, Options{Root: b.root, FollowLinks: follow})
				link := b.root + ".link"
				target := filepath.Join(b.outside, strings.TrimPrefix(strings.TrimPrefix(name, "d"), "/"))
				b.must(os.Symlink(target, link))
				done := make(chan struct{})
				var swapper sync.WaitGroup
				swapper.Go(func() {
					defer close(done)
					b.exchange(swaps, b.in(name), link)
				})
				defer swapper.Wait()
				read := 0
				for running := true; running; {
					select {
					case <-done:
						running = false
					default:
					}
					for _, rel := range []string{"d/f.txt", "d/e/f.txt", "f.txt", "e/f.txt", "d/only.txt", "d/e"} {
						if err := probe(tree, rel); err != nil {
							t.Fatal(err)
						}
						read++
					}
					err := tree.Walk(context.Background(), func(e Entry) error {
						if strings.Contains(e.Path, "only") {
							return fmt.Errorf("%s is listed", e.Path)
						}
						return nil
					}, func(string, bool, Reason) {})
					if err != nil && strings.Contains(err.Error(), "is listed") {
						t.Fatal(err)
					}
				}
				if got, _, reason, err := tree.Read("d/f.txt"); string(got) != text {
					t.Errorf("in the end the file reads as %q: %q, %v", got, reason, err)
				}
				if read == 0 {
					t.Error("nothing was read meanwhile")
				}
			})
		}
	}
}

// A root with a parent folder replaced by a link is not the one that was opened.
func TestRootBehindALink(t *testing.T) {
	b := newBox(t)
	parent := filepath.Dir(b.root)
	tree := open(t, Options{Root: b.root})
	b.must(tree.Intact())
	write(t, filepath.Join(b.outside, "root"), map[string]string{"a.txt": outsideText})
	aside := parent + ".aside"
	b.must(os.Rename(parent, aside))
	b.must(os.Symlink(filepath.Join(aside, "outside"), parent))
	if err := probe(tree, "a.txt"); err != nil {
		t.Error(err)
	}
	if _, _, reason, _ := tree.Read("a.txt"); reason != Link || tree.Intact() == nil {
		t.Errorf("reads as %q; intact: %v", reason, tree.Intact())
	}
	if err := tree.Walk(context.Background(), func(e Entry) error { return fmt.Errorf("%s is listed", e.Path) }, func(string, bool, Reason) {}); err == nil || strings.Contains(err.Error(), "listed") {
		t.Errorf("walk: %v", err)
	}
	b.must(os.Remove(parent))
	b.must(os.Rename(aside, parent))
	b.must(tree.Intact())
	// A root opened through a link is the folder that the link led to.
	b.must(os.Symlink(b.root, parent+".given"))
	given := open(t, Options{Root: parent + ".given"})
	if got, _, _, _ := given.Read("a.txt"); string(got) != text || given.Root() != b.root {
		t.Errorf("%s reads as %q", given.Root(), got)
	}
}

// A root that was removed and created again is the root again.
func TestRootMadeAgain(t *testing.T) {
	b := newBox(t)
	tree := open(t, Options{Root: b.root})
	b.must(os.RemoveAll(b.root))
	if err := tree.Intact(); err == nil {
		t.Error("a root that is gone is intact")
	}
	write(t, b.root, map[string]string{"new.txt": text})
	if got, _, _, err := tree.Read("new.txt"); string(got) != text {
		t.Errorf("%q, %v", got, err)
	}
}

// A file that grows while it is read is read up to the limit, and not kept.
func TestGrowingFile(t *testing.T) {
	b := newBox(t)
	tree := open(t, Options{Root: b.root, MaxFileBytes: 1 << 16})
	f, err := os.OpenFile(b.in("log.txt"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	b.must(err)
	defer f.Close()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for line := []byte(strings.Repeat("x", 1000) + "\n"); ; {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := f.Write(line); err != nil {
				t.Error(err)
				return
			}
			if info, err := f.Stat(); err == nil && info.Size() > 1<<17 {
				if err := f.Truncate(0); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	for range 2000 {
		got, _, reason, err := tree.Read("log.txt")
		if int64(len(got)) > 1<<16 || err != nil || reason != Indexed && reason != TooLarge {
			t.Errorf("%d bytes, %q, %v", len(got), reason, err)
			break
		}
	}
	close(stop)
	<-stopped
}

// Two spellings are two files if the file system distinguishes them, and another normal form of a
// name is another name.
func TestSpellings(t *testing.T) {
	b := newBox(t)
	write(t, b.root, map[string]string{"README.md": "upper\n", "readme.md": "lower\n", "caf\u00e9.txt": "composed\n", "cafe\u0301.txt": "decomposed\n", "bad\xff.txt": "not UTF-8\n"})
	folds := false
	if data, err := os.ReadFile(b.in("README.md")); err == nil {
		folds = string(data) == "lower\n"
	}
	tree := open(t, Options{Root: b.root})
	for name, want := range map[string]string{"README.md": "upper\n", "readme.md": "lower\n", "caf\u00e9.txt": "composed\n", "cafe\u0301.txt": "decomposed\n", "bad\xff.txt": "not UTF-8\n"} {
		if got, e, _, err := tree.Read(name); !folds && (string(got) != want || e.Path != name) {
			t.Errorf("%q reads as %q, %v", name, got, err)
		}
	}
	if got, _, reason, _ := tree.Read("A.TXT"); !folds && (got != nil || reason != NotFound) {
		t.Errorf("A.TXT reads as %q: %q", got, reason)
	}
}

// A .git file or folder that points elsewhere contributes Git's own rules from there, and no file
// of that location becomes part of the workspace.
func TestGitPointsElsewhere(t *testing.T) {
	for name, pointer := range map[string]string{
		"the top":    "gitdir: /",
		"outside":    "gitdir: ../outside",
		"itself":     "gitdir: .git",
		"nowhere":    "gitdir: absent",
		"no pointer": strings.Repeat("x", 1<<16),
		"a device":   "gitdir: /dev/zero",
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			write(t, b.root, map[string]string{".git": pointer + "\n"})
			write(t, b.outside, map[string]string{"HEAD": "ref: refs/heads/main\n", "commondir": "/\n", "config": "[core]\n\texcludesFile = " + filepath.Join(b.outside, "only.txt") + "\n"})
			within(t, name, func() {
				home := t.TempDir()
				tree, err := Open(Options{Root: b.root, Home: home})
				if err != nil {
					t.Error(err)
					return
				}
				for _, rel := range []string{".git", ".git/f.txt", "a.txt", "../outside/f.txt"} {
					if err := probe(tree, rel); err != nil {
						t.Error(err)
					}
				}
				if !tree.Admit("a.txt") {
					t.Error("the workspace's own file is left out")
				}
			})
		})
	}
}

// Without the system call that opens a root at once, it is opened step by step.
func TestOpenSteps(t *testing.T) {
	b := newBox(t)
	folder, err := openSteps(b.root)
	b.must(err)
	_, err = lstatAt(folder, "a.txt")
	b.must(err)
	b.must(closeFolder(folder))
	b.must(os.Symlink(b.root, filepath.Join(b.outside, "root")))
	for _, path := range []string{filepath.Join(b.outside, "root"), filepath.Join(b.outside, "root", "d")} {
		if _, err := openSteps(path); err != errLink {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := openSteps(filepath.Join(b.root, "absent", "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	folder, err = openSteps(filepath.VolumeName(b.root) + string(filepath.Separator))
	b.must(err)
	b.must(closeFolder(folder))
}

// within fails the test if f has not returned in time, because something blocks.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(4 * time.Second): // a question to git would end after gitTimeout, later than this
		t.Fatalf("%s waits", what)
	}
}
