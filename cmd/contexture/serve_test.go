package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// program is `contexture serve` in a separate process.
type program struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr bytes.Buffer
	state  string
	once   sync.Once
	err    error // exit code of the process
}

// eachWay runs a test with sessions in the program's own process and with sessions in a daemon's.
func eachWay(t *testing.T, test func(t *testing.T, serve func(t *testing.T, args ...string) *program)) {
	t.Run("in the process", func(t *testing.T) { test(t, serveAlone) })
	t.Run("by the daemon", func(t *testing.T) {
		test(t, func(t *testing.T, args ...string) *program { return serveShared(t, stateDir(t), args...) })
	})
}

// serveAlone runs a session in the program's own process.
func serveAlone(t *testing.T, args ...string) *program {
	t.Helper()
	state := t.TempDir()
	p := startProgram(t, "contexture", append([]string{"serve", "--daemon=off", "--offline", "--state-dir", state}, args...)...)
	p.state = state
	return p
}

// startProgram starts the program that TestMain put on the path, or another.
func startProgram(t *testing.T, path string, args ...string) *program {
	t.Helper()
	p := &program{t: t}
	p.cmd = exec.Command(path, args...)
	p.cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	p.cmd.Stderr = &p.stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		p.wait()
		if text := p.stderr.String(); t.Failed() && text != "" {
			t.Logf("%s wrote: %s", p.cmd, text)
		}
	})
	return p
}

func (p *program) Read(b []byte) (int, error)  { return p.out.Read(b) }
func (p *program) Write(b []byte) (int, error) { return p.in.Write(b) }
func (p *program) Close() error                { return p.in.Close() }

// wait waits for the process, whose output must have been read to its end.
func (p *program) wait() error {
	p.once.Do(func() { p.err = p.cmd.Wait() })
	return p.err
}

// left waits for the end of the process and returns its exit code.
func (p *program) left() int {
	p.t.Helper()
	timer := time.AfterFunc(servertest.Patience, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	err := p.wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return 0
}

const secretWord = "wordOfTheSource"

func smallTree(t *testing.T) string {
	return servertest.Tree(t, map[string]string{"a.go": "package p\n\n// " + secretWord + " does it.\nfunc " + secretWord + "() {}\n"})
}

func TestServeOverStdio(t *testing.T) { eachWay(t, testServeOverStdio) }

func testServeOverStdio(t *testing.T, serve func(t *testing.T, args ...string) *program) {
	root := smallTree(t)
	p := serve(t, "--root", root, "--log-level", "debug")
	e := servertest.Connect(t, p, servertest.Options{})
	got := e.Initialize(servertest.Options{Roots: []string{root}})
	if got.ServerInfo.Name != "contexture" || got.ServerInfo.Version != readVersion().Version {
		t.Errorf("it is %+v", got.ServerInfo)
	}
	e.AwaitIdle()
	hits := e.Search(map[string]any{"query": secretWord})
	if len(hits) == 0 || hits[0].URI != servertest.URI(filepath.Join(root, "a.go")) {
		t.Fatalf("found %+v", hits)
	}
	var b command.BundleResult
	e.MustExecute("contexture.bundle", map[string]any{"prompt": "what does " + secretWord + " do?"}, &b)
	if !strings.Contains(b.Text, "func "+secretWord) {
		t.Errorf("the bundle is %q", b.Text)
	}
	if err := e.Request("shutdown", nil, nil); err != nil {
		t.Fatal(err)
	}
	e.Notify("exit", nil)
	if code := p.left(); code != 0 {
		t.Errorf("left with %d", code)
	}
	if p.stderr.Len() > 0 {
		t.Errorf("on standard error: %s", &p.stderr)
	}
	log, err := os.ReadFile(filepath.Join(p.state, "log", "contexture.log"))
	if err != nil || len(log) == 0 {
		t.Fatalf("the log has %d bytes: %v", len(log), err)
	}
	if bytes.Contains(log, []byte(secretWord)) {
		t.Errorf("the log holds text of a file or a prompt:\n%s", log)
	}
}

// TestServeOpensTheFlagsRoot checks that a client that names no folder gets that of the command
// line.
func TestServeOpensTheFlagsRoot(t *testing.T) {
	eachWay(t, func(t *testing.T, serve func(t *testing.T, args ...string) *program) {
		p := serve(t, "--root", smallTree(t))
		e := servertest.Connect(t, p, servertest.Options{})
		e.Initialize(servertest.Options{})
		e.AwaitIdle()
		if len(e.Search(map[string]any{"query": secretWord})) == 0 {
			t.Error("nothing is found")
		}
	})
}

// ending is a way in which a session ends.
type ending struct {
	name   string
	do     func(p *program, e *servertest.Editor)
	code   int
	stderr string // "" = nothing
}

func TestServeEnds(t *testing.T) {
	for _, tt := range append([]ending{
		{"exit without shutdown", func(_ *program, e *servertest.Editor) { e.Notify("exit", nil) }, 1, ""},
		{"standard input ends", func(_ *program, e *servertest.Editor) { e.Hang() }, 1, ""},
		{"standard input ends inside a message", func(_ *program, e *servertest.Editor) {
			e.Write("Content-Length: 50\r\n\r\n{")
			e.Hang()
		}, 1, "unexpected EOF"},
		{"no LSP", func(_ *program, e *servertest.Editor) { e.Write("{\"jsonrpc\"") }, 1, "not a header"},
		{"a length that no number holds", func(_ *program, e *servertest.Editor) {
			e.Write("Content-Length: 99999999999999999999999\r\n\r\n")
		}, 1, "not the length of one message"},
	}, signals...) {
		t.Run(tt.name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, serve func(t *testing.T, args ...string) *program) {
				p := serve(t)
				e := servertest.Connect(t, p, servertest.Options{})
				e.Initialize(servertest.Options{Roots: []string{smallTree(t)}})
				e.AwaitIdle()
				tt.do(p, e)
				if code := p.left(); code != tt.code {
					t.Errorf("left with %d, want %d", code, tt.code)
				}
				if got := p.stderr.String(); (tt.stderr == "") != (got == "") || !strings.Contains(got, tt.stderr) {
					t.Errorf("on standard error: %q", got)
				}
			})
		})
	}
}

