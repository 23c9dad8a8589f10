//go:build unix

package indexer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The environment variables that make this binary run as a separate process instead of tests.
const (
	crashEnv = "CONTEXTURE_TEST_INDEX_AND_WAIT" // root, a newline, index folder
	filesEnv = "CONTEXTURE_TEST_INDEX_IN_FILES_AND_WAIT"
	fullEnv  = "CONTEXTURE_TEST_INDEX_ON_A_FULL_DISK"

	roomEnv     = "CONTEXTURE_TEST_INDEX_UNTIL_ROOM_AGAIN"
	fullOpenEnv = "CONTEXTURE_TEST_OPEN_ON_A_FULL_DISK"

	rightsEnv      = "CONTEXTURE_TEST_INDEX_WITHOUT_RIGHTS"
	descriptorsEnv = "CONTEXTURE_TEST_INDEX_WITHOUT_DESCRIPTORS"
)

func TestMain(m *testing.M) {
	for name, run := range map[string]func(root, dir string) error{
		crashEnv: indexAndWait, filesEnv: indexInFilesAndWait, fullEnv: indexOnFullDisk, roomEnv: indexUntilRoomAgain, fullOpenEnv: openOnFull,
		rightsEnv: indexWithoutRights, descriptorsEnv: indexWithoutDescriptors,
	} {
		if root, dir, ok := strings.Cut(os.Getenv(name), "\n"); ok {
			if err := run(root, dir); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			return
		}
	}
	os.Exit(m.Run())
}

func indexAndWait(root, dir string) error { return openAndWait(options(root, dir)) }

func indexInFilesAndWait(root, dir string) error {
	opts := options(root, dir)
	inFiles(&opts)
	return openAndWait(opts)
}

func openAndWait(opts Options) error {
	x, err := Open(context.Background(), opts)
	if err != nil {
		return err
	}
	if err := x.Wait(context.Background()); err != nil {
		return err
	}
	return x.Close()
}

func child(name, root, dir string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), name+"="+root+"\n"+dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

// TestKill kills an indexing process many times, at random points and with changes in between; the
// next start must always end with a correct index.
func TestKill(t *testing.T) { killed(t, crashEnv, 50) }

// TestKillInFiles does the same with an index stored in files.
func TestKillInFiles(t *testing.T) { killed(t, filesEnv, 20, inFiles) }

func killed(t *testing.T, process string, times int, change ...func(*Options)) {
	if testing.Short() {
		times = 10
	}
	r := random(50)
	w := newWorkspace(t)
	paths := w.fill(r, 400)
	w.git("init", "-q")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "all of it")
	dir := t.TempDir()
	for i := range times {
		if i%10 == 9 { // a finished pass now and then, so that the kills meet every state
			cmd, out := child(process, w.dir, dir)
			if err := cmd.Run(); err != nil {
				t.Fatalf("after %d kills: %v\n%s", i, err, out)
			}
		}
		for range r.IntN(40) {
			p := paths[r.IntN(len(paths))]
			w.write(p, sourceText(r, p))
		}
		if i%15 == 7 { // rebuild everything
			w.must(os.RemoveAll(dir))
		}
		cmd, out := child(process, w.dir, dir)
		w.must(cmd.Start())
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("after %d kills: %v\n%s", i, err, out)
			}
		case <-time.After(time.Duration(5+r.IntN(395)) * time.Millisecond):
			if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
			<-done
		}
	}
	x := w.open(dir, change...)
	defer shut(t, x)
	settle(t, x)
	if errs := x.Status().Errors; len(errs) != 0 {
		t.Errorf("after the kills it says %q", errs)
	}
	if err := sameAnswers(t, x.current.Load(), w.index().current.Load()); err != nil {
		t.Error(err)
	}
}

// TestFullDisk indexes in a process that cannot grow files above a limit, which for a store equals
// a full disk.
func TestFullDisk(t *testing.T) {
	w := newWorkspace(t)
	w.fillLarge(random(51))
	dir := t.TempDir()
	runChild(t, fullEnv, w.dir, dir)
	x := w.open(dir) // with free space again
	defer shut(t, x)
	settle(t, x)
	if err := sameAnswers(t, x.current.Load(), w.index().current.Load()); err != nil {
		t.Error(err)
	}
}

func indexOnFullDisk(root, dir string) error {
	const room = 100 << 10
	if err := limitFiles(room, room); err != nil {
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
	for !strings.Contains(strings.Join(x.Status().Errors, "\n"), "not saved") {
		if err := waitChange(ctx, x); err != nil {
			return fmt.Errorf("it does not say that it is not saved: %w: %+v", err, x.Status())
		}
	}
	for x.Status().Files < 112 {
		if err := waitChange(ctx, x); err != nil {
			return fmt.Errorf("it does not go on in memory: %w: %+v", err, x.Status())
		}
	}
	if err := os.WriteFile(filepath.Join(root, "onfull.go"), []byte("package full\n\nfunc WrittenOnAFullDisk() {}\n"), 0o644); err != nil {
		return err
	}
	for {
		s, release := x.Snapshot()
		n := len(s.Symbols().Definitions("WrittenOnAFullDisk", 1))
		release()
		if n == 1 {
			break
		}
		if err := waitChange(ctx, x); err != nil {
			return fmt.Errorf("a new file is not answered: %w: %+v", err, x.Status())
		}
	}
	if st := x.Status(); st.State != Failed && st.State != Indexing {
		return fmt.Errorf("state %s", st.State)
	}
	if err := x.Close(); err == nil {
		return fmt.Errorf("closing says nothing of what is lost")
	}
	return nil
}

func waitChange(ctx context.Context, x *Index) error {
	select {
	case <-x.Changed():
		return nil
	case <-time.After(20 * time.Millisecond): // the change may have come before Changed was called
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// An idle index uses no processor time and writes nothing.
func TestIdle(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(52), 60)
	w.git("init", "-q")
	dir := t.TempDir()
	x := w.open(dir, watched)
	defer shut(t, x)
	settle(t, x)
	used := func() time.Duration {
		var u syscall.Rusage
		w.must(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	const span = 300 * time.Millisecond
	best := span
	for deadline := time.Now().Add(patience); best > span/10 && time.Now().Before(deadline); { // the collector may still run
		version, before := x.Status().Version, used()
		<-time.After(span)
		best = min(best, used()-before)
		if x.Status().Version != version {
			best = span
		}
	}
	if best > span/10 {
		t.Errorf("at rest it uses %s in %s", best, span)
	}
	// The store may still compact what was written; it comes to rest.
	var before, after time.Time
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		before = newest(t, dir)
		<-time.After(span)
		if after = newest(t, dir); after.Equal(before) {
			return
		}
	}
	t.Errorf("at rest it wrote at %s", after)
}

func newest(t *testing.T, dir string) (at time.Time) {
	t.Helper()
	err := filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.ModTime().After(at) {
			at = info.ModTime()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return at
}
