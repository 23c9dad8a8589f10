package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// keepWriting writes files in sequence until stop is closed.
func keepWriting(b *bench, stop <-chan struct{}, done chan<- error) {
	for n := 0; ; n++ {
		select {
		case <-stop:
			done <- nil
			return
		default:
		}
		if err := os.WriteFile(b.abs(fmt.Sprintf("f%d", n%50)), []byte("x"), 0o644); err != nil {
			done <- err
			return
		}
	}
}

func TestConstantStreamGivesBatches(t *testing.T) {
	b := newBench(t, Options{}, nil)
	stop, done := make(chan struct{}), make(chan error, 1)
	go keepWriting(b, stop, done)
	b.next()
	var waits []time.Duration
	for range 10 {
		begin := time.Now()
		b.next()
		waits = append(waits, time.Since(begin))
	}
	close(stop)
	b.do(<-done)
	slices.Sort(waits)
	t.Log("waits", waits)
	// The maximum wait is 200 ms; twice that allows for a loaded machine.
	if median := waits[len(waits)/2]; median > 2*defaultMaxWait {
		t.Errorf("a constant stream gives a batch every %v", median)
	}
}

func TestSlowReaderLosesNothing(t *testing.T) {
	b := newBench(t, Options{Debounce: time.Millisecond}, nil)
	var want []string
	for i := range 500 {
		want = append(want, fmt.Sprintf("f%03d", i))
		b.w.Inject([]string{want[i]})
	}
	batches := 0
	b.until(func() bool { batches++; return len(b.paths) == len(want) })
	// One batch that waited to be read, what came meanwhile, and what was on its way.
	if batches--; batches > 3 {
		t.Errorf("%d batches for a reader that came late", batches)
	}
	b.wants(want...)
}

func TestTooManyPathsBecomeARescan(t *testing.T) {
	b := newBench(t, Options{Budget: -1}, nil)
	paths := make([]string, maxPending+10)
	for i := range paths {
		paths[i] = fmt.Sprintf("p%d", i)
	}
	b.w.Inject(paths)
	b.until(func() bool { return b.rescan })
	if len(b.paths) > maxPending {
		t.Errorf("%d paths were kept", len(b.paths))
	}
}

// hold returns a hook for IgnoredDir that blocks the watcher when it reaches the folder "stop":
// entered is closed then, and closing release lets it continue.
func hold() (ignored func(string) bool, entered, release chan struct{}) {
	entered, release = make(chan struct{}), make(chan struct{})
	var once sync.Once
	return func(rel string) bool {
		if rel == "stop" {
			once.Do(func() { close(entered) })
			<-release
		}
		return false
	}, entered, release
}

// TestSameIdentityAgain deletes a folder and creates it again unnoticed, until it has the same
// identity as before: it then looks unchanged but has lost its watch.
func TestSameIdentityAgain(t *testing.T) {
	ignored, entered, release := hold()
	b := newBench(t, Options{IgnoredDir: ignored}, func(root string) { write(t, filepath.Join(root, "old/f"), "x") })
	id := func() fileID {
		info, err := os.Stat(b.abs("old"))
		b.do(err)
		return idOf(info)
	}
	first := id()
	b.do(os.Mkdir(b.abs("stop"), 0o755))
	<-entered
	for range 200 {
		b.do(os.RemoveAll(b.abs("old")))
		b.do(os.Mkdir(b.abs("old"), 0o755))
		if id() == first {
			break
		}
	}
	close(release)
	b.until(func() bool { return b.dirs["old"] && b.dirs["stop"] })
	b.alive("old/f")
}

// TestRescanSetsLostWatches removes a watch without the watcher's knowledge.
func TestRescanSetsLostWatches(t *testing.T) {
	b := newBench(t, Options{}, func(root string) { write(t, filepath.Join(root, "d/f"), "x") })
	b.do(b.w.system.fs.Remove(b.abs("d")))
	b.w.system.overflow <- struct{}{}
	b.until(func() bool { return b.rescan })
	b.alive("d/f")
}

// TestOverflow blocks the watcher until the system's queue has overflowed, and creates a folder
// while events are lost.
func TestOverflow(t *testing.T) {
	ignored, entered, release := hold()
	b := newBench(t, Options{IgnoredDir: ignored}, nil)
	b.do(os.Mkdir(b.abs("stop"), 0o755))
	<-entered
	data, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	b.do(err)
	limit, err := strconv.Atoi(strings.TrimSpace(string(data)))
	b.do(err)
	for range limit/2 + eventBuffer {
		b.do(os.Mkdir(b.abs("x"), 0o755))
		b.do(os.Remove(b.abs("x")))
	}
	b.write("lost/deep/f", "x")
	close(release)
	b.until(func() bool { return b.rescan })
	b.alive("lost/deep/f")
}

// TestRescanFindsFoldersAgain loses the event of one folder and requests a rescan.
func TestRescanFindsFoldersAgain(t *testing.T) {
	var blind atomic.Bool
	b := newBench(t, Options{IgnoredDir: func(string) bool { return blind.Load() }}, nil)
	blind.Store(true)
	b.write("sub/f", "x")
	b.wants("sub")
	blind.Store(false)
	b.forget()
	b.w.system.overflow <- struct{}{}
	b.until(func() bool { return b.rescan })
	b.alive("sub/f")
}

// TestLatency writes a file and waits for its batch, many times.
func TestLatency(t *testing.T) {
	b := newBench(t, Options{}, nil)
	var took []time.Duration
	for i := range 40 {
		name := fmt.Sprintf("f%d", i)
		b.forget()
		begin := time.Now()
		b.write(name, "x")
		b.wants(name)
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	t.Logf("write to batch: p50 %v, p95 %v, max %v", took[20], took[38], took[39])
	if took[20] > 300*time.Millisecond {
		t.Errorf("half of the writes take longer than %v to their batch", took[20])
	}
}
