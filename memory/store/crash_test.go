//go:build unix

package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	appendEnv = "CONTEXTURE_TEST_APPEND"
	fullEnv   = "CONTEXTURE_TEST_FULL_MEMORY"
	writers   = 4
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(appendEnv) != "":
		appendForever(os.Getenv(appendEnv))
	case os.Getenv(fullEnv) != "":
		onFullDisk(os.Getenv(fullEnv))
	default:
		os.Exit(m.Run())
	}
}

// appendForever appends from several goroutines and writes to standard output what was
// acknowledged.
func appendForever(dir string) {
	s, err := Open(dir, Options{})
	if err != nil {
		fmt.Println("open:", err)
		os.Exit(1)
	}
	fmt.Println("ready")
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			k := key(fmt.Sprint("writer", w))
			old, _, err := s.Get(k)
			for i := bytes.Count(old, []byte(",")); err == nil; i++ {
				b := s.NewBatch()
				b.Append(k, fmt.Appendf(nil, "%d,", i))
				b.Set(key(fmt.Sprintf("text%d/%d", w, i)), bytes.Repeat([]byte("word "), i%500))
				if err = s.commit(b); err == nil {
					fmt.Printf("ack %d %d\n", w, i)
				}
			}
			fmt.Println("stopped:", err)
		})
	}
	wg.Wait()
}

// TestKill repeatedly kills a process that appends, and checks that everything it reported is
// stored, once and in order.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	acked := [writers]int{-1, -1, -1, -1}
	rounds := 100
	if testing.Short() {
		rounds = 20
	}
	for round := range rounds {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), appendEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		stopAfter := rng.IntN(60)
		for lines := bufio.NewScanner(out); lines.Scan(); stopAfter-- {
			var w, i int
			if n, _ := fmt.Sscanf(lines.Text(), "ack %d %d", &w, &i); n == 2 {
				acked[w] = max(acked[w], i)
			} else if lines.Text() != "ready" {
				t.Fatalf("round %d: %s", round, lines.Text())
			}
			if stopAfter == 0 {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // it was killed
		if round%10 == 9 {
			checkAcknowledged(t, dir, acked)
		}
	}
}

func checkAcknowledged(t *testing.T, dir string, acked [writers]int) {
	t.Helper()
	s := openStore(t, dir, Options{})
	defer closeStore(t, s)
	for w, last := range acked {
		v, _, err := s.Get(key(fmt.Sprint("writer", w)))
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(strings.TrimSuffix(string(v), ","), ",")
		if len(parts) <= last {
			t.Fatalf("writer %d: %d entries, %d acknowledged", w, len(parts), last+1)
		}
		for i, part := range parts {
			_, found, err := s.Get(key(fmt.Sprintf("text%d/%d", w, i)))
			if part != fmt.Sprint(i) || !found || err != nil {
				t.Fatalf("writer %d: entry %d is %q, its text %v, %v", w, i, part, found, err)
			}
		}
	}
}

// TestPowerCut clones a disk that loses, wholly or in part, what was not synced.
func TestPowerCut(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 7))
		fs := vfs.NewCrashableMem()
		s := openStore(t, "/m", Options{fs: fs})
		n := 1 + rng.IntN(40)
		for i := range n {
			b := s.NewBatch()
			b.Append(key("k"), []byte{byte(i)})
			if i%3 == 1 {
				if err := s.ApplyLater(b); err != nil {
					t.Fatal(err)
				}
				if i == n-1 {
					commit(t, s, func(*Batch) {}) // an empty batch waits for the batches before it
				}
				continue
			}
			if err := s.commit(b); err != nil {
				t.Fatal(err)
			}
			switch rng.IntN(12) {
			case 0:
				if err := s.db.Flush(); err != nil {
					t.Fatal(err)
				}
			case 1:
				if err := s.Checkpoint(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
		}
		crashed := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: int(seed%3) * 50, RNG: rng})
		closeStore(t, s)
		after := openStore(t, "/m", Options{fs: crashed})
		if v, _, err := after.Get(key("k")); len(v) != n || err != nil {
			t.Errorf("seed %d: %d of %d appends, %v", seed, len(v), n, err)
		}
		closeStore(t, after)
	}
}

