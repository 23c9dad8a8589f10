// Package servertest is an editor for tests: it speaks the Language Server Protocol with a server
// in the same process or at the other end of any stream, answers what the server asks, and
// remembers what it was told. Tests say what they expect of that memory ([Editor.Await]) instead of
// sleeping.
package servertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/transport"
)

// Patience is how long a test waits for what must come.
const Patience = time.Minute

// Options are a session's. The zero value has no root and an editor that can nothing.
type Options struct {
	Roots        []string // paths
	Capabilities map[string]any
	InitOptions  any
	ProcessID    int // 0 gives none
	// Configuration answers workspace/configuration.
	Configuration func() any
	// RefuseProgress answers window/workDoneProgress/create with an error.
	RefuseProgress bool
	// Server is the process's part; nil makes one of StateDir and ConfigDir, which are fresh when
	// empty.
	Server              *server.Server
	StateDir, ConfigDir string
	Home                string // "" = a fresh one
	ModelHost           string // the model server; "" = none is asked
	Session             engine.SessionOptions
	// Log gets the server's log.
	Log io.Writer
}

// NewServer makes the process's part, which ends with the test.
func NewServer(t testing.TB, o Options) *server.Server {
	t.Helper()
	if o.StateDir == "" {
		o.StateDir = t.TempDir()
	}
	if o.ConfigDir == "" {
		o.ConfigDir = t.TempDir()
	}
	if o.Home == "" {
		o.Home = t.TempDir()
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	v, err := server.New(engine.Options{
		Version: "test", StateDir: o.StateDir, ConfigDir: o.ConfigDir, Home: o.Home,
		Logger: slog.New(slog.NewTextHandler(o.Log, nil)), Models: o.ModelHost != "", ModelHost: o.ModelHost,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

// Start runs a session in this process and initializes it.
func Start(t testing.TB, o Options) *Editor {
	t.Helper()
	e := Launch(t, o)
	e.Initialize(o)
	return e
}

// Launch runs a session in this process.
func Launch(t testing.TB, o Options) *Editor {
	t.Helper()
	v := o.Server
	if v == nil {
		v = NewServer(t, o)
	}
	near, far := net.Pipe()
	e := Connect(t, far, o)
	e.local = true
	go func() {
		code, err := v.Serve(t.Context(), near, o.Session)
		e.exit <- Exit{code, err}
	}()
	return e
}

// Exit is how a session ended.
type Exit struct {
	Code int
	Err  error
}

// Editor is the client of one session. Safe for concurrent use.
type Editor struct {
	t      testing.TB
	opts   Options
	stream io.ReadWriteCloser
	out    *transport.FrameWriter
	exit   chan Exit
	local  bool // the session runs in this process and tells its end by exit

	mu      sync.Mutex // guards all below
	changed chan struct{}
	next    int
	pending map[int]chan message
	state   State
	over    bool // the stream has ended
}

// Connect is an editor at the end of a stream. It closes the stream at the end of the test.
func Connect(t testing.TB, stream io.ReadWriteCloser, o Options) *Editor {
	e := &Editor{
		t: t, opts: o, stream: stream, out: transport.NewFrameWriter(stream), exit: make(chan Exit, 1), changed: make(chan struct{}),
		pending: map[int]chan message{},
	}
	done := make(chan struct{})
	go func() { defer close(done); e.read() }()
	t.Cleanup(func() {
		_ = stream.Close()
		<-done
		if e.local {
			e.Exited()
		}
	})
	return e
}

// Exited waits for the end of a session in this process.
func (e *Editor) Exited() Exit {
	e.t.Helper()
	select {
	case x := <-e.exit:
		e.exit <- x
		return x
	case <-time.After(Patience):
		e.t.Error("the session does not end")
		return Exit{}
	}
}

// message is anything that comes from the server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// Error is an error's answer.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    struct {
		Code   string `json:"code"`
		Field  string `json:"field"`
		Needed int    `json:"needed"`
	} `json:"data"`
}

func (e *Error) Error() string {
	return fmt.Sprintf("%d %s (code %q, field %q)", e.Code, e.Message, e.Data.Code, e.Data.Field)
}

// errGone is the answer to a request of a session that has ended.
var errGone = errors.New("the session has ended")

// Write puts bytes on the wire as they are.
func (e *Editor) Write(raw string) {
	e.t.Helper()
	if _, err := io.WriteString(e.stream, raw); err != nil {
		e.t.Fatal(err)
	}
}

func (e *Editor) send(v any) {
	e.t.Helper()
	body, err := json.Marshal(v)
	if err == nil {
		err = e.out.Write(body)
	}
	if err != nil {
		e.t.Logf("send: %v", err) // the answer that does not come tells
	}
}

// Notify sends a notification.
func (e *Editor) Notify(method string, params any) {
	e.t.Helper()
	e.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// Pending is a request that runs.
type Pending struct {
	ID int
	e  *Editor
	ch chan message
}

// Begin sends a request.
func (e *Editor) Begin(method string, params any) *Pending {
	e.t.Helper()
	e.mu.Lock()
	e.next++
	p := &Pending{ID: e.next, e: e, ch: make(chan message, 2)} // a second answer is a fault that Wait must see
	if e.over {
		close(p.ch) // nobody answers any more
	} else {
		e.pending[p.ID] = p.ch
	}
	e.mu.Unlock()
	m := map[string]any{"jsonrpc": "2.0", "id": p.ID, "method": method}
	if params != nil {
		m["params"] = params
	}
	e.send(m)
	return p
}

// Wait waits for the answer and reads it into out, which may be nil.
func (p *Pending) Wait(out any) error {
	p.e.t.Helper()
	select {
	case m, ok := <-p.ch:
		switch {
		case !ok:
			return errGone
		case m.Error != nil:
			return m.Error
		case out == nil:
			return nil
		}
		return json.Unmarshal(m.Result, out)
	case <-time.After(Patience):
		p.e.t.Fatalf("request %d is not answered", p.ID)
		return nil
	}
}

// Cancel cancels the request.
func (p *Pending) Cancel() {
	p.e.t.Helper()
	p.e.Notify("$/cancelRequest", map[string]any{"id": p.ID})
}

// Request sends a request and waits for its answer.
func (e *Editor) Request(method string, params, out any) error {
	e.t.Helper()
	return e.Begin(method, params).Wait(out)
}

// BeginCommand sends workspace/executeCommand.
func (e *Editor) BeginCommand(name string, args any) *Pending {
	e.t.Helper()
	return e.Begin("workspace/executeCommand", map[string]any{"command": name, "arguments": []any{args}})
}

// Execute runs a command and reads its result into out, which may be nil. The error is an *Error.
func (e *Editor) Execute(name string, args, out any) error {
	e.t.Helper()
	return e.BeginCommand(name, args).Wait(out)
}

// MustExecute runs a command that must succeed.
func (e *Editor) MustExecute(name string, args, out any) {
	e.t.Helper()
	if err := e.Execute(name, args, out); err != nil {
		e.t.Fatalf("%s: %v", name, err)
	}
}

// Tree writes files below a new folder and gives its path, with links resolved.
func Tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		WriteFile(t, filepath.Join(root, name), text)
	}
	return root
}

// WriteFile writes a file and the folders above it.
func WriteFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Hang ends the stream from this side.
func (e *Editor) Hang() {
	e.t.Helper()
	if err := e.stream.Close(); err != nil {
		e.t.Fatal(err)
	}
}
