//go:build linux

package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

const (
	// commandRuns is the number of runs of each command after the first, commandLimit the limit of
	// their median, in milliseconds.
	commandRuns, commandLimit = 40, 60
)

// typed are the measured commands.
var typed = [][]string{
	{"version"},
	{"search", "read the export data of a package"},
	{"bundle", "--budget", "4000", "where is escape analysis decided?"},
	{"recall", "escape analysis"},
	{"chats", "list"},
	{"rules", "list"},
}

// BenchmarkCommands measures commands as a person runs them, while a daemon serves the state
// directory: from the start of the process to its end, on a real tree of some 4,000 files. Its
// limits work as in BenchmarkGoTree. CONTEXTURE_TREE names another tree than GOROOT/src/cmd.
func BenchmarkCommands(b *testing.B) {
	if b.N != 1 {
		b.Fatal("this measures many things once: run it with -benchtime 1x")
	}
	r := &run{load: load()}
	r.program(b)
	from := os.Getenv("CONTEXTURE_TREE")
	if from == "" {
		out, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			b.Fatal(err)
		}
		from = filepath.Join(string(bytes.TrimSpace(out)), "src", "cmd")
	}
	var err error
	if r.tree, err = copyTree(from, filepath.Join(b.TempDir(), "tree")); err != nil {
		b.Fatal(err)
	}
	state, err := os.MkdirTemp("", "ctx") // not below b.TempDir, whose path may be too long for a socket
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(state) })
	if err := r.commands(state); err != nil {
		r.table.print(os.Stdout)
		b.Fatal(err)
	}
	fmt.Println()
	missed := r.table.print(os.Stdout)
	fmt.Printf("\n%d figures, %d missed; %d cores, %s; load average %s before, %s after\n",
		len(r.table.rows), missed, runtime.NumCPU(), runtime.Version(), r.load, load())
}

// commands runs the commands without a daemon, then with one.
func (r *run) commands(state string) (err error) {
	say := exec.Command(r.bin, "--state-dir", state, "remember", "note", "escape analysis is decided in one pass")
	say.Dir = r.tree.root
	if out, err := say.CombinedOutput(); err != nil {
		return fmt.Errorf("remember: %w: %s", err, out)
	}
	if _, err := r.typed(state, []string{"index"}, 1); err != nil {
		return err
	}
	alone, err := r.typed(state, typed[1], 10)
	if err != nil {
		return err
	}
	r.table.add("search, without a daemon: p50", ms(percentile(alone, .5)), 0, "ms", "opens the index each time")
	daemon := exec.Command(r.bin, "daemon", "--offline", "--state-dir", state)
	if err := daemon.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, daemon.Process.Signal(os.Interrupt), daemon.Wait()) }()
	for deadline := time.Now().Add(10 * time.Second); ; {
		if found, _ := filepath.Glob(filepath.Join(state, "run", "*sock*")); len(found) > 0 {
			break
		}
		if time.Now().After(deadline) {
			return errors.New("the daemon does not listen")
		}
	}
	for _, args := range typed {
		if _, err := r.typed(state, args, 1); err != nil { // opens what it needs
			return err
		}
		times, err := r.typed(state, args, commandRuns)
		if err != nil {
			return err
		}
		r.table.add("contexture "+args[0]+": p50", ms(percentile(times, .5)), commandLimit, "ms", "p95 %.0f ms", ms(percentile(times, .95)))
	}
	return nil
}

// typed runs a command n times and returns the times taken.
func (r *run) typed(state string, args []string, n int) (times []time.Duration, err error) {
	for range n {
		c := exec.Command(r.bin, append([]string{"--offline", "--state-dir", state}, args...)...)
		c.Dir = r.tree.root
		var said bytes.Buffer
		c.Stderr = &said
		begin := time.Now()
		if err := c.Run(); err != nil {
			return nil, fmt.Errorf("contexture %q: %w: %s", args, err, said.String())
		}
		times = append(times, time.Since(begin))
	}
	return times, nil
}
