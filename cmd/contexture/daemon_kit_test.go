package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
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

// killDaemon kills the daemon as kill -9 does. A daemon that was killed just before is still named
// in the lock's file, and one that has just taken the lock empties the file before it writes its
// own number: both are waited for.
func killDaemon(t *testing.T, state string) {
	t.Helper()
	var err error
	if !until(func() bool {
		pid := daemonOf(state)
		if pid == 0 {
			return false
		}
		err = kill(pid)
		return !errors.Is(err, os.ErrProcessDone)
	}) {
		t.Fatal("no daemon runs")
	}
	if err != nil {
		t.Fatalf("kill the daemon: %v", err)
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

// newerBuild returns a copy of the program with a later modification time.
func newerBuild(t *testing.T) string { return laterBuild(t, time.Second) }

// laterBuild returns a copy of the program whose modification time is later by a duration.
func laterBuild(t *testing.T, by time.Duration) string {
	t.Helper()
	path, err := exec.LookPath("contexture")
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		t.Fatal(err)
	}
	to, err := os.OpenFile(filepath.Join(t.TempDir(), filepath.Base(path)), os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	later := info.ModTime().Add(by)
	if err := os.Chtimes(to.Name(), later, later); err != nil {
		t.Fatal(err)
	}
	return to.Name()
}
