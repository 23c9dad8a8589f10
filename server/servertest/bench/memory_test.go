//go:build linux

package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// BenchmarkMemory measures conversation memory and prints its table: what an append costs beside the disk's own
// fsync, recall and windows over very much memory, and bundles of a conversation about a copy of Go's source tree.
// It judges as BenchmarkGoTree does.
func BenchmarkMemory(b *testing.B) {
	if b.N != 1 {
		b.Fatal("this measures many things once: run it with -benchtime 1x")
	}
	r, err := prepare(b)
	if err != nil {
		b.Fatal(err)
	}
	// Both are workspaces without a file: what is measured is memory alone.
	appends := &talks{run: r, root: b.TempDir(), state: b.TempDir()}
	much := &talks{run: r, root: b.TempDir(), state: b.TempDir()}
	for _, step := range []struct {
		name string
		do   func() error
	}{{"appends", appends.appends}, {"much memory", much.much}, {"bundles with memory", r.continued}} {
		begin := time.Now()
		if err := step.do(); err != nil {
			r.table.print(os.Stdout)
			b.Fatalf("%s: %v", step.name, err)
		}
		fmt.Printf("%s: measured in %.0f s\n", step.name, time.Since(begin).Seconds())
	}
	fmt.Println()
	missed := r.table.print(os.Stdout)
	fmt.Printf("\n%d figures, %d missed; %d cores, %s; load average %s before, %s after\n",
		len(r.table.rows), missed, runtime.NumCPU(), runtime.Version(), r.load, load())
	b.ReportMetric(float64(missed), "missed")
}

// talks is one measurement of conversations in a workspace of their own.
type talks struct {
	*run
	root, state string
}

// with starts a server on the workspace for as long as do takes.
func (t *talks) with(do func(c *client) error) error {
	c, err := start(t.bin, t.root, t.state)
	if err != nil {
		return err
	}
	return errors.Join(do(c), c.stop())
}

// appended is the answer to an append.
type appended struct {
	TurnIDs      []string `json:"turnIds"`
	MessageCount int      `json:"messageCount"`
}

// append adds messages and returns when they are on disk.
func (c *client) append(conversation string, messages []message) (a appended, err error) {
	err = c.command("contexture.conversation.append", map[string]any{"conversationId": conversation, "messages": messages}, &a)
	return a, err
}

// calm waits until a server has had nothing to do for half a second.
func (c *client) calm() error {
	last, since := time.Duration(-1), time.Now()
	return poll(100*time.Millisecond, patience, func() (bool, error) {
		now, err := processor(c.cmd.Process.Pid)
		if now != last {
			last, since = now, time.Now()
		}
		return time.Since(since) > 500*time.Millisecond, err
	})
}

// fsyncs times small writes to a file in a folder, each followed by fsync, at the end of the file.
func fsyncs(dir string, n, bytes int) (times []time.Duration, err error) {
	f, err := os.Create(filepath.Join(dir, "floor"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	block := make([]byte, bytes)
	for i := range block {
		block[i] = byte(i * 31)
	}
	for range n {
		begin := time.Now()
		if _, err := f.Write(block); err != nil {
			return nil, err
		}
		if err := f.Sync(); err != nil {
			return nil, err
		}
		times = append(times, time.Since(begin))
	}
	return times, nil
}

// sum adds up times.
func sum(times []time.Duration) (total time.Duration) {
	for _, d := range times {
		total += d
	}
	return total
}
