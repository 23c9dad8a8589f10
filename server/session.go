package server

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/edit"
	"github.com/contexture-dev/contexture/server/rpc"
	"github.com/contexture-dev/contexture/server/secrets"
	"github.com/contexture-dev/contexture/server/settings"
	"go.lsp.dev/protocol"
)

// phase is how far a session is.
type phase int

const (
	fresh phase = iota
	running
	ended // shutdown has been answered
)

// Session is one client. It implements rpc.Handler: its exported methods are called in the order of the messages.
type Session struct {
	server *Server
	opts   SessionOptions
	log    *slog.Logger
	conn   *rpc.Conn
	ctx    context.Context // ends with the session
	cancel context.CancelFunc
	tasks  sync.WaitGroup // everything that the session started besides requests
	poke   chan struct{}  // the status may have changed; holds one
	// outlooks is poked when something else may be asked next; holds one.
	outlooks chan struct{}

	// Set by initialize and never changed after.
	encoding edit.Encoding
	client   client

	// Of the handler's goroutine.
	phase   phase
	greeted bool // initialized has come

	lane     *lane // of the scheduler
	arrivals atomic.Int64

	order   order
	scratch scratch

	mu     sync.Mutex // guards all below
	ahead  bool       // the session compiles ahead
	docs   *documents
	roots  []*root // replaced, never changed
	layers sessionLayers
	base   settings.Settings // what holds where no root is concerned
	shown  map[string]bool   // messages that were shown
	// scanner is what base wants of secrets, unscan ends its hold on the memory of sessions without a root.
	scanner *secrets.Scanner
	unscan  func()
	// wired says that a client is connected, until the session ends; exported is what it has served meanwhile.
	wired    bool
	exported exported
	// renaming is closed when the latest renames of files are noted in memory, and all before them; nil while none came.
	renaming chan struct{}
}

func newSession(ctx context.Context, v *Server, opts SessionOptions) *Session {
	opts = v.complete(opts)
	s := &Session{
		server: v, opts: opts, log: opts.Logger, poke: make(chan struct{}, 1), outlooks: make(chan struct{}, 1), encoding: edit.UTF16,
		shown: map[string]bool{}, lane: v.scheduler.lane(),
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.layers.init = &settings.Layer{}
	s.layers.editor = &settings.Layer{}
	return s
}

// close ends everything that the session started and gives its indexes back.
func (s *Session) close() {
	s.cancel()
	s.mu.Lock()
	roots := s.roots
	s.roots = nil
	if s.unscan != nil {
		s.unscan()
	}
	s.wired = false
	s.unexportLocked()
	s.mu.Unlock()
	for _, r := range roots {
		r.leave()
	}
	s.tasks.Wait()
	if err := s.scratch.close(); err != nil {
		s.log.Warn("close index of buffers", "err", err)
	}
}

// Request implements rpc.Handler.
func (s *Session) Request(_ context.Context, method string, params json.RawMessage) rpc.Work {
	switch {
	case method == protocol.MethodInitialize:
		return s.initialize(params)
	case s.phase == fresh:
		return rpc.Refuse(command.CodeServerNotInitialized, "%s before initialize", rpc.Clip(method))
	case s.phase == ended:
		return rpc.Refuse(command.CodeInvalidRequest, "%s after shutdown", rpc.Clip(method))
	}
	switch method {
	case protocol.MethodShutdown:
		return rpc.Work{Inline: true, Run: func(context.Context) (any, error) {
			s.phase = ended
			return nil, nil
		}}
	case protocol.MethodWorkspaceExecuteCommand:
		return s.executeCommand(params)
	case protocol.MethodTextDocumentCodeLens:
		return s.codeLens(params)
	case protocol.MethodTextDocumentHover:
		return s.hover(params)
	}
	return rpc.Refuse(command.CodeMethodNotFound, "%s is not a method of this server", rpc.Clip(method))
}

// Notify implements rpc.Handler.
func (s *Session) Notify(_ context.Context, method string, params json.RawMessage) error {
	if method == protocol.MethodExit {
		s.conn.Stop()
		return nil
	}
	if s.phase != running {
		return nil // LSP: dropped before initialize, and nothing is left to do after shutdown
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch method {
	case protocol.MethodInitialized:
		s.initialized()
	case protocol.MethodTextDocumentDidOpen:
		return s.didOpen(params)
	case protocol.MethodTextDocumentDidChange:
		return s.didChange(params)
	case protocol.MethodTextDocumentDidClose:
		return s.didClose(params)
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
	return nil // what is not known here, "$/…" above all, is none of ours
}

// notify sends a notification of the library's types.
func (s *Session) notify(method string, params any) {
	raw, err := marshal(params)
	if err != nil {
		s.log.Error("notification not sent", "method", method, "err", err)
		return
	}
	s.conn.Notify(method, raw)
}

// call sends a request of the library's types and reads its answer into result, which may be nil. See [rpc.Conn.Call]
// for where it may be called from and its errors.
func (s *Session) call(method string, params, result any) error {
	raw, err := marshal(params)
	if err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	return s.conn.Call(s.ctx, method, raw, result)
}

// showLocked shows a message to the person, once in a session. mu is held.
func (s *Session) showLocked(kind protocol.MessageType, text string) {
	const most = 1000 // messages of a session; nobody reads more
	if s.shown[text] || len(s.shown) >= most {
		return
	}
	s.shown[text] = true
	s.notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: kind, Message: text})
}

// touch says that the status may have changed.
func (s *Session) touch() {
	select {
	case s.poke <- struct{}{}:
	default:
	}
}
