//go:build linux || darwin

package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/servertest"
)

// TestMCPEndsWithItsHost checks that a server ends when the process that started it is killed,
// although another one, here this test, holds its input open.
func TestMCPEndsWithItsHost(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, where := range []string{"off", "auto"} {
		state := stateDir(t)
		host := exec.Command("sh", "-c", `exec 3<&0; contexture mcp --daemon="$0" --offline --root "$1" --state-dir "$2" <&3 3<&- & wait`, where, servertest.Tree(t, nil), state)
		in, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer write.Close()
		host.Stdin = in
		read, out, err := os.Pipe() // which, unlike StdoutPipe, Wait does not close
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		host.Stdout = out
		if err := host.Start(); err != nil {
			t.Fatal(err)
		}
		_, _ = in.Close(), out.Close()
		if err := read.SetReadDeadline(time.Now().Add(servertest.Patience)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(write, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		answers := bufio.NewReader(read)
		if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, `"id":1`) {
			t.Fatalf("daemon %s: the server answers %q, %v", where, line, err)
		}
		if where == "auto" && !until(func() bool { return daemonRuns(t, state) }) { // one that starts later is not ended
			t.Fatal("no daemon was started")
		}
		if err := host.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = host.Wait() // it was killed
		if rest, err := io.ReadAll(answers); err != nil {
			t.Errorf("daemon %s: the server still runs: %q, %v", where, rest, err)
		}
	}
}
