package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/servertest"
)

// TestMCPShowsMessages holds that what the language server has to say to the person stands on standard error, once and
// in a way that commands no terminal: an assistant's host keeps it in its log.
func TestMCPShowsMessages(t *testing.T) {
	root := servertest.Tree(t, map[string]string{".contexture.toml": "secrets.allow = ['.*']\n\"\\u001b[31m\" = 1\n"})
	cmd := exec.Command("contexture", "mcp", "--daemon=off", "--offline", "--root", root, "--state-dir", t.TempDir())
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(servertest.Patience, func() { _ = cmd.Process.Kill() }).Stop()
	var got []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if got = append(got, lines.Text()); len(got) == 2 {
			_ = in.Close() // now it may leave
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if len(got) != 2 || !strings.Contains(got[0], `: \u001b[31m is not a setting`) ||
		!strings.HasPrefix(got[1], "contexture: "+root+"/.contexture.toml:1: secrets.allow may not be set by a repository's file") {
		t.Errorf("on standard error: %q", got)
	}
}
