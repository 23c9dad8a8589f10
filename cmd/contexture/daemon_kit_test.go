package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/servertest"
)

// stateDir returns a new state directory whose daemon, if any, ends with the test.
func stateDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() { endDaemon(t, dir) })
	return dir
}

// serveShared runs a session through the daemon of a state directory.
func serveShared(t *testing.T, state string, args ...string) *program {
	t.Helper()
	return serveSharedBy(t, "contexture", state, args...)
}

// serveSharedBy is serveShared with another build.
func serveSharedBy(t *testing.T, path, state string, args ...string) *program {
	t.Helper()
	p := startProgram(t, path, append([]string{"serve", "--offline", "--state-dir", state}, args...)...)
	p.state = state
	return p
}

// daemonOf returns the process that is, or was, the daemon of a state directory; 0 for none.
func daemonOf(state string) int {
	text, err := os.ReadFile(filepath.Join(state, "run", "daemon.lock"))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

// daemonRuns reports whether a daemon holds its lock.
func daemonRuns(t *testing.T, state string) bool {
	t.Helper()
	file, err := os.Open(filepath.Join(state, "run", "daemon.lock"))
	if err != nil {
		return false
	}
	defer file.Close()
	return held(file)
}

// endDaemon ends the daemon of a state directory and waits until it has gone.
func endDaemon(t *testing.T, state string) {
	t.Helper()
	if !daemonRuns(t, state) {
		return
	}
	terminate(daemonOf(state))
	if !until(func() bool { return !daemonRuns(t, state) }) {
		_ = kill(daemonOf(state))
		t.Error("the daemon does not end")
	}
}

// until polls a condition of other processes that no event reports; it returns false when the time
// is over.
func until(holds func() bool) bool {
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.NewTimer(servertest.Patience)
	defer deadline.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-deadline.C:
			return false
		}
	}
	return true
}

// killDaemon kills the daemon as kill -9 does.
func killDaemon(t *testing.T, state string) {
	t.Helper()
	pid := daemonOf(state)
	if err := kill(pid); err != nil {
		t.Fatalf("kill the daemon %d: %v", pid, err)
	}
}

// kill ends a process without asking it.
func kill(pid int) error {
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return process.Kill()
}

// logged counts the lines of a log of the state directory that hold a text.
func logged(t *testing.T, state, name, text string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(state, "log", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(data), text)
}
