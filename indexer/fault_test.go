//go:build unix

package indexer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/store"
)

// said reports whether an error of the status contains all of words.
func said(x *Index, words ...string) bool {
	for _, e := range x.Status().Errors {
		all := true
		for _, word := range words {
			all = all && strings.Contains(e, word)
		}
		if all {
			return true
		}
	}
	return false
}

// The state directory cannot be created: the index answers from memory, reports the path, follows
// the disk, and is saved as soon as that is possible.
func TestStateDirectoryUnavailable(t *testing.T) {
	for name, obstacle := range map[string]string{"a file in the folder's place": "state/index", "a file above it": "state"} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t)
			w.fill(random(60), 40)
			base := t.TempDir()
			blocked := filepath.Join(base, obstacle)
			w.must(os.MkdirAll(filepath.Dir(blocked), 0o700))
			w.must(os.WriteFile(blocked, nil, 0o600))
			dir := filepath.Join(base, "state", "index", "one")
			x := w.open(dir, watched)
			until(t, x, "all files", func(*Snapshot) bool { st := x.Status(); return st.Files == 40 && st.Queue == 0 })
			until(t, x, "what is wrong", func(*Snapshot) bool { return x.Status().State == Failed && said(x, dir, "not saved", "--state-dir") })
			if err := sameAnswers(t, x.current.Load(), w.index().current.Load()); err != nil {
				t.Error(err)
			}
			w.write("later.go", "package later\n\nfunc WrittenLater() {}\n")
			until(t, x, "a new file", func(s *Snapshot) bool { return len(s.Symbols().Definitions("WrittenLater", 1)) == 1 })
			until(t, x, "search by meaning", isEmbedded)
			w.must(os.Remove(blocked))
			until(t, x, "recovery", func(*Snapshot) bool { return idle(x) && len(x.Status().Errors) == 0 })
			want := x.current.Load()
			shut(t, x)
			x = w.open(dir)
			defer shut(t, x)
			settle(t, x)
			if st := x.Status(); st.Parsed != 0 || st.Embedded != 0 || len(st.Errors) != 0 {
				t.Errorf("the next start: %+v", st)
			}
			if err := sameAnswers(t, x.current.Load(), want); err != nil {
				t.Error(err)
			}
		})
	}
}

// indexUntilRoomAgain indexes on a full disk, waits until the status reports it, frees space, and
// waits until the report is gone. It exits without closing the index: what the status reports as
// saved must be on disk.
func indexUntilRoomAgain(root, dir string) error {
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		return err
	}
	if err := limitFiles(100<<10, was.Max); err != nil {
		return err
	}
	opts := options(root, dir)
	opts.Watch = true
	x, err := Open(context.Background(), opts)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	wait := func(what string, ok func() bool) error {
		for !ok() {
			if err := waitChange(ctx, x); err != nil {
				return fmt.Errorf("%s: %w: %+v", what, err, x.Status())
			}
		}
		return nil
	}
	if err := wait("it does not say that it is not saved", func() bool { return said(x, "not saved", dir) }); err != nil {
		return err
	}
	if err := wait("it does not go on in memory", func() bool { st := x.Status(); return st.State == Failed && st.Files == 112 }); err != nil {
		return err
	}
	if err := wait("no search by meaning", func() bool { return isEmbedded(x.current.Load()) }); err != nil {
		return err
	}
	if err := limitFiles(was.Cur, was.Max); err != nil {
		return err
	}
	return wait("it does not recover", func() bool { return idle(x) && len(x.Status().Errors) == 0 })
}

// With an index on a full disk, the stored content can be searched from the start, and nothing is
// parsed again.
func openOnFull(root, dir string) error {
	if err := limitFiles(0, 0); err != nil {
		return err
	}
	x, err := Open(context.Background(), options(root, dir))
	if err != nil {
		return err
	}
	if n := x.Status().Files; n != 112 {
		return fmt.Errorf("%d files at the start", n)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for x.Status().State != Failed || !said(x, "not saved", dir) {
		if err := waitChange(ctx, x); err != nil {
			return fmt.Errorf("it does not say that it is not saved: %w: %+v", err, x.Status())
		}
	}
	if st := x.Status(); st.Parsed != 0 || st.Files != 112 {
		return fmt.Errorf("parsed again: %+v", st)
	}
	return nil
}

// limitFiles limits the size of every file that this process writes, which for a store equals a
// full disk.
func limitFiles(size, most uint64) error {
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: most})
}

// TestRecoversFromFullDisk indexes on a disk that is full until the index has reported it: the
// index recovers by itself. A later start on a full disk reads the stored content.
func TestRecoversFromFullDisk(t *testing.T) {
	w := newWorkspace(t)
	w.fillLarge(random(61))
	dir := t.TempDir()
	runChild(t, roomEnv, w.dir, dir)
	runChild(t, fullOpenEnv, w.dir, dir)
	x := w.open(dir)
	defer shut(t, x)
	settle(t, x)
	if st := x.Status(); st.Parsed != 0 || st.Embedded != 0 || len(st.Errors) != 0 {
		t.Errorf("the next start: %+v", st)
	}
	if err := sameAnswers(t, x.current.Load(), w.index().current.Load()); err != nil {
		t.Error(err)
	}
}

// fillLarge writes 112 files, some of them too large in sum for the space that the tests of a full
// disk leave.
func (w workspace) fillLarge(r *rand.Rand) {
	w.t.Helper()
	w.fill(random(51), 100)
	for i := range 12 {
		var b strings.Builder
		for range 12_000 {
			for range 3 + r.IntN(6) {
				b.WriteByte(byte('a' + r.IntN(26)))
			}
			b.WriteByte(' ')
		}
		w.write(fmt.Sprintf("large%d.txt", i), b.String())
	}
}