// clonedWhileUsed allows no clone during a Link or a Lock: MemFS then takes its read lock twice,
// and a clone that waits between the two deadlocks both.
type clonedWhileUsed struct {
	*vfs.MemFS
	mu sync.RWMutex
}

func (fs *clonedWhileUsed) Link(from, to string) error {
	fs.mu.RLock()
	defer fs.mu.RUnlock()
	return fs.MemFS.Link(from, to)
}

func (fs *clonedWhileUsed) Lock(name string) (io.Closer, error) {
	fs.mu.RLock()
	defer fs.mu.RUnlock()
	return fs.MemFS.Lock(name)
}

func (fs *clonedWhileUsed) CrashClone(cfg vfs.CrashCloneCfg) *vfs.MemFS {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.MemFS.CrashClone(cfg)
}

// TestPowerCutAtCreation cuts the power at every point of the first Open that a clone sees, and
// checks that the store is then created or found.
func TestPowerCutAtCreation(t *testing.T) {
	fs := &clonedWhileUsed{MemFS: vfs.NewCrashableMem()}
	done := make(chan struct{})
	var clones []*vfs.MemFS
	go func() {
		defer close(done)
		s, err := Open("/m", Options{fs: fs})
		if err != nil {
			t.Error(err)
			return
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	for open := true; open; {
		select {
		case <-done:
			open = false
		default:
			if len(clones) < 200 {
				clones = append(clones, fs.CrashClone(vfs.CrashCloneCfg{}))
			} else {
				<-done
			}
		}
	}
	for i := 0; i < len(clones); i += 1 + len(clones)/100 {
		s, err := Open("/m", Options{fs: clones[i]})
		if err != nil {
			t.Fatalf("clone %d of %d: %v", i, len(clones), err)
		}
		closeStore(t, s)
	}
}

// TestFullDisk runs a process that cannot grow files above a limit, which for a store equals a full
// disk. It must keep running, reject writes, read its data, and exit in time; everything
// acknowledged is there afterwards.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fullEnv+"="+dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	guard := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	defer guard.Stop()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"commit: full", "refused: full", "workspace: full", "read: true", "snapshot: true",
		"close: full", "again: true"} {
		if !strings.Contains(out.String(), want+"\n") {
			t.Errorf("the process did not say %q; it said\n%s", want, out.String())
		}
	}
	var acked int
	if _, err := fmt.Sscanf(out.String(), "acked %d", &acked); err != nil || acked == 0 {
		t.Fatalf("acknowledged %d, %v\n%s", acked, err, out.String())
	}
	s := openStore(t, dir, Options{})
	defer closeStore(t, s)
	for i := range acked {
		if _, found, err := s.Get(key(fmt.Sprint(i))); !found || err != nil {
			t.Errorf("acknowledged %d: %v, %v", i, found, err)
		}
	}
}

func onFullDisk(dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	s, err := Open(dir, Options{})
	if err != nil {
		fmt.Println("open:", err)
		return
	}
	limit := syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		fmt.Println("setrlimit:", err)
	}
	say := func(what string, err error) {
		if DiskFull(err) {
			err = errors.New("full")
		}
		fmt.Printf("%s: %v\n", what, err)
	}
	acked, noise := 0, make([]byte, 3000)
	for ; err == nil && acked < 1000; acked++ {
		b := s.NewBatch()
		b.Set(key(fmt.Sprint(acked)), noise)
		if err = s.commit(b); err != nil {
			break
		}
	}
	fmt.Println("acked", acked)
	say("commit", err)
	b := s.NewBatch()
	b.Set(key("refused"), nil)
	_, err = s.Apply(b)
	say("refused", err)
	_, err = s.Workspace(context.Background(), "/new")
	say("workspace", err)
	_, found, err := s.Get(key("0"))
	fmt.Println("read:", found && err == nil)
	snap := s.Snapshot()
	_, found, err = snap.Get(key("0"))
	fmt.Println("snapshot:", found && err == nil && snap.Close() == nil)
	say("close", s.Close())
	again, err := Open(dir, Options{})
	fmt.Println("again:", err == nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = again.Close() // it may reach the limit again
}
