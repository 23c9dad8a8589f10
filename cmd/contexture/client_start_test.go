package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/transport/daemon"
)

// TestCommandsStartTheDaemon checks who starts the daemon, and that a command whose daemon does not
// start works without.
func TestCommandsStartTheDaemon(t *testing.T) {
	root := bank(t)
	for name, c := range map[string]struct {
		args     []string
		terminal bool
		asked    string
		starts   bool
	}{
		"at a terminal":                   {[]string{"search", "vault"}, true, "", true},
		"at a terminal, for memory alone": {[]string{"rules", "list"}, true, "", false},
		"at a terminal, off":              {[]string{"search", "vault"}, true, "off", false},
		"in a script":                     {[]string{"search", "vault"}, false, "", false},
		"in a script, on":                 {[]string{"search", "vault"}, false, "on", true},
		"to complete a name":              {[]string{"__complete", "search", "Va"}, true, "on", false},
	} {
		w := newWorld(t, root)
		w.env["CONTEXTURE_DAEMON"] = c.asked
		w.err.On = c.terminal
		started := 0
		w.starts = func(_ context.Context, target daemon.Target) (io.ReadWriteCloser, error) {
			started++
			if target.StateDir != w.state || target.Hello.Purpose != daemon.CommandLine || target.Hello.Root != root {
				t.Errorf("%s: started for %+v", name, target)
			}
			return nil, os.ErrPermission
		}
		if r := w.run("", c.args...); r.code != 0 || (started == 1) != c.starts || started > 1 {
			t.Errorf("%s: %d, %s; started %d times", name, r.code, r.err, started)
		}
	}
}

// TestStartedDaemonServes checks that the daemon which a command starts serves the next one, and is
// announced once.
func TestStartedDaemonServes(t *testing.T) {
	state, root := stateDir(t), bank(t)
	search := func() string {
		cmd := exec.CommandContext(t.Context(), "contexture", "search", "vault", "--offline", "--root", root, "--state-dir", state)
		cmd.Env = append(os.Environ(), "CONTEXTURE_DAEMON=on", "HOME="+t.TempDir())
		var say strings.Builder
		cmd.Stderr = &say
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), "sub/vault.go") {
			t.Fatalf("%v: %s, %s", err, out, say.String())
		}
		return say.String()
	}
	const announced = "the shared process runs now"
	if say := search(); !strings.Contains(say, announced) || !daemonRuns(t, state) {
		t.Errorf("first: %s", say)
	}
	if say := search(); strings.Contains(say, announced) {
		t.Errorf("second: %s", say)
	}
}

// TestNamesComplete checks that a shell completes names that the workspace defines, from the daemon
// alone.
func TestNamesComplete(t *testing.T) {
	w := newWorld(t, bank(t))
	if r := w.run("", "index"); r.code != 0 {
		t.Fatal(r.err)
	}
	ask := func(args ...string) string { return w.run("", append([]string{"__complete"}, args...)...).out }
	if got := ask("search", "Va"); strings.Contains(got, "Vault") {
		t.Errorf("without a daemon: %s", got)
	}
	w.haveDaemon()
	for _, c := range []struct{ want, typed string }{
		{"Vault\tstruct in sub/vault.go\n:0", "search Va"}, {"Bank\tstruct in bank.go\nBalance", "search who has Ba"}, {"Vault\t", "recall Vau"}, {"Vault\t", "bundle Vau"},
	} {
		got := ask(strings.Fields(c.typed)...)
		for part := range strings.SplitSeq(c.want, "\n") {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %s", c.typed, got)
			}
		}
	}
	if got := ask("search", "") + ask("search", "Zz"); strings.Contains(got, "\t") {
		t.Errorf("completes %s", got)
	}
}