// runChild runs this binary as the process chosen by an environment variable.
func runChild(t *testing.T, env, root, dir string) {
	t.Helper()
	cmd, out := child(env, root, dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	case <-time.After(2 * patience):
		_ = cmd.Process.Kill()
		<-done
		t.Fatalf("did not end\n%s", out)
	}
}

// Random bytes change in any file of the folder while it is closed: the answers are those of an
// intact index, at most one error reports the damage, and the next start reports none.
func TestRandomDamage(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(62), 60)
	w.git("init", "-q")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "all of it")
	origin := t.TempDir()
	x := w.open(origin)
	settle(t, x)
	want := x.current.Load()
	shut(t, x)
	files, err := os.ReadDir(origin)
	w.must(err)
	rebuilt := 0
	rounds := 40
	if testing.Short() {
		rounds = 10
	}
	for round := range rounds {
		r := random(uint64(1000 + round))
		dir := filepath.Join(t.TempDir(), "index")
		w.must(os.CopyFS(dir, os.DirFS(origin)))
		name := filepath.Join(dir, files[r.IntN(len(files))].Name())
		b, err := os.ReadFile(name)
		w.must(err)
		if len(b) == 0 {
			continue
		}
		switch r.IntN(4) {
		case 0:
			b = b[:r.IntN(len(b))]
		case 1:
			clear(b[r.IntN(len(b)):])
		default:
			for range 1 + r.IntN(20) {
				b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
			}
		}
		w.must(os.WriteFile(name, b, 0o600))
		x := w.open(dir)
		settle(t, x)
		if !idle(x) {
			until(t, x, "the store to be written again", func(*Snapshot) bool { return idle(x) })
		}
		if err := sameAnswers(t, x.current.Load(), want); err != nil {
			t.Errorf("round %d, %s: %v", round, filepath.Base(name), err)
		}
		errs := x.Status().Errors
		for _, e := range errs {
			if !strings.Contains(e, "damaged") {
				t.Errorf("round %d: it says %q", round, e)
			}
		}
		rebuilt += len(errs)
		shut(t, x)
		x = w.open(dir)
		settle(t, x)
		if st := x.Status(); len(st.Errors) != 0 || st.Parsed != 0 {
			t.Errorf("round %d, %s: the start after the damage: %+v", round, filepath.Base(name), st)
		}
		shut(t, x)
	}
	if rebuilt < rounds/8 {
		t.Errorf("only %d rounds did damage", rebuilt)
	}
}

// Tables change under a running index: searches continue, and the store is written again.
func TestDamageWhileRunning(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(63), 60)
	dir := t.TempDir()
	x := w.open(dir, watched)
	settle(t, x)
	w.must(x.w.disk.db.Flush())
	want := content(x.current.Load())
	each(t, dir, "*.sst", func(b []byte) []byte {
		for i := range b {
			b[i] ^= 0x5a
		}
		return b
	})
	if err := x.w.disk.db.Compact(context.Background()); err == nil {
		t.Fatal("damaged tables are compacted")
	}
	until(t, x, "the damage to be found", func(*Snapshot) bool { return said(x, "not saved") })
	if x.Status().State != Failed || content(x.current.Load()) != want {
		t.Errorf("meanwhile: %+v", x.Status())
	}
	until(t, x, "the store to be written again", func(*Snapshot) bool { return idle(x) && said(x, "damaged", "written again") })
	w.write("after.go", "package after\n\nfunc After() {}\n")
	until(t, x, "a new file", has("after.go"))
	until(t, x, "rest", func(*Snapshot) bool { return idle(x) })
	last := x.current.Load()
	shut(t, x)
	x = w.open(dir)
	defer shut(t, x)
	settle(t, x)
	if st := x.Status(); st.Parsed != 0 || len(st.Errors) != 0 {
		t.Errorf("the next start: %+v", st)
	}
	if err := sameAnswers(t, x.current.Load(), last); err != nil {
		t.Error(err)
	}
}

// A disk that damages everything written to it is given up after a few attempts, and the index
// continues in memory.
func TestRepeatedDamage(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(64), 20)
	x := w.open(t.TempDir(), watched)
	settle(t, x)
	for i := range maxDamages {
		x.w.disk.db.Condemn(fmt.Errorf("damage %d: %w", i, errDamaged))
		until(t, x, "the damage to be said", func(*Snapshot) bool { return said(x, "not saved") })
		until(t, x, "the store to be written again", func(*Snapshot) bool { return idle(x) && said(x, fmt.Sprint("damage ", i), "written again") })
	}
	x.w.disk.db.Condemn(fmt.Errorf("damage again: %w", errDamaged))
	until(t, x, "the end of it", func(*Snapshot) bool { return said(x, "not used until the next start") })
	w.write("after.go", "package after\n\nfunc After() {}\n")
	until(t, x, "a new file", has("after.go"))
	if err := x.Close(); err == nil {
		t.Error("closing says nothing of what is lost")
	}
}

// Commits and vectors, which are read from the store while the index runs, may be damaged.
func TestDamageFoundWhileReading(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(65), 30)
	x := w.open(t.TempDir())
	settle(t, x)
	x.w.disk.unread("read vectors", &store.CorruptError{Err: errDamaged})
	until(t, x, "the store to be written again", func(*Snapshot) bool { return idle(x) && said(x, "written again") })
	shut(t, x)
}
