package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func symlink(t *testing.T, dir, target, name string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func TestLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, outside, map[string]string{"secret.txt": text, "d/x.txt": text})
	write(t, dir, map[string]string{".gitignore": "/ignored/\n", "real.txt": text, "d/x.txt": text, "ignored/y.txt": text, "node_modules/m.js": text, "bin/notes.txt": text})
	symlink(t, dir, "real.txt", "in.txt")
	symlink(t, dir, "../real.txt", "d/up.txt")
	symlink(t, dir, "d", "dlink")
	symlink(t, dir, ".", "self")
	symlink(t, dir, "..", "d/parent")
	symlink(t, dir, filepath.Join(outside, "secret.txt"), "out.txt")
	symlink(t, dir, outside, "outdir")
	symlink(t, dir, "ignored/y.txt", "hidden.txt")
	symlink(t, dir, "ignored", "hiddendir")
	symlink(t, dir, "node_modules/m.js", "m.js")
	symlink(t, dir, "nowhere", "dangling")
	symlink(t, dir, "loop2", "loop1")
	symlink(t, dir, "loop1", "loop2")
	symlink(t, dir, "d", "d2link")

	plain := open(t, Options{Root: dir})
	follow := open(t, Options{Root: dir, FollowLinks: true})
	for _, c := range []struct {
		tree  *Tree
		files string
	}{
		{plain, ".gitignore d/x.txt real.txt"},
		{follow, ".gitignore d/up.txt d/x.txt d2link/up.txt d2link/x.txt in.txt real.txt"},
	} {
		files, skipped := walkAll(t, c.tree)
		if !slices.Equal(files, strings.Fields(c.files)) {
			t.Errorf("follow %t: files %q, want %q", c.tree.opts.FollowLinks, files, c.files)
		}
		for _, rel := range files {
			if _, e, reason, err := c.tree.Read(rel); reason != Indexed || err != nil || e.Path != rel {
				t.Errorf("read %s: %q %v", rel, reason, err)
			}
			if e, err := c.tree.Stat(rel); err != nil || e.Path != rel || e.Size != int64(len(text)) && rel != ".gitignore" {
				t.Errorf("stat %s: %+v %v", rel, e, err)
			}
			if !c.tree.Decide(rel).Indexed || !c.tree.Admit(rel) {
				t.Errorf("%s is listed but not admitted", rel)
			}
		}
		for _, rel := range []string{"out.txt", "dangling", "loop1", "outdir/secret.txt", "outdir/d/x.txt", "d/parent/x"} {
			data, _, reason, _ := c.tree.Read(rel)
			if data != nil || reason == Indexed {
				t.Errorf("read %s gave %q", rel, data)
			}
			if d := c.tree.Decide(rel); d.Indexed || d.Reason != Link {
				t.Errorf("decide %s: %+v", rel, d)
			}
			if c.tree.Admit(rel) {
				t.Errorf("%s is admitted", rel)
			}
			if _, err := c.tree.Stat(rel); err == nil {
				t.Errorf("stat %s succeeds", rel)
			}
		}
		if skipped["out.txt"] != Link {
			t.Errorf("out.txt: %q", skipped["out.txt"])
		}
	}
	if d := follow.Decide("hidden.txt"); d.Reason != Ignored || d.Rule.Pattern != "/ignored/" {
		t.Errorf("a link to an ignored file: %+v", d)
	}
	if d := plain.Decide("in.txt"); d.Reason != Link || !strings.Contains(d.Rule.Pattern, "index.followLinks") {
		t.Errorf("a link: %+v", d.Rule)
	}
	if follow.Admit("hiddendir/y.txt") || follow.Decide("hiddendir/y.txt").Indexed {
		t.Error("behind a link to an ignored folder")
	}
}

