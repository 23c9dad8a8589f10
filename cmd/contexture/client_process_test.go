//go:build linux || darwin

package main

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/contexture-dev/contexture/server/transport/daemon"
)

// processes is a state directory with a daemon in a separate process.
type processes struct {
	t           *testing.T
	state, root string
}

func haveProcesses(t *testing.T) *processes {
	t.Setenv("HOME", t.TempDir())
	p := &processes{t: t, state: stateDir(t), root: bank(t)}
	p.startDaemon()
	return p
}

func (p *processes) startDaemon() {
	p.t.Helper()
	path, err := exec.LookPath("contexture")
	if err != nil {
		p.t.Fatal(err)
	}
	program := daemon.Program{Path: path, Args: []string{"daemon", "--state-dir", p.state}, LogFile: filepath.Join(p.state, "log", "daemon.log")}
	if err := program.Start(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// kill kills the daemon and waits until it has exited.
func (p *processes) kill() {
	p.t.Helper()
	killDaemon(p.t, p.state)
	if !until(func() bool { return !daemonRuns(p.t, p.state) }) {
		p.t.Fatal("the daemon does not die")
	}
}

// begin starts a command whose standard input stays open.
func (p *processes) begin(args ...string) (c *exec.Cmd, in io.WriteCloser, out, say *bytes.Buffer) {
	p.t.Helper()
	c = exec.Command("contexture", append(args, "--offline", "--root", p.root, "--state-dir", p.state)...)
	out, say = new(bytes.Buffer), new(bytes.Buffer)
	c.Stdout, c.Stderr = out, say
	in, err := c.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	return c, in, out, say
}

// left waits for a command and returns its exit code.
func left(t *testing.T, c *exec.Cmd) int {
	t.Helper()
	err := c.Wait()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		t.Fatal(err)
	}
	return 0
}

// TestKilledDuringCommands kills the daemon while commands read their input.
func TestKilledDuringCommands(t *testing.T) {
	p := haveProcesses(t)
	send := func(in io.WriteCloser, text string) {
		t.Helper()
		if _, err := io.WriteString(in, text); err != nil {
			t.Fatal(err)
		}
	}
	// More than a pipe holds, so that what was sent has been read.
	filler := strings.Repeat("\n", 256<<10)

	imports, in, out, say := p.begin("memory", "import")
	send(in, someMemory+filler)
	p.kill()
	if code := left(t, imports); code != 1 || out.Len() > 0 || !strings.Contains(say.String(), "either all of it was imported or nothing; importing it again is safe") {
		t.Errorf("import leaves with %d: %s%s", code, out, say)
	}
	p.startDaemon()
	bundle, in, out, say := p.begin("bundle", "-")
	send(in, "what does Balance tell? "+filler[:70<<10])
	p.kill()
	send(in, "of the Bank?")
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if code := left(t, bundle); code != 0 || !strings.Contains(out.String(), "func (b *Bank) Balance") || !strings.Contains(out.String(), "of the Bank?") {
		t.Errorf("bundle leaves with %d: %s%s", code, out, say)
	}
	stats, _, out, say := p.begin("memory", "stats")
	if code := left(t, stats); code != 0 || !strings.Contains(out.String(), "conversations") {
		t.Errorf("stats leaves with %d: %s%s", code, out, say)
	}
}

// TestSignals checks that a signal ends a command that the daemon runs as it does without one.
func TestSignals(t *testing.T) {
	p := haveProcesses(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		c, in, out, say := p.begin("memory", "import")
		if _, err := io.WriteString(in, strings.Repeat("\n", 256<<10)); err != nil { // more than a pipe holds, so that the command has begun to read
			t.Fatal(err)
		}
		if err := c.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if code := left(t, c); code != 1 || out.Len() > 0 || say.String() != "contexture: stopped; nothing was imported\n" {
			t.Errorf("%s: leaves with %d: %s%s", signal, code, out, say)
		}
	}
	pid := daemonOf(p.state)
	c, _, out, say := p.begin("doctor", "--json")
	if code := left(t, c); code != 0 || !strings.Contains(out.String(), "process "+strconv.Itoa(pid)+" serves") {
		t.Errorf("the daemon does not go on: %d, %s%s", code, out, say)
	}
}

// TestFirstAnswerIndexes checks that a workspace without an index is indexed in the daemon, and
// that the person is told.
func TestFirstAnswerIndexes(t *testing.T) {
	p := haveProcesses(t)
	c, _, out, say := p.begin("bundle", "what does Balance tell?")
	if code := left(t, c); code != 0 || !strings.Contains(out.String(), "func (b *Bank) Balance") || !strings.Contains(say.String(), "Read 6 files in ") {
		t.Errorf("leaves with %d: %s%s", code, out, say)
	}
	c, _, out, say = p.begin("bundle", "what does Balance tell?")
	if code := left(t, c); code != 0 || !strings.Contains(out.String(), "func (b *Bank) Balance") || strings.Contains(say.String(), "Read ") {
		t.Errorf("leaves with %d: %s%s", code, out, say)
	}
}