// TestServeWritesUTF8 checks that everything on standard output is valid UTF-8, whatever was on
// standard input.
func TestServeWritesUTF8(t *testing.T) {
	eachWay(t, func(t *testing.T, serve func(t *testing.T, args ...string) *program) {
		p := serve(t)
		for _, body := range []string{
			`{"jsonrpc":"2.0","id":0,"method":"before` + "\xff" + `"}`,
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"capabilities":{},"clientInfo":{"name":"` + "\xff" + `"}}}`,
			`{"jsonrpc":"2.0","id":2,"method":"foo` + "\xff" + `"}`,
			`{"jsonrpc":"2.0","id":"` + "\xc3" + `","method":"foo"}`,
			`{"jsonrpc":"2.0","id":3,"method":"workspace/executeCommand","params":{"command":"` + "\xff" + `","arguments":[{"` + "\xfe" + `":"` + "\xff" + `"}]}}`,
			`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":{"` + "\xff" + `":1}}}`,
			`{"jsonrpc":"2.0","id":4,"method":"shutdown"}`,
			`{"jsonrpc":"2.0","id":5,"method":"after` + "\xff" + `"}`,
			`{"jsonrpc":"2.0","method":"exit"}`,
		} {
			if _, err := fmt.Fprintf(p, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
				t.Fatal(err)
			}
		}
		out, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(out) {
			t.Errorf("on standard output: %q", out)
		}
		for _, want := range []string{"before\uFFFD", "foo\uFFFD is not a method", "after\uFFFD after shutdown", `"id":"` + "\uFFFD" + `"`} {
			if !strings.Contains(string(out), want) {
				t.Errorf("%q is not on standard output: %q", want, out)
			}
		}
		if code := p.left(); code != 0 {
			t.Errorf("left with %d: %s", code, &p.stderr)
		}
	})
}

func TestServeUsage(t *testing.T) {
	for _, args := range [][]string{{"--daemon=perhaps"}, {"extra"}, {"--log-level", "loud"}, {"--no-such-flag"}} {
		p := serveAlone(t, args...)
		if _, err := io.Copy(io.Discard, p.out); err != nil {
			t.Fatal(err)
		}
		if code := p.left(); code != 2 || p.stderr.Len() == 0 {
			t.Errorf("%q leaves with %d and %q", args, code, &p.stderr)
		}
	}
}
