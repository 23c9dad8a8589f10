// Package session is one editor's session of the Language Server Protocol: its documents, roots,
// settings and the order of its commands. It converts what editors send and does not depend on the
// commands: a [Host] runs them.
//
// The server owns a [Session]: [Serve] runs one over a stream until it ends, [OpenLocal] starts one
// without a wire. Within a session one goroutine handles the messages in order and changes the
// session's state, which a mutex guards; a request takes a [View] of that state at its own position
// in the order and then runs concurrently with the others. Views are immutable. An [Opening] and
// what a view returns for it may be used by any number of requests.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/settings"
	"github.com/contexture-dev/contexture/server/transport"
	"github.com/contexture-dev/contexture/server/transport/parent"
	"go.lsp.dev/protocol"
)

// Name is the server's name, and the name of its section in editors' settings.
const Name = "contexture"

// phase is the phase of a session's life.
type phase int

const (
	fresh phase = iota
	running
	ended // shutdown has been answered
)

// Host does what a session cannot: it runs the commands, and has access to the rest of the process.
// Methods that return work are called in the order of the messages, the others from any goroutine.
type Host interface {
	// Execute prepares a command of the contract whose request has the given size.
	Execute(s *Session, name string, arguments []json.RawMessage, bytes int) transport.Work
	// CodeLens and Hover prepare the answers to textDocument/codeLens and textDocument/hover.
	CodeLens(s *Session, uri string, bytes int) transport.Work
	Hover(s *Session, uri string, at transport.Position, bytes int) transport.Work
	// Request prepares the answer to a method that is none of the protocol's; ok is false where
	// it is none of the host's either.
	Request(s *Session, method string, params json.RawMessage) (w transport.Work, ok bool)
	// RootsAdded is called when a session has opened another folder. It must not block.
	RootsAdded()
	// Learning starts reports on the offline learning over the memory of the session's roots.
	Learning(s *Session) LearningReporter
	// ExportMetrics serves the process's metrics at an address until release.
	ExportMetrics(address string) (release func(), err error)
}

// LearningReporter reports on offline learning to one session's client. It is for one goroutine.
type LearningReporter interface {
	// Report sends the client what is new and returns the progress of the current run, nil for
	// none. ok is false when the process closes its memory.
	Report() (going *command.LearningProgress, ok bool)
	// Close ends the reports.
	Close()
}

// Session is the session of one client. It implements transport.Handler: Request and Notify are
// called in the order of the messages, and so must be View, Ticket and Slot. Its other methods may
// be called from any goroutine.
type Session struct {
	engine  *engine.Engine
	host    Host
	Options engine.SessionOptions // immutable
	Log     *slog.Logger          // immutable
	conn    *transport.Conn
	ctx     context.Context // ends with the session
	cancel  context.CancelFunc
	tasks   sync.WaitGroup // everything that the session started except requests
	poke    chan struct{}  // the status may have changed; holds one element

	// Set by initialize, before any view is taken, and immutable afterwards.
	Encoding transport.Encoding
	client   client

	// For the handler's goroutine only.
	phase   phase
	greeted bool // initialized has come

	queue    *engine.Queue
	arrivals atomic.Int64
	since    uint64 // the version of the latest change of memory when it began

	order   order
	scratch bufferIndex

	mu     sync.Mutex // guards all below
	docs   *Documents
	roots  []*Root // replaced, never changed
	layers sessionLayers
	base   settings.Settings // applies without a root
	shown  map[string]bool   // messages that were shown
	scan   scannerLease      // base's, for the memory of sessions without a root
	// wired means that an editor is connected, until the session ends; exported is the export of
	// metrics in that time.
	wired    bool
	exported metricsExport
	// renaming is closed when the latest renames of files and all before them are recorded in
	// memory; nil before the first.
	renaming chan struct{}
}

// newSession prepares a session. Close must be called at the end.
func newSession(ctx context.Context, e *engine.Engine, h Host, opts engine.SessionOptions) *Session {
	opts = e.Complete(opts)
	s := &Session{
		engine: e, host: h, Options: opts, Log: opts.Logger, poke: make(chan struct{}, 1), Encoding: transport.UTF16,
		shown: map[string]bool{}, queue: e.Scheduler.NewQueue(), since: e.Changes.Now(),
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.layers.init = &settings.Layer{}
	s.layers.editor = &settings.Layer{}
	return s
}

// Serve runs a session over stream until it ends, and closes stream. budget bounds the large
// messages of all sessions that share it. code is the exit code for the process: 0 after an orderly
// shutdown, else 1. The error is why the session ended, unless its client ended it.
func Serve(ctx context.Context, e *engine.Engine, h Host, stream io.ReadWriteCloser, budget *transport.Budget, opts engine.SessionOptions) (code int, err error) {
	s := newSession(ctx, e, h, opts)
	s.wired = !opts.CommandLine
	s.conn = transport.NewConn(stream, s.Log, transport.Options{Budget: budget, Congested: s.queue.Hold})
	err = s.conn.Serve(s.ctx, s)
	s.Close()
	if errors.Is(err, context.Canceled) {
		err = nil // the cancelling caller knows
	}
	if s.phase == ended {
		return 0, err
	}
	return 1, err
}

// OpenLocal starts a session without a wire over opts.Root, or without a root if that is "". Close
// must be called at the end.
func OpenLocal(ctx context.Context, e *engine.Engine, h Host, opts engine.SessionOptions) *Session {
	s := newSession(ctx, e, h, opts)
	s.conn = transport.NewConn(nullStream{}, s.Log, transport.Options{}) // never served: callers request what a session would send
	s.phase = running
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refreshLocked()
	if opts.Root != "" {
		s.addRootsLocked([]uriRef{{transport.FileURI(opts.Root)}})
	}
	return s
}

// nullStream is the stream of a session without a wire.
type nullStream struct{}

func (nullStream) Read([]byte) (int, error) { return 0, fmt.Errorf("read: the session has no wire") }

func (nullStream) Write(p []byte) (int, error) { return len(p), nil }

func (nullStream) Close() error { return nil }

// PlainHover reports whether the client shows only plain text in hovers.
func (s *Session) PlainHover() bool { return s.client.plainHover }

// Ticket takes the next position in the order of commands, in the order of messages. For a change,
// the caller must call Leave.
func (s *Session) Ticket(changes bool) Ticket { return s.order.take(changes) }

// Start runs f, whose context ends with the session; the session waits for it. It reports false
// when the session has ended.
func (s *Session) Start(f func(ctx context.Context)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.tasks.Go(func() { f(s.ctx) })
	return true
}

// Send sends a notification that is not part of the protocol.
func (s *Session) Send(method string, body json.RawMessage) { s.conn.Notify(method, body) }

// Roots returns the open roots.
func (s *Session) Roots() []*Root {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.roots)
}

