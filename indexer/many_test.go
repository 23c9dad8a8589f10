//go:build unix

package indexer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// Many files change at once, in every way that requires no parsing: nothing is parsed,
// nothing is missed, the total never counts a file twice, and queries are answered meanwhile.
func TestManyChanged(t *testing.T) {
	m := newMany(t, manyFiles)
	defer m.end()
	before := m.x.Status()
	for _, step := range m.steps() {
		m.step(step)
		if st := m.x.Status(); st.Parsed != before.Parsed {
			t.Errorf("%s: %d files parsed", step.name, st.Parsed-before.Parsed)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.total > m.n {
		t.Errorf("the total grew to %d for %d files", m.total, m.n)
	}
	if m.failed != nil {
		t.Errorf("a query: %v", m.failed)
	}
}

// BenchmarkManyChanged measures how long a hundred thousand files that change at once keep the
// index busy, the slowest query meanwhile, and the peak memory.
func BenchmarkManyChanged(b *testing.B) {
	for b.Loop() {
		m := newMany(b, 100_000)
		b.ReportMetric(float64(m.cold.Milliseconds()), "ms/cold")
		b.ReportMetric(float64(m.takeSlowest().Milliseconds()), "ms/query-cold")
		for _, step := range m.steps() {
			b.ReportMetric(float64(m.step(step).Milliseconds()), "ms/"+step.name)
			b.ReportMetric(float64(m.takeSlowest().Milliseconds()), "ms/query-"+step.name)
		}
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		unit := int64(1 << 10) // Linux counts KiB
		if runtime.GOOS == "darwin" {
			unit = 1
		}
		b.ReportMetric(float64(u.Maxrss*unit)/(1<<20), "MiB-peak")
		m.end()
	}
}

// many is a watched workspace of n small files that is queried all the time.
type many struct {
	testing.TB
	dir  string
	n    int
	x    *Index
	cold time.Duration
	stop context.CancelFunc
	done sync.WaitGroup

	mu      sync.Mutex // guards all below
	slowest time.Duration
	total   int   // the largest number of files in the status
	failed  error // of a query
}

const manyPatience = 4 * time.Minute

func newMany(tb testing.TB, n int) *many {
	tb.Helper()
	dir, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	m := &many{TB: tb, dir: dir, n: n}
	for i := range n {
		name := m.path("many", "f", i)
		if i%100 == 0 {
			m.must(os.MkdirAll(filepath.Dir(name), 0o755))
		}
		text := fmt.Sprintf("The %s number %d of the %s.\n", nouns[i%len(nouns)], i, verbs[i%len(verbs)])
		m.must(os.WriteFile(name, []byte(text), 0o644))
	}
	opts := options(dir, tb.TempDir())
	opts.Watch = true
	began := time.Now()
	m.x, err = Open(context.Background(), opts)
	m.must(err)
	ctx, stop := context.WithCancel(context.Background())
	m.stop = stop
	m.done.Go(func() { m.ask(ctx) })
	m.until("the cold pass", func() bool { st := m.x.Status(); return st.Files == n && st.State == Idle })
	m.cold = time.Since(began)
	return m
}

func (m *many) path(dir, name string, i int) string {
	return filepath.Join(m.dir, dir, fmt.Sprintf("d%d", i/100), fmt.Sprintf("%s%d.txt", name, i))
}

func (m *many) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

func (m *many) end() {
	m.stop()
	m.done.Wait()
	m.must(m.x.Close())
}

// ask sends queries until ctx is done.
func (m *many) ask(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		s, release := m.x.Snapshot()
		_, err := s.Words().Score(ctx, lexical.Query([]byte("the retry budget number 77")), chunkLevel, fileLevel)
		release()
		took, st := time.Since(began), m.x.Status()
		m.mu.Lock()
		m.slowest = max(m.slowest, took)
		m.total = max(m.total, st.FilesTotal)
		if ctx.Err() == nil && m.failed == nil {
			m.failed = err
		}
		m.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (m *many) takeSlowest() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.slowest
	m.slowest = 0
	return d
}

func (m *many) until(what string, ok func() bool) {
	m.Helper()
	timeout := time.After(manyPatience)
	for {
		changed := m.x.Changed()
		if ok() {
			return
		}
		select {
		case <-changed:
		case <-time.After(100 * time.Millisecond): // not every change is reported by the status
		case <-timeout:
			m.Fatalf("%s: not within %s; status %+v", what, manyPatience, m.x.Status())
		}
	}
}

// count returns for how many files of the index's data ok holds, from the goroutine that owns it.
func (m *many) count(ok func(path string, f fileState) bool) (n int) {
	done := make(chan struct{})
	m.x.w.mail.send(func(context.Context) {
		for path, f := range m.x.w.manifest.known.files {
			if ok(path, f) {
				n++
			}
		}
		close(done)
	})
	<-done
	return n
}

// change is a change of all files, and the number of them that the index then recognises as
// unchanged.
type change struct {
	name string
	do   func()
	want int
	ok   func(path string, f fileState) bool
}

func (m *many) steps() []change {
	at := time.Now().Add(time.Hour).Truncate(time.Second)
	return []change{
		{"touch", func() {
			for i := range m.n {
				m.must(os.Chtimes(m.path("many", "f", i), at, at))
			}
		}, m.n, func(_ string, f fileState) bool { return f.mtime == at.UnixNano() }},
		{"move", func() {
			m.must(os.Rename(filepath.Join(m.dir, "many"), filepath.Join(m.dir, "moved")))
		}, m.n, func(path string, _ fileState) bool { return strings.HasPrefix(path, "moved/") }},
		{"rename", func() {
			for i := range m.n {
				m.must(os.Rename(m.path("moved", "f", i), m.path("moved", "g", i)))
			}
		}, m.n, func(path string, _ fileState) bool { return filepath.Base(path)[0] == 'g' }},
		{"remove", func() {
			m.must(os.RemoveAll(filepath.Join(m.dir, "moved")))
		}, 0, func(string, fileState) bool { return true }},
	}
}

// step makes a change and returns the time until the index was up to date.
func (m *many) step(c change) time.Duration {
	m.Helper()
	c.do()
	began := time.Now()
	m.until(c.name, func() bool {
		return m.count(c.ok) == c.want && m.x.Status().Files == min(c.want, m.n) && m.count(func(string, fileState) bool { return true }) == c.want
	})
	return time.Since(began)
}
