//go:build unix

package source

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Pipes in place of every file that is read block nothing.
func TestPipesAreNotWaitedFor(t *testing.T) {
	for _, name := range strings.Fields("pipe.go .gitignore .contextureignore d/.gitignore .git .git/HEAD .git/config .git/index .git/commondir .git/packed-refs .git/info/exclude bin/run CACHEDIR.TAG d/CACHEDIR.TAG d/pyvenv.cfg") {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			home := t.TempDir()
			isolate(t)
			if name != ".git" {
				write(t, b.root, bareGit)
			}
			b.must(os.MkdirAll(filepath.Dir(b.in(name)), 0o755))
			b.must(os.RemoveAll(b.in(name)))
			b.must(unix.Mkfifo(b.in(name), 0o600))
			within(t, name, func() {
				tree, err := Open(Options{Root: b.root, Home: home})
				if err != nil {
					t.Error(err)
					return
				}
				files := 0
				err = tree.Walk(context.Background(), func(Entry) error { files++; return nil }, func(string, bool, Reason) {})
				if err != nil || files < 2 {
					t.Errorf("%d files, %v", files, err)
				}
				for _, rel := range []string{name, "a.txt", "d/f.txt"} {
					tree.Decide(rel)
					tree.Admit(rel)
					tree.Read(rel) //nolint:errcheck // only that it comes back
				}
			})
		})
	}
	t.Run("the person's ignore file", func(t *testing.T) {
		b := newBox(t)
		pipe := filepath.Join(b.outside, "ignore")
		b.must(unix.Mkfifo(pipe, 0o600))
		isolate(t)
		home := t.TempDir()
		within(t, "the ignore file", func() {
			if tree, err := Open(Options{Root: b.root, Home: home, GlobalIgnore: pipe}); err != nil || !tree.Admit("a.txt") {
				t.Error(err)
			}
		})
	})
}

func TestSpecialFilesAreNotWaitedFor(t *testing.T) {
	b := newBox(t)
	t.Chdir(b.root) // a socket's path must be short
	l, err := net.Listen("unix", "sock")
	b.must(err)
	defer l.Close()
	b.must(unix.Mkfifo(b.in("pipe"), 0o600))
	b.link("/dev/zero", "zero")
	b.link("pipe", "topipe")
	for _, follow := range []bool{false, true} {
		tree := open(t, Options{Root: b.root, FollowLinks: follow})
		for name, want := range map[string]Reason{"sock": Special, "pipe": Special, "zero": Link, "topipe": Link} {
			if follow && name == "topipe" {
				want = Special
			}
			within(t, name, func() {
				if _, _, reason, _ := tree.Read(name); reason != want {
					t.Errorf("follow %t: %s is %q, want %q", follow, name, reason, want)
				}
			})
		}
	}
}

func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(dir, "fifo.txt"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(dir, ".gitignore"), 0o644); err != nil {
		t.Fatal(err)
	}
	sparse, err := os.Create(filepath.Join(dir, "sparse.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := sparse.Truncate(1 << 30); err != nil {
		t.Fatal(err)
	}
	sparse.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		tree := open(t, Options{Root: dir})
		_, skipped := walkAll(t, tree)
		if skipped["fifo.txt"] != Special || skipped["sparse.txt"] != TooLarge {
			t.Errorf("skipped %v", skipped)
		}
		for path, want := range map[string]Reason{"fifo.txt": Special, "sparse.txt": TooLarge, ".": Directory, "none": NotFound} {
			if data, _, reason, _ := tree.Read(path); reason != want || data != nil {
				t.Errorf("read %s: %q, want %q", path, reason, want)
			}
			if d := tree.Decide(path); d.Reason != want {
				t.Errorf("decide %s: %q, want %q", path, d.Reason, want)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("something waits for a fifo's writer")
	}
}

func TestThousandNestedFolders(t *testing.T) {
	dir := t.TempDir()
	const depth = 1000
	name := "nested-folder" // the whole path is longer than PATH_MAX
	fd, err := unix.Open(dir, unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range depth {
		if err := unix.Mkdirat(fd, name, 0o755); err != nil {
			t.Fatal(err)
		}
		// A second folder, so that descriptors cannot be released early.
		if err := unix.Mkdirat(fd, "z", 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := unix.Openat(fd, name, unix.O_DIRECTORY, 0)
		if err != nil {
			t.Fatal(i, err)
		}
		unix.Close(fd)
		fd = next
	}
	f, err := unix.Openat(fd, "deep.txt", unix.O_CREAT|unix.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Write(f, []byte(text)); err != nil {
		t.Fatal(err)
	}
	unix.Close(f)
	unix.Close(fd)

	tree := open(t, Options{Root: dir})
	files, skipped := walkAll(t, tree)
	want := strings.Repeat(name+"/", depth) + "deep.txt"
	if len(files) != 1 || files[0] != want || len(skipped) != 0 {
		t.Fatalf("%d files, skipped %v", len(files), skipped)
	}
	if data, _, reason, err := tree.Read(want); string(data) != text || reason != Indexed || err != nil {
		t.Errorf("read: %q %q %v", data, reason, err)
	}
	if !tree.Decide(want).Indexed {
		t.Error("decide")
	}
	folders := 0
	if err := tree.Folders(context.Background(), func(string) error { folders++; return nil }); err != nil || folders != 2*depth+1 {
		t.Errorf("%d folders, %v", folders, err)
	}
}
