//go:build linux

package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// BenchmarkDaemon measures the daemon and its forwarders: twenty clients while the tree changes
// (Daemon/clients, which takes loadFor), what a forwarder adds to an answer and to a start
// (Daemon/latency), the time a host waits for a hook (Daemon/hook), the cost of two hundred kills
// of the daemon under load (Daemon/kill), and the cost of one client's storm for another
// (Daemon/storm). Its limits work as in BenchmarkGoTree. CONTEXTURE_LOAD sets another time for the
// first, such as 20s.
func BenchmarkDaemon(b *testing.B) {
	r := &run{load: load()}
	steps := []struct {
		name string
		do   func(*hosted) error
	}{{"clients", (*hosted).clients}, {"latency", (*hosted).latency}, {"hook", (*hosted).hook}, {"kill", (*hosted).kill}, {"storm", (*hosted).storm}}
	for _, step := range steps {
		b.Run(step.name, func(b *testing.B) {
			if b.N != 1 {
				b.Fatal("this measures many things once: run it with -benchtime 1x")
			}
			h, err := r.host(b)
			if err != nil {
				b.Fatal(err)
			}
			if err := errors.Join(step.do(h), h.leave()); err != nil {
				r.table.print(os.Stdout)
				b.Fatal(err)
			}
		})
	}
	fmt.Println()
	missed := r.table.print(os.Stdout)
	fmt.Printf("\n%d figures, %d missed; %d cores, %s; load average %s before, %s after\n",
		len(r.table.rows), missed, runtime.NumCPU(), runtime.Version(), r.load, load())
}

// hosted is a measurement of one daemon: a repository, and the daemon's state directory.
type hosted struct {
	*run
	g     *grown
	state string
	asked int // by hooks
}

// grownFiles is the number of files of the repository.
const grownFiles = 5000

func (r *run) host(b *testing.B) (*hosted, error) {
	r.program(b)
	// Not below b.TempDir, because its path may be too long for a socket.
	state, err := os.MkdirTemp("", "ctx")
	if err != nil {
		return nil, err
	}
	b.Cleanup(func() { _ = os.RemoveAll(state) })
	g, err := grow(filepath.Join(b.TempDir(), "tree"), grownFiles)
	if err != nil {
		return nil, err
	}
	return &hosted{run: r, g: g, state: state}, nil
}

// join starts a forwarder; the first starts the daemon.
func (h *hosted) join() (*client, error) {
	return greet(exec.Command(h.bin, "serve", "--offline", "--state-dir", h.state, "--root", h.g.root), h.g.root)
}

// joined starts n forwarders and waits until the index is up to date.
func (h *hosted) joined(n int) (clients []*client, err error) {
	for range n {
		c, err := h.join()
		if err != nil {
			return clients, err
		}
		clients = append(clients, c)
	}
	_, err = clients[0].ready(100 * time.Millisecond)
	return clients, err
}

// stopAll stops clients.
func stopAll(clients []*client) (err error) {
	for _, c := range clients {
		err = errors.Join(err, c.stop())
	}
	return err
}

// process is a process's own figures; through a forwarder they are the daemon's.
type process struct {
	PID        int   `json:"pid"`
	Goroutines int   `json:"goroutines"`
	Sessions   int   `json:"sessions"`
	Requests   int64 `json:"requests"`
	Errors     int64 `json:"errors"`
}

// process returns the figures of the process that serves a client.
func (c *client) process() (process, error) {
	var m struct {
		Process process `json:"process"`
	}
	err := c.command("contexture.metrics", map[string]any{}, &m)
	return m.Process, err
}

// daemons returns the processes that are daemons of the state directory, by their command lines.
func (h *hosted) daemons() (pids []int) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is valid
	for _, name := range lines {
		text, err := os.ReadFile(name)
		args := strings.Split(string(text), "\x00")
		if err != nil || len(args) < 2 || args[1] != "daemon" || !strings.Contains(string(text), h.state) {
			continue
		}
		pid := 0
		if _, err := fmt.Sscanf(name, "/proc/%d/", &pid); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// leave stops the daemon and waits until it has exited.
func (h *hosted) leave() error {
	for _, pid := range h.daemons() {
		p, err := os.FindProcess(pid)
		if err == nil {
			err = p.Signal(os.Interrupt)
		}
		if err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("end the daemon: %w", err)
		}
	}
	err := poll(time.Millisecond, 30*time.Second, func() (bool, error) { return len(h.daemons()) == 0, nil })
	if err != nil {
		return fmt.Errorf("the daemon stays: %w", err)
	}
	return nil
}
