//go:build unix

package ollamatest

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest/gguf"
)

// folder is where the server stores all of its files.
func (s *Server) folder() string { return s.cmd.Args[len(s.cmd.Args)-1] }

// gone returns what is left of a server, or "".
func gone(url, folder string) string {
	if r, err := http.Get(url + "/api/version"); err == nil {
		r.Body.Close()
		return url + " answers"
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		return folder + " is there"
	}
	return ""
}

// load has the server run a model, which starts a separate process.
func load(t *testing.T, s *Server) {
	t.Helper()
	s.Embedder(t, "m", gguf.Embedder{Dims: 8})
	s.do(t, http.MethodPost, "/api/embed", encode(t, map[string]string{"model": "m", "input": "text"}))
}

// TestStop ends a test with a server that runs, with one that is down, and with one that left its
// runner behind. The cleanup of the server waits until no process is left, and fails the test
// otherwise.
func TestStop(t *testing.T) {
	for state, bring := range states {
		var url, folder string
		t.Run(state, func(t *testing.T) {
			s := Start(t)
			load(t, s)
			if url, folder = s.URL, s.folder(); gone(url, folder) == "" {
				t.Fatal("a running server is gone")
			}
			bring(s, t)
		})
		if left := gone(url, folder); left != "" {
			t.Errorf("%s: after the test %s", state, left)
		}
	}
}

// states are the states of a server when its test ends, with the steps that lead to each.
var states = map[string]func(*Server, testing.TB){
	"up":      func(*Server, testing.TB) {},
	"down":    (*Server).Down,
	"crashed": (*Server).Crash,
}

// TestUp checks that a server that was down answers as before, at the same address.
func TestUp(t *testing.T) {
	s := Start(t)
	load(t, s)
	for _, end := range []func(*Server, testing.TB){(*Server).Down, (*Server).Crash, (*Server).Down} {
		end(s, t)
		if r, err := http.Get(s.URL + "/api/version"); err == nil {
			r.Body.Close()
			t.Error("a server that is down answers")
		}
		s.Up(t)
		s.do(t, http.MethodPost, "/api/embed", encode(t, map[string]string{"model": "m", "input": "text"}))
	}
	s.Remove(t, "m")
	r, err := http.Post(s.URL+"/api/embed", "application/json", strings.NewReader(`{"model":"m","input":"text"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusNotFound {
		t.Errorf("a removed model embeds with %s", r.Status)
	}
}

// lives tells a process of this test to run a server until it is killed, in one of the states.
const lives = "OLLAMATEST_LIVES"

// TestKilled kills a test's process while its server is in each state. The write end of a pipe is
// inherited by that process, the server and the model's runner: the pipe ends when the last of them
// has exited.
func TestKilled(t *testing.T) {
	if state := os.Getenv(lives); state != "" {
		s := Start(t)
		load(t, s)
		states[state](s, t)
		_, _ = os.Stdout.WriteString("\n" + s.URL + " " + s.folder() + "\n")
		<-t.Context().Done()
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for state := range states {
		t.Run(state, func(t *testing.T) {
			cmd := exec.Command(self, "-test.run=^TestKilled$", "-test.timeout=1m")
			cmd.Env = append(os.Environ(), lives+"="+state)
			killed(t, cmd)
		})
	}
}

// killed starts the command, kills it when it has announced its server, and returns what is left.
func killed(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd.ExtraFiles = []*os.File{write}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	write.Close()
	if err != nil {
		t.Fatal(err)
	}
	url, folder := announced(t, out)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if err := read.SetReadDeadline(time.Now().Add(wait)); err != nil {
		t.Fatal(err)
	}
	if _, err := read.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("processes are left: %v", err)
	}
	if left := gone(url, folder); left != "" {
		t.Errorf("after the kill %s", left)
	}
}

// announced reads the address of another process's server.
func announced(t *testing.T, out io.Reader) (url, folder string) {
	t.Helper()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var found bool
		if url, folder, found = strings.Cut(lines.Text(), " "); found && strings.HasPrefix(url, "http://") {
			return url, folder
		}
	}
	t.Fatal("the other process starts no server")
	return "", ""
}
