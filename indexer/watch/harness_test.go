package watch

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// patience limits every wait of a test.
const patience = 3 * time.Minute

// bench is a watched folder and everything its watcher has reported so far.
type bench struct {
	*testing.T
	root   string
	w      *Watcher
	paths  map[string]bool
	dirs   map[string]bool
	extra  map[string]bool
	rescan bool
}

// newBench starts a watcher over a new folder; prepare fills the folder before.
func newBench(t *testing.T, opts Options, prepare func(root string)) *bench {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(root, "ws")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if prepare != nil {
		prepare(root)
	}
	opts.Root = root
	for i, e := range opts.Extra {
		opts.Extra[i] = filepath.Join(root, e)
	}
	w, err := Start(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	b := &bench{T: t, root: root, w: w}
	b.forget()
	return b
}

func (b *bench) forget() {
	b.paths, b.dirs, b.extra, b.rescan = map[string]bool{}, map[string]bool{}, map[string]bool{}, false
}

func (b *bench) abs(rel string) string { return filepath.Join(b.root, filepath.FromSlash(rel)) }

func (b *bench) write(rel, text string) {
	b.Helper()
	write(b.T, b.abs(rel), text)
}

func (b *bench) do(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// next takes one batch, or fails if none comes.
func (b *bench) next() Batch {
	b.Helper()
	select {
	case batch, ok := <-b.w.Batches():
		if !ok {
			b.Fatal("the batches ended")
		}
		if !slices.IsSorted(batch.Paths) || len(slices.Compact(slices.Clone(batch.Paths))) != len(batch.Paths) {
			b.Fatalf("paths not sorted or twice: %q", batch.Paths)
		}
		for _, p := range batch.Paths {
			b.paths[p] = true
		}
		for _, p := range batch.Dirs {
			b.dirs[p] = true
			if !slices.Contains(batch.Paths, p) {
				b.Errorf("folder %q is not among the paths", p)
			}
		}
		for _, p := range batch.Extra {
			b.extra[strings.TrimPrefix(p, b.root+string(filepath.Separator))] = true
		}
		b.rescan = b.rescan || batch.Rescan
		return batch
	case <-time.After(patience):
		b.Fatalf("no batch came; so far paths %q, dirs %q, extra %q, rescan %v", sorted(b.paths), sorted(b.dirs), sorted(b.extra), b.rescan)
		return Batch{}
	}
}

// until takes batches until cond returns true.
func (b *bench) until(cond func() bool) {
	b.Helper()
	for !cond() {
		b.next()
	}
}

// wants takes batches until all paths were named.
func (b *bench) wants(paths ...string) {
	b.Helper()
	b.until(func() bool {
		return !slices.ContainsFunc(paths, func(p string) bool { return !b.paths[p] })
	})
}

// alive proves that a file is watched, by writing it and waiting for its path. A concurrent rescan
// covers the write without naming it: then the file is written again.
func (b *bench) alive(rel string) {
	b.Helper()
	b.forget()
	b.write(rel, "alive "+rel)
	for n := 1; !b.paths[rel]; {
		if b.next(); b.rescan && !b.paths[rel] {
			if n++; n > 100 {
				b.Fatalf("%s is not named after %d writes", rel, n)
			}
			b.forget()
			b.write(rel, fmt.Sprintf("alive %s, %d", rel, n))
		}
	}
	b.forget()
}

// eventually waits for a condition that no batch reports.
func (b *bench) eventually(what string, cond func() bool) {
	b.Helper()
	deadline := time.Now().Add(patience)
	for !cond() {
		if time.Now().After(deadline) {
			b.Fatalf("never: %s; status %+v", what, b.w.Status())
		}
		time.Sleep(time.Millisecond)
	}
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func git(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}
