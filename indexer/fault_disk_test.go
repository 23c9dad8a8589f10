//go:build unix

package indexer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/source"
)

// What a file's status proves, and what it does not.
func TestUnchanged(t *testing.T) {
	at := func(second, nano int64) time.Time { return time.Unix(1_700_000_000+second, nano) }
	entry := func(mtime, ctime time.Time) source.Entry {
		return source.Entry{Path: "a", Size: 10, ModTime: mtime, Changed: ctime, Inode: 7}
	}
	tests := []struct {
		name    string
		indexed source.Entry
		checked time.Time
		now     source.Entry
		want    bool
	}{
		{"long ago", entry(at(0, 5), at(0, 5)), at(9, 0), entry(at(0, 5), at(0, 5)), true},
		{"another time", entry(at(0, 5), at(0, 5)), at(9, 0), entry(at(1, 5), at(1, 5)), false},
		{"its time put back", entry(at(0, 5), at(0, 5)), at(9, 0), entry(at(0, 5), at(10, 5)), false},
		{"read in the moment it was written", entry(at(9, 5), at(9, 5)), at(9, 10e6), entry(at(9, 5), at(9, 5)), false},
		{"a time in the future, by its owner", entry(at(9e6, 5), at(0, 5)), at(9, 0), entry(at(9e6, 5), at(0, 5)), true},
		{"written before the clock was put back", entry(at(3600, 5), at(3600, 5)), at(9, 0), entry(at(3600, 5), at(3600, 5)), true},
		{"changed after the clock was put back", entry(at(3600, 5), at(3600, 5)), at(9, 0), entry(at(10, 5), at(10, 5)), false},
		{"a clock of whole seconds, just now", entry(at(8, 0), at(8, 0)), at(9, 0), entry(at(8, 0), at(8, 0)), false},
		{"a clock of whole seconds, some time ago", entry(at(5, 0), at(5, 0)), at(9, 0), entry(at(5, 0), at(5, 0)), true},
	}
	for _, tt := range tests {
		f := stateOf(parsedFile{entry: tt.indexed, checked: tt.checked})
		if got := f.unchanged(tt.now); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
		again, ok := unmarshalFileState(f.marshal())
		if !ok || again != f {
			t.Errorf("%s: stored as %+v, want %+v", tt.name, again, f)
		}
	}
	if (fileState{}).unchanged(source.Entry{}) {
		t.Error("a file that was never read is unchanged")
	}
}

// A file whose content changes while its size and time are restored is read again, with a watcher
// or without.
func TestRestoredModificationTime(t *testing.T) {
	for name, watching := range map[string]bool{"watched": true, "at the next start": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t)
			w.write("a.go", "package a\n\nfunc Before() {}\n")
			then := time.Now().Add(-time.Hour)
			w.must(os.Chtimes(w.abs("a.go"), then, then))
			dir := t.TempDir()
			x := w.open(dir, func(o *Options) { o.Watch = watching })
			settle(t, x)
			change := func() {
				w.write("a.go", "package a\n\nfunc Behind() {}\n")
				w.must(os.Chtimes(w.abs("a.go"), then, then))
			}
			if watching {
				change()
			} else {
				shut(t, x)
				change()
				x = w.open(dir)
			}
			until(t, x, "the change", func(s *Snapshot) bool {
				return len(s.Symbols().Definitions("Behind", 1)) == 1 && len(s.Symbols().Definitions("Before", 1)) == 0
			})
			shut(t, x)
		})
	}
}

// The root disappears and comes back, as it was or as another folder: meanwhile the indexed content
// can be searched and the status names the problem, and afterwards the current content is found.
func TestRootDisappearsAndReturns(t *testing.T) {
	w := newWorkspace(t)
	root := workspace{t, filepath.Join(w.dir, "root")}
	root.fill(random(70), 30)
	root.write("kept.go", "package kept\n\nfunc Kept() {}\n")
	x := root.index(watched)
	w.rename("root", "away")
	until(t, x, "the loss of the root", func(s *Snapshot) bool {
		return x.Status().State == Failed && said(x, "workspace", root.dir) && len(s.Symbols().Definitions("Kept", 1)) == 1
	})
	w.rename("away", "root")
	until(t, x, "the root to be back", func(s *Snapshot) bool { return idle(x) && len(x.Status().Errors) == 0 && x.Status().Files == 31 })
	if x.Status().Parsed != 31 {
		t.Errorf("parsed %d", x.Status().Parsed)
	}
	w.rename("root", "old")
	root.write("other.go", "package other\n\nfunc Other() {}\n")
	until(t, x, "another root", func(s *Snapshot) bool {
		return idle(x) && len(x.Status().Errors) == 0 && s.LiveFiles() == 1 && len(s.Symbols().Definitions("Other", 1)) == 1
	})
	root.write("alive.go", "package alive\n\nfunc Alive() {}\n")
	until(t, x, "a change in it", has("alive.go"))
}

// asNobody drops the rights of the superuser, who may read and write everything. It is for separate
// processes.
func asNobody() error {
	if os.Geteuid() != 0 {
		return nil
	}
	const nobody = 65534
	if err := syscall.Setgid(nobody); err != nil {
		return err
	}
	return syscall.Setuid(nobody)
}

// waitFor waits for a condition on an index, in a separate process.
func waitFor(x *Index, what string, ok func(s *Snapshot) bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for !ok(x.current.Load()) {
		if err := waitChange(ctx, x); err != nil {
			return fmt.Errorf("%s: %w: %+v", what, err, x.Status())
		}
	}
	return nil
}

