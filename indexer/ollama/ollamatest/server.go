// Package ollamatest runs a real Ollama server for tests, with models of package gguf, and a
// [Proxy] in front of it that fails on demand. It is for tests only.
//
// A server belongs to one test: it starts in 50 ms, and a model's first answer takes 300 ms more.
// It listens on loopback, accesses no other machine, and leaves neither a process nor a file
// behind, even if the test's process is killed.
package ollamatest

import (
	"crypto/rand"
	_ "embed"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Server is a running Ollama server. Its methods may be called by one goroutine at a time.
type Server struct {
	URL string // such as http://127.0.0.1:40123, also after [Server.Up]

	cmd    *exec.Cmd
	orders *os.File // keep's standard input
	log    *journal
}

//go:embed keep.sh
var keep string

// wait is the time after which the test fails if a server has not started or ended. It normally
// takes a hundredth of it.
const wait = 30 * time.Second

// Start starts a server without models, which ends with the test. settings are additional
// environment variables, such as "OLLAMA_MAX_QUEUE=4". If the test fails, the server's log is added
// to the test's.
//
// The first call on a machine builds the server, which takes minutes; the test fails if the build
// does.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(os.TempDir(), "contexture-ollama-"+rand.Text())
	s := &Server{log: newJournal()}
	s.cmd = exec.Command("sh", "-c", keep, "keep", bin, dir)
	s.cmd.Env = append(environment(dir), settings...)
	s.cmd.Stdout = s.log
	s.cmd.WaitDelay = wait
	ownGroup(s.cmd)
	in, orders, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s.cmd.Stdin, s.orders = in, orders
	err = s.cmd.Start()
	in.Close()
	if err != nil {
		orders.Close()
		t.Fatalf("start the Ollama server: %v", err)
	}
	t.Cleanup(func() {
		s.stop(t)
		if t.Failed() {
			t.Logf("the Ollama server's log:\n%s", s.log)
		}
	})
	s.URL = "http://" + s.expect(t, listening)
	s.answers(t)
	return s
}

// listening matches the line in which a server states its port.
var listening = regexp.MustCompile(`Listening on (127\.0\.0\.1:\d+)`)

// environment returns the complete environment of a server. The server stores its key and models in
// dir, contacts no other machine, and listens on a free port.
func environment(dir string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + dir,
		"TMPDIR=" + dir,
		"OLLAMA_HOST=127.0.0.1:0",
		"OLLAMA_MODELS=" + filepath.Join(dir, "models"),
		"OLLAMA_NO_CLOUD=1",
		"OLLAMA_REMOTES=127.0.0.1", // the hosts whose models may be called
		"OLLAMA_CONTEXT_LENGTH=2048",
		"OLLAMA_NUM_PARALLEL=1",
		"OLLAMA_KEEP_ALIVE=10m",
		"GIN_MODE=release",              // a shorter log
		"HTTP_PROXY=http://127.0.0.1:9", // no process listens there: downloading a model fails at once
		"HTTPS_PROXY=http://127.0.0.1:9",
		"NO_PROXY=127.0.0.1", // its runners
	}
}

// Down shuts the server down in order, as a user would. No server listens at the URL then, until
// [Server.Up].
func (s *Server) Down(t testing.TB) {
	t.Helper()
	s.end(t, "down")
}

// Crash kills the server, as a machine out of memory would: requests break, and its runners stay.
// It is down then.
func (s *Server) Crash(t testing.TB) {
	t.Helper()
	s.end(t, "crash")
}

func (s *Server) end(t testing.TB, order string) {
	t.Helper()
	s.order(t, order)
	s.expect(t, regexp.MustCompile(`(?m)^(`+order+`)$`))
}

// Up restarts a server that is down, at the same URL and with the same models.
func (s *Server) Up(t testing.TB) {
	t.Helper()
	s.order(t, strings.TrimPrefix(s.URL, "http://"))
	s.expect(t, listening)
	s.answers(t)
}

func (s *Server) order(t testing.TB, line string) {
	t.Helper()
	s.log.forget()
	if _, err := s.orders.WriteString(line + "\n"); err != nil {
		t.Fatalf("order the Ollama server: %v", err)
	}
}

// expect blocks until the log since the last order contains a match, and returns its group.
func (s *Server) expect(t testing.TB, what *regexp.Regexp) string {
	t.Helper()
	late := time.NewTimer(wait)
	defer late.Stop()
	for {
		found, more := s.log.find(what)
		if found != "" {
			return found
		}
		select {
		case <-more:
		case <-late.C:
			t.Fatalf("the Ollama server does not say %q within %v", what, wait)
		}
	}
}

func (s *Server) answers(t testing.TB) {
	t.Helper()
	r, err := http.Get(s.URL + "/api/version")
	if err != nil {
		t.Fatalf("the Ollama server does not answer: %v", err)
	}
	r.Body.Close()
}

// stop ends the server and all its descendants. The log is a pipe that every process of the group
// holds, so Wait returns when the last one has ended.
func (s *Server) stop(t testing.TB) {
	s.orders.Close()
	late := time.AfterFunc(wait, func() { _ = s.cmd.Process.Kill() })
	defer late.Stop()
	if err := s.cmd.Wait(); errors.Is(err, exec.ErrWaitDelay) { // any other says that it was killed, by itself
		t.Errorf("processes of the Ollama server outlive it by %v", wait)
	}
}
