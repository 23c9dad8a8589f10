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

// BenchmarkMemory measures conversation memory and prints its table: the cost of an append compared
// with the disk's own fsync (Memory/appends), recall and windows in a very large memory
// (Memory/much), bundles of a conversation about a copy of Go's source tree (Memory/continued), how
// far the offline learning slows requests (Memory/learning), and a year of daily work
// (Memory/year). Its limits work as in BenchmarkGoTree.
func BenchmarkMemory(b *testing.B) {
	r := &run{load: load()}
	steps := []struct {
		name string
		do   func(b *testing.B) error
	}{
		{"appends", func(b *testing.B) error { return r.talks(b).appends() }},
		{"much", func(b *testing.B) error { return r.talks(b).much() }},
		{"continued", r.continued},
		{"learning", func(b *testing.B) error { return r.talks(b).learning() }},
		{"year", func(b *testing.B) error { return r.talks(b).year() }},
	}
	for _, step := range steps {
		b.Run(step.name, func(b *testing.B) {
			if b.N != 1 {
				b.Fatal("this measures many things once: run it with -benchtime 1x")
			}
			if err := step.do(b); err != nil {
				b.Fatal(err)
			}
		})
	}
	fmt.Println()
	missed := r.table.print(os.Stdout)
	fmt.Printf("\n%d figures, %d missed; %d cores, %s; load average %s before, %s after\n",
		len(r.table.rows), missed, runtime.NumCPU(), runtime.Version(), r.load, load())
}

// talks is a measurement of conversations in a separate workspace.
type talks struct {
	*run
	root, state string
}

// talks makes a workspace without files, so that only memory is measured.
func (r *run) talks(b *testing.B) *talks {
	r.program(b)
	return &talks{run: r, root: b.TempDir(), state: b.TempDir()}
}

// with runs do with a server on the workspace.
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

// append appends messages and returns when they are on disk.
func (c *client) append(conversation string, messages []message) (a appended, err error) {
	err = c.command("contexture.conversation.append", map[string]any{"conversationId": conversation, "messages": messages}, &a)
	return a, err
}

// calm waits until a server has been idle for half a second.
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

// used starts measuring the server's processor time, which is more reliable than elapsed time on a
// busy machine.
func (c *client) used() (since func() (time.Duration, error), err error) {
	before, err := processor(c.cmd.Process.Pid)
	return func() (time.Duration, error) {
		now, err := processor(c.cmd.Process.Pid)
		return now - before, err
	}, err
}

// fsyncs times small appends to a file in a folder, each followed by fsync.
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

// sum adds durations.
func sum(times []time.Duration) (total time.Duration) {
	for _, d := range times {
		total += d
	}
	return total
}
