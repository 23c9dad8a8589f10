package server

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/rpc"
	"github.com/contexture-dev/contexture/server/settings"
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

	// Set by initialize and never changed after.
	encoding encoding
	client   wireCapabilities

	// Of the handler's goroutine.
	phase   phase
	greeted bool // initialized has come

	prefix  prefixes
	scratch scratch

	mu     sync.Mutex // guards all below
	docs   *documents
	roots  []*root // replaced, never changed
	layers sessionLayers
	base   settings.Settings // what holds where no root is concerned
	shown  map[string]bool   // messages that were shown
}

func newSession(ctx context.Context, v *Server, opts SessionOptions) *Session {
	s := &Session{
		server: v, opts: opts, log: v.log, poke: make(chan struct{}, 1), encoding: utf16Units,
		docs: &documents{map[string]*document{}}, shown: map[string]bool{}, prefix: newPrefixes(),
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
	case method == "initialize":
		return s.initialize(params)
	case s.phase == fresh:
		return rpc.Refuse(command.CodeServerNotInitialized, "%s before initialize", method)
	case s.phase == ended:
		return rpc.Refuse(command.CodeInvalidRequest, "%s after shutdown", method)
	}
	switch method {
	case "shutdown":
		return rpc.Work{Inline: true, Run: func(context.Context) (any, error) {
			s.phase = ended
			return nil, nil
		}}
	case "workspace/executeCommand":
		return s.executeCommand(params)
	}
	return rpc.Refuse(command.CodeMethodNotFound, "%s is not a method of this server", method)
}

// Notify implements rpc.Handler.
func (s *Session) Notify(_ context.Context, method string, params json.RawMessage) error {
	if method == "exit" {
		s.conn.Stop()
		return nil
	}
	if s.phase != running {
		return nil // LSP: dropped before initialize, and nothing is left to do after shutdown
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch method {
	case "initialized":
		s.initialized()
	case "textDocument/didOpen":
		return s.didOpen(params)
	case "textDocument/didChange":
		return s.didChange(params)
	case "textDocument/didClose":
		return s.didClose(params)
	case "textDocument/didSave":
		return s.didSave(params)
	case "workspace/didChangeWatchedFiles":
		return s.didChangeWatchedFiles(params)
	case "workspace/didChangeWorkspaceFolders":
		return s.didChangeWorkspaceFolders(params)
	case "workspace/didChangeConfiguration":
		return s.didChangeConfiguration(params)
	}
	return nil // what is not known here, "$/…" above all, is none of ours
}

// decode reads parameters.
func decode(raw json.RawMessage, into any) error {
	if len(raw) == 0 {
		return fmt.Errorf("read parameters: there are none")
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("read parameters: %w", err)
	}
	return nil
}

// showLocked shows a message to the person, once in a session. mu is held.
func (s *Session) showLocked(kind messageType, text string) {
	const most = 1000 // messages of a session; nobody reads more
	if s.shown[text] || len(s.shown) >= most {
		return
	}
	s.shown[text] = true
	s.conn.Notify("window/showMessage", map[string]any{"type": kind, "message": text})
}

// touch says that the status may have changed.
func (s *Session) touch() {
	select {
	case s.poke <- struct{}{}:
	default:
	}
}
