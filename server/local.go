package server

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/contexture-dev/contexture/indexer"
	tree "github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/rpc"
	"github.com/contexture-dev/contexture/server/settings"
)

// Local is a session without a wire: what the program's own subcommands ask. It has one root, no open documents and
// the settings of the files. Safe for concurrent use.
type Local struct{ session *Session }

// Local begins a session over opts.Root, which must be absolute; its index opens in the background. Without a root the
// session has none, and only what needs none may be asked. Close ends it.
func (v *Server) Local(ctx context.Context, opts SessionOptions) *Local {
	v.sessions.Add(1)
	s := newSession(ctx, v, opts)
	s.conn = rpc.NewConn(nowhere{}, s.log, rpc.Options{}) // is never served: what a session says unasked, callers ask for
	s.phase = running
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refreshLocked()
	if opts.Root != "" {
		s.addRootsLocked([]located{{fileURI(opts.Root)}})
	}
	return &Local{s}
}

// Call runs a command of the contract, "contexture.bundle", with args that marshal to its JSON object. The result is
// a pointer to the command's result type; the error is always a *command.Error.
func (l *Local) Call(ctx context.Context, name string, args any) (any, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, command.Failed(fmt.Errorf("call %s: %w", name, err))
	}
	c := l.session.commands(name, len(raw))
	defer c.leave()
	return c.run(ctx, name, []json.RawMessage{raw})
}

// Index waits until the root's index is open and gives it; it belongs to the session. Errors: ctx's, and those of
// indexer.Open; nil without an error says that the program is switched off for the root (setting enabled).
func (l *Local) Index(ctx context.Context) (*indexer.Index, error) {
	o := l.root().opening
	if o == nil {
		return nil, nil
	}
	select {
	case <-o.ready:
		return o.index, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Embeds waits until the model server has been looked at and reports whether the root's index goes by an embedding model
// of it, or will. The error is ctx's.
func (l *Local) Embeds(ctx context.Context) (bool, error) {
	o := l.root().opening
	if o == nil {
		return false, nil
	}
	select {
	case <-o.linked:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	s := o.models()
	if s == nil {
		return false, nil
	}
	select {
	case <-s.looked:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.embed != nil, nil
}

// Settings are those that hold for the root.
func (l *Local) Settings() settings.Settings { return l.root().settings }

// Problems are what is wrong in the settings' files.
func (l *Local) Problems() []settings.Problem {
	s := l.session
	s.mu.Lock()
	defer s.mu.Unlock()
	_, problems := settings.Resolve(s.layers.user.layer, s.roots[0].file.layer)
	return problems
}

// root is a view of the only root.
func (l *Local) root() rootView { return l.session.view().roots[0] }

// Close ends the session and gives its index back. No call may be running.
func (l *Local) Close() {
	l.session.close()
	l.session.server.sessions.Add(-1)
}

// Settings reads the settings that hold for a root, and what is wrong in their files, without a session.
func (v *Server) Settings(root string, opts SessionOptions) (settings.Settings, []settings.Problem) {
	var user settings.Layer
	if path, named := (&Session{server: v, opts: v.complete(opts)}).userFile(); path != "" {
		user = settings.ReadUser(path, named)
	}
	return settings.Resolve(user, settings.ReadWorkspace(root))
}

// Tree opens the files and rules of a root as an index of it would see them. Errors are those of source.Open.
func (v *Server) Tree(root string, set settings.Settings) (*tree.Tree, error) {
	o := indexOptionsOf(&set, v.opts.Home, ownPaths(root, v.opts.StateDir, v.opts.LogFile))
	return tree.Open(tree.Options{
		Root: root, Include: o.include, Exclude: o.exclude, Own: o.own, MaxFileBytes: o.maxFileBytes, FollowLinks: o.followLinks, Home: o.home,
	})
}

// Why answers contexture.index.why for an absolute path by the rules alone: no index is opened, so none needs to be
// there or free. The decision gives the reason besides. Errors are those of source.Open.
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

// IndexDir is the folder that the index of a root is kept in.
func (v *Server) IndexDir(root string) string { return filepath.Join(v.pool.dir, folderName(root)) }

// nowhere is the stream of a session without a wire.
type nowhere struct{}

func (nowhere) Read([]byte) (int, error)    { return 0, fmt.Errorf("read: the session has no wire") }
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) Close() error                { return nil }

// Known tells the server of a root that is not opened: hosts may keep their logs there.
func (v *Server) Known(root string) { v.roots.of(root) }
