package server

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/contexture-dev/contexture/indexer"
	tree "github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/session"
	"github.com/contexture-dev/contexture/server/settings"
)

// Local is a session without a wire, which training and tests ask. It has one root, no open
// documents and the settings of the files. Safe for concurrent use.
type Local struct {
	server  *Server
	session *session.Session
}

// Local begins a session over opts.Root, which must be absolute; its index opens in the background.
// Without a root the session has none, and only what needs none may be asked. Close ends it.
func (v *Server) Local(ctx context.Context, opts engine.SessionOptions) *Local {
	v.sessions.Add(1)
	return &Local{v, session.OpenLocal(ctx, v.Engine, host{server: v}, v.logged(opts))}
}

// Call runs a command of the contract, "contexture.bundle", with args that marshal to its JSON
// object. The result is a pointer to the command's result type; the error is always a
// *command.Error.
func (l *Local) Call(ctx context.Context, name string, args any) (any, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, command.Failed(fmt.Errorf("call %s: %w", name, err))
	}
	c := l.server.commands(l.session, name, len(raw))
	defer c.leave()
	return c.run(ctx, name, []json.RawMessage{raw})
}

// Index waits until the root's index is open and gives it; it belongs to the session. Errors:
// ctx's, and those of indexer.Open; nil without an error says that the program is switched off for
// the root (setting enabled).
func (l *Local) Index(ctx context.Context) (*indexer.Index, error) {
	return l.root().Opening.AwaitIndex(ctx)
}

// root is a view of the only root.
func (l *Local) root() session.RootView { return l.session.View().Roots[0] }

// Close ends the session and gives its index back. No call may be running.
func (l *Local) Close() {
	l.session.Close()
	l.server.sessions.Add(-1)
}

// Why answers contexture.index.why for an absolute path by the rules alone: no index is opened, so
// none needs to be there or free. The decision gives the reason besides. Errors are those of
// source.Open.
func (v *Server) Why(root, path string, set settings.Settings) (*command.WhyResult, tree.Decision, error) {
	t, err := v.Tree(root, set)
	if err != nil {
		return nil, tree.Decision{}, err
	}
	rel, ok := t.Rel(path)
	if !ok {
		return outside(), tree.Decision{Reason: tree.OutsideRoot}, nil
	}
	d := t.Decide(rel)
	return whyResult(d), d, nil
}
