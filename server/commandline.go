package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/contexture-dev/contexture/server/session"
	"github.com/contexture-dev/contexture/server/transport"
)

// commandLine answers the requests that a session of the program's own command line makes beyond
// the contract, see package request. It is safe for concurrent use.
type commandLine struct {
	server *Server
	// running ends when the person interrupts the command, and at the latest with the session.
	running context.Context
	stop    context.CancelFunc

	mu       sync.Mutex // guards all fields below
	export   *export    // nil if none was begun
	received []byte     // of an import
}

// newCommandLine returns the state of a session that lasts until ctx ends or close is called.
func (v *Server) newCommandLine(ctx context.Context) *commandLine {
	l := &commandLine{server: v}
	l.running, l.stop = context.WithCancel(ctx)
	return l
}

// close discards what the session has left and waits for its work to end.
func (l *commandLine) close() {
	l.stop()
	l.mu.Lock()
	e := l.export
	l.export, l.received = nil, nil
	l.mu.Unlock()
	if e != nil {
		e.close()
	}
}

// stoppable returns work whose context also ends when the command is interrupted.
func (l *commandLine) stoppable(w transport.Work) transport.Work {
	run := w.Run
	w.Run = func(ctx context.Context) (any, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(l.running, cancel)()
		return run(ctx)
	}
	return w
}

// commandRequest is a request of a command line, with the state of its session.
type commandRequest struct {
	*commandLine
	session *session.Session
	view    *session.View
}

// answer handles a request; params are its parameters.
type answer func(a commandRequest, ctx context.Context, params json.RawMessage) (any, error)

// answering returns the answer that decodes the parameters and calls f.
func answering[P, R any](f func(a commandRequest, ctx context.Context, p *P) (R, error)) answer {
	return func(a commandRequest, ctx context.Context, params json.RawMessage) (any, error) {
		p := new(P)
		if len(params) > 0 {
			if err := json.Unmarshal(params, p); err != nil {
				return nil, command.InvalidParams("", "%v", err)
			}
		}
		return f(a, ctx, p)
	}
}

// none is the parameters of a request without any, and the result of a request without one.
type none struct{}

// answers are the handlers of all requests, by method.
var answers = map[string]answer{
	request.Process:          answering(commandRequest.process),
	request.Workspace:        answering(commandRequest.workspace),
	request.KnownRoot:        answering(commandRequest.knownRoot),
	request.StateList:        answering(commandRequest.stateList),
	request.StateRemove:      answering(commandRequest.stateRemove),
	request.IndexOpen:        answering(commandRequest.indexOpen),
	request.IndexState:       answering(commandRequest.indexState),
	request.IndexUpdate:      answering(commandRequest.indexUpdate),
	request.IndexModel:       answering(commandRequest.indexModel),
	request.IndexEmbed:       answering(commandRequest.indexEmbed),
	request.IndexNames:       answering(commandRequest.indexNames),
	request.MemoryExport:     answering(commandRequest.memoryExport),
	request.MemoryExportNext: answering(commandRequest.memoryExportNext),
	request.MemoryImport:     answering(commandRequest.memoryImport),
	request.MemoryForget:     answering(commandRequest.memoryForget),
	request.MemoryStats:      answering(commandRequest.memoryStats),
	request.MemoryMoved:      answering(commandRequest.memoryMoved),
	request.MemoryAdopt:      answering(commandRequest.memoryAdopt),
	request.ChatFind:         answering(commandRequest.chatFind),
	request.ChatRead:         answering(commandRequest.chatRead),
}

// Request implements Host.
func (h host) Request(s *session.Session, method string, params json.RawMessage) (w transport.Work, ok bool) {
	l := h.line
	if l == nil {
		return w, false
	}
	if method == request.Stop {
		return transport.Work{Inline: true, Run: func(context.Context) (any, error) {
			l.stop()
			return none{}, nil
		}}, true
	}
	f := answers[method]
	if f == nil {
		return w, false
	}
	a := commandRequest{l, s, s.View()}
	return l.stoppable(transport.Work{Run: func(ctx context.Context) (any, error) {
		result, err := f(a, ctx, params)
		if err != nil {
			return nil, request.Encode(err)
		}
		return result, nil
	}}), true
}

// root returns the session's only root.
func (a commandRequest) root() (*session.RootView, error) {
	if len(a.view.Roots) != 1 {
		return nil, errors.New("the session has no root")
	}
	return &a.view.Roots[0], nil
}

// memory opens the memory of the session's root, even if the settings switch it off.
func (a commandRequest) memory(ctx context.Context) (*memory.Workspace, error) {
	r, err := a.root()
	if err != nil {
		return nil, err
	}
	return a.server.Memory(ctx, r.Path)
}

func (a commandRequest) process(_ context.Context, p *request.ProcessParams) (*request.ProcessResult, error) {
	out := &request.ProcessResult{PID: os.Getpid(), Build: a.server.Options.Build, Sessions: a.server.Sessions() - 1}
	if p.Metrics != "" {
		out.Metrics = a.server.MetricsAddress(p.Metrics)
	}
	return out, nil
}

func (a commandRequest) workspace(ctx context.Context, p *request.WorkspaceParams) (*request.WorkspaceResult, error) {
	r, err := a.root()
	if err != nil {
		return nil, err
	}
	if p.Memory {
		if _, err := a.memory(ctx); err != nil {
			return nil, err
		}
	}
	set, dir, opts := &r.Settings, a.server.IndexDir(r.Path), &a.session.Options
	// An index that another session began since this one, which did without it, is not this one's.
	without := opts.OnlyIndexed && opts.NoIndex
	out := &request.WorkspaceResult{
		IndexDir: dir, HasIndex: isFolder(dir) && !without, Indexed: !opts.NoIndex, Enabled: set.Enabled, MemoryEnabled: set.Memory.Enabled,
		IndexPaused: set.Index.Paused, Budget: set.Budget.Default, Encoding: set.Budget.Encoding, Sources: map[string]string{},
	}
	for _, key := range []string{"enabled", "memory.enabled", "index.paused"} {
		out.Sources[key] = set.Source(key)
	}
	for _, problem := range a.session.FileProblems() {
		out.Problems = append(out.Problems, problem.String())
	}
	return out, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (a commandRequest) knownRoot(_ context.Context, p *request.KnownRootParams) (none, error) {
	a.server.Known(p.Path)
	return none{}, nil
}

func (a commandRequest) stateList(context.Context, *none) (any, error) {
	return a.server.StoredIndexes()
}

func (a commandRequest) stateRemove(_ context.Context, p *request.StateRemoveParams) (none, error) {
	return none{}, a.server.RemoveIndex(p.Name)
}

// broken is a stream that cannot be read.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// indexFailure returns the reason why an index cannot continue.
func indexFailure(problems []string) error {
	if len(problems) == 0 {
		return errors.New("indexing failed; --log-level debug says more")
	}
	return fmt.Errorf("indexing failed: %s", problems[len(problems)-1])
}