// indexWithoutRights indexes in a folder in which it may do some things and not others.
func indexWithoutRights(root, dir string) error {
	if err := asNobody(); err != nil {
		return err
	}
	locked, file := filepath.Join(root, "locked"), filepath.Join(root, "file.go")
	opts := options(root, filepath.Join(dir, "state", "index"))
	opts.Watch = true
	if err := os.Chmod(dir, 0o500); err != nil {
		return err
	}
	x, err := Open(context.Background(), opts)
	if err != nil {
		return err
	}
	steps := []struct {
		what string
		do   func() error
		ok   func(s *Snapshot) bool
	}{
		{"nothing can be saved", nil, func(s *Snapshot) bool {
			return x.Status().State == Failed && said(x, "permission denied", dir) && has("file.go")(s)
		}},
		{"it may be saved", func() error { return os.Chmod(dir, 0o700) }, func(*Snapshot) bool { return idle(x) && len(x.Status().Errors) == 0 }},
		{"a batch without a folder's rights", func() error { return os.WriteFile(file, []byte("package p\n\nfunc Edited() {}\n"), 0o600) }, func(s *Snapshot) bool {
			return len(s.Symbols().Definitions("Edited", 1)) == 1
		}},
		{"a folder that may not be read", func() error { return os.Chmod(locked, 0) }, hasNot("locked/in.go")},
		{"it may be read", func() error { return os.Chmod(locked, 0o700) }, has("locked/in.go")},
		{"a folder whose files may not be read", func() error { return os.Chmod(locked, 0o400) }, hasNot("locked/in.go")},
		{"they may be read", func() error { return os.Chmod(locked, 0o700) }, has("locked/in.go")},
		{"a file that may not be read", func() error { return os.Chmod(file, 0) }, hasNot("file.go")},
		{"the file may be read", func() error { return os.Chmod(file, 0o600) }, has("file.go")},
	}
	for _, s := range steps {
		if s.do != nil {
			if err := s.do(); err != nil {
				return err
			}
		}
		if err := waitFor(x, s.what, s.ok); err != nil {
			return err
		}
	}
	return x.Close()
}

// TestWithoutRights removes the right to write the state directory, and to read a folder and a
// file, and restores it.
func TestWithoutRights(t *testing.T) {
	base, err := os.MkdirTemp("", "contexture-rights") // others may enter it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	w := workspace{t, filepath.Join(base, "root")}
	w.write("file.go", "package p\n\nfunc File() {}\n")
	w.write("locked/in.go", "package p\n\nfunc In() {}\n")
	state := filepath.Join(base, "state")
	w.must(os.MkdirAll(state, 0o700))
	w.must(filepath.Walk(base, func(path string, _ os.FileInfo, err error) error {
		if err == nil && os.Geteuid() == 0 {
			err = os.Chown(path, 65534, 65534)
		}
		return err
	}))
	runChild(t, rightsEnv, w.dir, state)
}

// indexWithoutDescriptors runs out of file descriptors during indexing: no indexed content is lost,
// and once there are some again, nothing is missing.
func indexWithoutDescriptors(root, dir string) error {
	opts := options(root, dir)
	opts.Watch = true
	x, err := Open(context.Background(), opts)
	if err != nil {
		return err
	}
	if err := waitFor(x, "the first pass", func(s *Snapshot) bool { return idle(x) && s.LiveFiles() == 40 }); err != nil {
		return err
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, "edited.go"), []byte("package p\n\nfunc Edited() {}\n"), 0o644); err != nil {
		return err
	}
	if err := waitFor(x, "a file", has("edited.go")); err != nil {
		return err
	}
	now := filepath.Join(root, "now.txt")
	f, err := os.OpenFile(filepath.Join(root, "edited.go"), os.O_RDWR|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 3, Max: was.Max}); err != nil {
		return err
	}
	if _, err := f.WriteString("package p\n\nfunc Again() {}\n"); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(root, "folder"), filepath.Join(root, "moved")); err != nil {
		return err
	}
	x.w.mail.send(func(ctx context.Context) { x.w.syncAll(ctx) })
	if err := waitFor(x, "the fault to be said", func(*Snapshot) bool { return said(x, "workspace", "too many open files") }); err != nil {
		return err
	}
	if n := x.Status().Files; n < 40 {
		return fmt.Errorf("%d files are left", n)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		return err
	}
	if err := waitFor(x, "all of it", func(s *Snapshot) bool {
		return idle(x) && len(x.Status().Errors) == 0 && len(s.Symbols().Definitions("Again", 1)) == 1 && has("moved/in.go")(s) && hasNot("folder/in.go")(s)
	}); err != nil {
		return err
	}
	if err := os.WriteFile(now, []byte("now\n"), 0o644); err != nil {
		return err
	}
	if err := waitFor(x, "a new file", has("now.txt")); err != nil {
		return err
	}
	return x.Close()
}

func TestWithoutDescriptors(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(71), 39)
	w.write("folder/in.go", "package p\n\nfunc In() {}\n")
	runChild(t, descriptorsEnv, w.dir, t.TempDir())
}

// Closing is prompt, whatever is in progress.
func TestCloseIsPrompt(t *testing.T) {
	w := newWorkspace(t)
	r := random(72)
	w.fill(r, 300)
	for i := range 30 { // enough to cut, to merge and to learn from
		var b strings.Builder
		for range 400 {
			b.WriteString(sourceText(r, "a.go"))
		}
		w.write(fmt.Sprintf("large%d.go", i), b.String())
	}
	const prompt = 2 * time.Second
	for _, after := range []time.Duration{0, 50 * time.Millisecond, 300 * time.Millisecond, time.Second} {
		x := w.open(t.TempDir(), watched)
		<-time.After(after)
		began := time.Now()
		shut(t, x)
		if took := time.Since(began); took > prompt {
			t.Errorf("%s after its start it takes %s to close", after, took)
		}
	}
}