// A folder that is exchanged for a link out of the root between listing and reading is not
// followed.
func TestExchangedForALink(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, dir, map[string]string{"d/x.txt": text})
	write(t, outside, map[string]string{"x.txt": "secret"})
	for _, follow := range []bool{false, true} {
		tree := open(t, Options{Root: dir, FollowLinks: follow})
		moved := filepath.Join(dir, "moved")
		err := tree.Walk(context.Background(), func(e Entry) error {
			if err := os.Rename(filepath.Join(dir, "d"), moved); err != nil {
				return err
			}
			symlink(t, dir, outside, "d")
			if data, _, reason, _ := tree.Read(e.Path); data != nil || reason != Link {
				t.Errorf("read %q through the link: %q", data, reason)
			}
			if err := os.Remove(filepath.Join(dir, "d")); err != nil {
				return err
			}
			return os.Rename(moved, filepath.Join(dir, "d"))
		}, func(string, bool, Reason) {})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestOddNames(t *testing.T) {
	dir := t.TempDir()
	names := []string{"a\nb.txt", "\xff\xfe.txt", " lead.txt", "-dash.txt", "tab\t.txt", "é.txt", "a-b/x.txt", "a/x.txt", "a.b/x.txt", "a/b/x.txt", `back\slash.txt`, "[x]*?.txt"}
	for _, name := range names {
		write(t, dir, map[string]string{name: text})
	}
	tree := open(t, Options{Root: dir})
	files, _ := walkAll(t, tree)
	want := slices.Clone(names)
	slices.Sort(want)
	if !slices.Equal(files, want) {
		t.Errorf("files %q, want %q in byte order", files, want)
	}
	for _, f := range files {
		if data, _, reason, err := tree.Read(f); string(data) != text || reason != Indexed || err != nil {
			t.Errorf("read %q: %q %q %v", f, data, reason, err)
		}
	}
}

// Permissions do not apply to root, so the errors are constructed.
func TestReasonFor(t *testing.T) {
	for err, want := range map[error]Reason{
		syscall.EACCES: Unreadable, syscall.EIO: Unreadable, syscall.EPERM: Unreadable, syscall.ENAMETOOLONG: Unreadable,
		syscall.ENOENT: NotFound, syscall.ENOTDIR: NotFound, syscall.EISDIR: Directory, errLink: Link, errSpecial: Special,
	} {
		if got := reasonFor(fmt.Errorf("open: %w", err)); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}

func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a/x.txt": text, "b/y.txt": text, "c.txt": text})
	for _, path := range []string{"a", "c.txt"} {
		if err := os.Chmod(filepath.Join(dir, path), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "a"), 0o755) })
	tree := open(t, Options{Root: dir})
	asOther(t, func() {
		files, skipped := walkAll(t, tree)
		if !slices.Equal(files, strings.Fields("b/y.txt c.txt")) || skipped["a/"] != Unreadable {
			t.Errorf("files %q, skipped %v", files, skipped)
		}
		_, _, reason, err := tree.Read("c.txt")
		var skip *SkipError
		if reason != Unreadable || !errors.As(err, &skip) || skip.Path != "c.txt" {
			t.Errorf("read: %q %v", reason, err)
		}
		if d := tree.Decide("c.txt"); d.Reason != Unreadable {
			t.Errorf("decide: %+v", d)
		}
	})
}

func TestWalkStops(t *testing.T) {
	dir := t.TempDir()
	for i := range 200 {
		write(t, dir, map[string]string{fmt.Sprintf("%03d.txt", i): text, fmt.Sprintf("d/%03d.txt", i): text})
	}
	tree := open(t, Options{Root: dir})
	ctx, cancel := context.WithCancel(context.Background())
	seen := 0
	err := tree.Walk(ctx, func(Entry) error { seen++; cancel(); return nil }, func(string, bool, Reason) {})
	if !errors.Is(err, context.Canceled) || seen > 64 {
		t.Errorf("%d files after the cancel, %v", seen, err)
	}
	stop := errors.New("stop")
	if err := tree.Walk(context.Background(), func(Entry) error { return stop }, func(string, bool, Reason) {}); err != stop {
		t.Errorf("the callback's error: %v", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := tree.Walk(context.Background(), func(Entry) error { return nil }, func(string, bool, Reason) {}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the root is gone: %v", err)
	}
}

func TestConcurrentUse(t *testing.T) {
	dir := t.TempDir()
	for i := range 50 {
		write(t, dir, map[string]string{fmt.Sprintf("d%d/e/x.txt", i): text, fmt.Sprintf("d%d/.gitignore", i): "*.log\n"})
	}
	tree := open(t, Options{Root: dir})
	var group sync.WaitGroup
	for worker := range 6 {
		group.Go(func() {
			for i := range 50 {
				switch worker {
				case 0:
					tree.Reload()
				case 1:
					if i%10 == 0 {
						if files, _ := walkAll(t, tree); len(files) != 100 {
							t.Errorf("%d files", len(files))
						}
					}
				default:
					if !tree.Admit(fmt.Sprintf("d%d/e/x.txt", i)) || tree.Admit(fmt.Sprintf("d%d/e/x.log", i)) || !tree.Decide(fmt.Sprintf("d%d/e/x.txt", i)).Indexed {
						t.Error("a rule is missing")
					}
				}
			}
		})
	}
	group.Wait()
}

func TestWalkLeavesNoDescriptors(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // there is no /proc for counting them
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"a/b/c/x.txt": text, "a/d/y.txt": text, "node_modules/z": text})
	symlink(t, dir, "a", "l")
	tree := open(t, Options{Root: dir, FollowLinks: true})
	before := descriptors(t)
	for range 50 {
		walkAll(t, tree)
		for _, path := range []string{"a/b/c/x.txt", "l/d/y.txt", "none", "a", "a/none/x"} {
			_, _, _, _ = tree.Read(path)
			tree.Decide(path)
		}
	}
	if after := descriptors(t); after > before+3 {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

func descriptors(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