// Close ends everything that the session started, waits for it and releases the indexes. It must be
// called once.
func (s *Session) Close() {
	s.cancel()
	s.mu.Lock()
	roots := s.roots
	s.roots = nil
	s.scan.release()
	s.wired = false
	s.exported.end()
	s.mu.Unlock()
	for _, r := range roots {
		r.leave()
	}
	s.tasks.Wait()
	if err := s.scratch.close(); err != nil {
		s.Log.Warn("close index of buffers", "err", err)
	}
}

// Request implements transport.Handler.
func (s *Session) Request(_ context.Context, method string, params json.RawMessage) transport.Work {
	switch {
	case method == protocol.MethodInitialize:
		return s.initialize(params)
	case s.phase == fresh:
		return transport.Refuse(command.CodeServerNotInitialized, "%s before initialize", transport.Clip(method))
	case s.phase == ended:
		return transport.Refuse(command.CodeInvalidRequest, "%s after shutdown", transport.Clip(method))
	}
	switch method {
	case protocol.MethodShutdown:
		return transport.Work{Inline: true, Run: func(context.Context) (any, error) {
			s.phase = ended
			return nil, nil
		}}
	case protocol.MethodWorkspaceExecuteCommand:
		name, arguments, err := readCommand(params)
		if err != nil {
			return refuse(method, err)
		}
		return s.host.Execute(s, name, arguments, len(params))
	case protocol.MethodTextDocumentCodeLens:
		var p documentParams
		if err := decode(params, &p); err != nil {
			return refuse(method, err)
		}
		return s.host.CodeLens(s, p.TextDocument.URI, len(params))
	case protocol.MethodTextDocumentHover:
		var p hoverParams
		if err := decode(params, &p); err != nil {
			return refuse(method, err)
		}
		return s.host.Hover(s, p.TextDocument.URI, p.Position, len(params))
	}
	if work, ok := s.host.Request(s, method, params); ok {
		return work
	}
	return transport.Refuse(command.CodeMethodNotFound, "%s is not a method of this server", transport.Clip(method))
}

// Notify implements transport.Handler.
func (s *Session) Notify(_ context.Context, method string, params json.RawMessage) error {
	if method == protocol.MethodExit {
		s.conn.Stop()
		return nil
	}
	if s.phase != running {
		return nil // LSP: dropped before initialize; after shutdown nothing is left to do
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	switch method {
	case protocol.MethodInitialized:
		s.initialized()
	case protocol.MethodTextDocumentDidOpen:
		s.docs, err = s.docs.didOpen(params)
	case protocol.MethodTextDocumentDidChange:
		s.docs, err = s.docs.didChange(params, s.Encoding)
	case protocol.MethodTextDocumentDidClose:
		s.docs, err = s.docs.didClose(params)
	case protocol.MethodTextDocumentDidSave:
		return s.didSave(params)
	case protocol.MethodWorkspaceDidChangeWatchedFiles:
		return s.didChangeWatchedFiles(params)
	case protocol.MethodWorkspaceDidChangeWorkspaceFolders:
		return s.didChangeWorkspaceFolders(params)
	case protocol.MethodWorkspaceDidChangeConfiguration:
		return s.didChangeConfiguration(params)
	case protocol.MethodWorkspaceDidRenameFiles:
		return s.didRenameFiles(params)
	}
	return err // nil for unknown notifications, above all "$/…"
}

// notify sends a notification of the library's types.
func (s *Session) notify(method string, params any) {
	raw, err := marshal(params)
	if err != nil {
		s.Log.Error("notification not sent", "method", method, "err", err)
		return
	}
	s.conn.Notify(method, raw)
}

// call sends a request of the library's types and decodes its answer into result, which may be nil.
// See [transport.Conn.Call] for where it may be called from and its errors.
func (s *Session) call(method string, params, result any) error {
	raw, err := marshal(params)
	if err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	return s.conn.Call(s.ctx, method, raw, result)
}

// showLocked shows a message to the person, once in a session. The caller must hold mu.
func (s *Session) showLocked(kind protocol.MessageType, text string) {
	const most = 1000 // bounds the messages of a session; nobody reads more
	if s.shown[text] || len(s.shown) >= most {
		return
	}
	s.shown[text] = true
	s.notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: kind, Message: text})
}

// Touch records that the status may have changed: the client is notified of what is new.
func (s *Session) Touch() {
	select {
	case s.poke <- struct{}{}:
	default:
	}
}

// watchParent ends the session when the client's process no longer exists.
func (s *Session) watchParent(pid int) {
	if parent.Gone(s.ctx, pid) {
		s.Log.Info("the client's process is gone", "pid", pid)
		s.conn.Stop()
	}
}
