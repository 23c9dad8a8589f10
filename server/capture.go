package server

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/server/capture"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/settings"
)

// logCapture is the process's part of capture: it follows the logs and stores them in memory.
type logCapture struct {
	server   *Server
	follower *capture.Follower

	mu        sync.Mutex            // guards all below
	opts      engine.SessionOptions // of the person whose logs are followed
	cancel    context.CancelFunc    // ends Run; nil while logs are not followed
	ended     chan struct{}         // closed when Run has ended
	importing int                   // imports in progress
}

func newLogCapture(v *Server) *logCapture {
	c := &logCapture{server: v}
	c.follower = capture.New(capture.Options{
		StateDir: v.Options.StateDir, Store: c, Log: v.Log, Now: v.Now,
		Yield: func(ctx context.Context) { v.Scheduler.Yield(ctx, importPatience) },
		Environment: capture.Environment{
			Home: cmp.Or(v.Options.Home, homeFolder()), Getenv: v.Options.Getenv, Roots: c.roots,
		},
	})
	return c
}

// importPatience bounds how long each line of a log waits for running requests, so that a log is
// read eventually even under constant load.
const importPatience = 20 * time.Millisecond

func homeFolder() string {
	dir, _ := os.UserHomeDir() // without one there are no logs
	return dir
}

// Capture follows the logs of the sources that the person switched on, until Close. opts are those
// of that person: their settings file and configuration folder. Calling it again does nothing.
func (v *Server) Capture(ctx context.Context, opts engine.SessionOptions) {
	c := v.capture
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil {
		return
	}
	c.opts = v.Complete(opts)
	ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx)) // it ends with the server
	c.ended = make(chan struct{})
	go func() {
		defer close(c.ended)
		c.follower.Run(ctx)
	}()
}

// roots lists the folders that people work in: those that sessions opened, and those in memory.
func (c *logCapture) roots() []string {
	out := c.server.Roots.All()
	m := c.server.MemoryHolder.Opened()
	if m == nil {
		return out
	}
	known, err := m.Roots()
	if err != nil {
		c.server.Log.Warn("capture", "err", err)
	}
	for _, root := range known {
		if root != "" && !slices.Contains(out, root) {
			out = append(out, root)
		}
	}
	return out
}

// close stops following the logs and waits for the end.
func (c *logCapture) close() {
	c.mu.Lock()
	cancel, ended := c.cancel, c.ended
	c.mu.Unlock()
	if cancel != nil {
		cancel()
		<-ended
	}
}

func (c *logCapture) following() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cancel != nil
}

// threadsForImport is how many more threads may run Go code while logs are imported.
const threadsForImport = 2

// makeRoom lets requests run beside an import until end is called.
//
// As many threads run Go code as there are processors, and a thread that works for an import or for
// the store's compaction yields after 10 ms at the earliest. With spare threads the operating
// system schedules them, and it prefers requests: the import's thread has a lower priority.
func (c *logCapture) makeRoom() (end func()) {
	change := func(by int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.importing += by; c.importing == 0 || c.importing == 1 && by > 0 {
			runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + by*threadsForImport)
		}
	}
	change(1)
	return sync.OnceFunc(func() { change(-1) })
}

// options returns those of the person; before Capture those of the server.
func (c *logCapture) options() engine.SessionOptions {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server.Complete(c.opts)
}

// Store implements capture.Store: it appends the messages to the memory of the session's workspace,
// in the same way as a client's.
func (c *logCapture) Store(ctx context.Context, a capture.Addition) (capture.StoreResult, error) {
	root := workspaceOf(a.Cwd)
	set, _ := c.server.Settings(root, c.options())
	if !set.Enabled || !set.Memory.Enabled {
		return capture.StoreResult{Left: capture.LeftOff}, nil
	}
	w, err := c.workspace(ctx, root, set)
	if err != nil {
		return capture.StoreResult{}, err
	}
	gone, err := w.Forgotten(a.Conversation, messageIDs(a.Messages))
	if err != nil {
		return capture.StoreResult{}, err
	}
	if gone.Conversation {
		return capture.StoreResult{Left: capture.LeftForgotten}, nil
	}
	if a.ForkOf != "" && a.Turn != nil {
		a.Turn() // by then the messages that it shares with the other conversation are stored
	}
	shared, err := c.fork(w, &a)
	if err != nil {
		return capture.StoreResult{}, err
	}
	stored, err := bring(w, a, gone, set.Memory.Learn)
	stored.Shared = shared
	return stored, err
}

// bring appends the messages that memory does not have. It prepares them before it waits for its
// turn, so that another log is prepared meanwhile.
func bring(w *memory.Workspace, a capture.Addition, gone memory.Deletion, learn bool) (capture.StoreResult, error) {
	prepare := func() (p *memory.Appending, added int, err error) {
		list, err := missing(w, a, gone)
		if err != nil || len(list) == 0 && a.Title == "" {
			return nil, 0, err
		}
		p, err = w.Prepare(memory.Addition{Conversation: a.Conversation, Title: titleOf(a.Title), Messages: list, Learn: learn})
		return p, len(list), err
	}
	p, added, err := prepare()
	if err != nil {
		return capture.StoreResult{}, err
	}
	if a.Turn != nil && p != nil {
		a.Turn()
		// Another log of the same session may have added some of them.
		list, err := missing(w, a, gone)
		if err != nil || len(list) != added {
			p.Drop()
			p, added, err = prepare()
		}
		if err != nil {
			return capture.StoreResult{}, err
		}
	}
	if p == nil {
		return capture.StoreResult{}, nil
	}
	p.Place()
	p.Stage()
	return capture.StoreResult{Added: added, Wait: func() error {
		_, err := p.Wait()
		return err
	}}, nil
}

// missing returns the messages that memory does not have and may store, without duplicates. It
// saves preparing the others, for example when a log is imported again.
func missing(w *memory.Workspace, a capture.Addition, gone memory.Deletion) ([]dialogue.Message, error) {
	v := w.View()
	has, err := v.Conversations.Has(a.Conversation, messageIDs(a.Messages))
	v.Close()
	if err != nil {
		return nil, err
	}
	list := make([]dialogue.Message, 0, len(a.Messages))
	for _, m := range a.Messages {
		if has[m.ID] || gone.Messages[m.ID] {
			continue
		}
		if m.ID != "" {
			if has == nil {
				has = map[string]bool{}
			}
			has[m.ID] = true
		}
		m = capture.Clip(m)
		if m.Role == dialogue.Assistant {
			m.Author = "" // the name of a model: an assistant message with an author is taken for a person's
		}
		list = append(list, m)
	}
	return list, nil
}

// workspace opens the memory of a root, "" for none.
func (c *logCapture) workspace(ctx context.Context, root string, set settings.Settings) (*memory.Workspace, error) {
	m, err := c.server.MemoryHolder.Get(ctx)
	if err != nil {
		return nil, err
	}
	if root == "" {
		return m.Workspace(ctx, "")
	}
	home := c.server.Roots.Home(root)
	c.server.Scanners.StandIn(home, c.server.Scanners.Of(set.Secrets.Allow))
	return m.Workspace(ctx, home, c.server.Roots.Of(root), root)
}

// fork makes the conversation of a session that continues another one share its past, if memory has
// that. It takes out of the addition the messages at its beginning that the other conversation has,
// and returns the id of the last of them: they were said once. While all of a new conversation's
// messages are such, it is not created.
func (c *logCapture) fork(w *memory.Workspace, a *capture.Addition) (shared string, err error) {
	if a.ForkOf == "" || a.ForkOf == a.Conversation {
		return "", nil
	}
	v := w.View()
	has, err := v.Conversations.Has(a.ForkOf, messageIDs(a.Messages))
	rest := a.Messages
	for len(rest) > 0 && has[rest[0].ID] {
		shared, rest = rest[0].ID, rest[1:]
	}
	turn, isShared, unread := v.Conversations.TurnWith(a.ForkOf, cmp.Or(shared, a.ForkAt))
	_, isNew := v.Conversations.Find(a.Conversation)
	v.Close()
	if err := errors.Join(err, unread); err != nil || !isShared {
		return "", err
	}
	if !errors.Is(isNew, conversation.ErrNotFound) {
		return shared, isNew // it has them
	}
	if a.Messages = rest; len(rest) == 0 {
		a.Title = ""
		return shared, nil
	}
	_, err = w.Fork(a.ForkOf, turn, a.Conversation)
	if errors.Is(err, conversation.ErrExists) || errors.Is(err, conversation.ErrNotFound) {
		return shared, nil
	}
	return shared, err
}

func messageIDs(list []dialogue.Message) []string {
	out := make([]string, len(list))
	for i, m := range list {
		out[i] = m.ID
	}
	return out
}

// maxTitleRunes is the contract's limit of a title.
const maxTitleRunes = 1000

func titleOf(title string) string {
	if list := []rune(title); len(list) > maxTitleRunes {
		return string(list[:maxTitleRunes])
	}
	return title
}

// workspaceOf returns the root of a working directory: the nearest parent with .git or settings,
// else the directory itself, even if it no longer exists. It is "" for a path that is not absolute.
func workspaceOf(cwd string) string {
	if !filepath.IsAbs(cwd) {
		return ""
	}
	cwd = filepath.Clean(cwd)
	for dir := cwd; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		for _, marker := range []string{".git", settings.WorkspaceFile} {
			if _, err := os.Lstat(filepath.Join(dir, marker)); err == nil {
				return dir
			}
		}
	}
	return cwd
}

// CaptureStatus implements command.Commands.
func (c captureCommands) CaptureStatus(context.Context, *command.Empty) (*command.CaptureStatusResult, error) {
	list, err := c.server.capture.follower.Status()
	out := &command.CaptureStatusResult{}
	for _, st := range list {
		s := command.CaptureSource{
			Source: st.Source, On: st.On, Watching: cmp.Or(st.Watching, "off"), Places: st.Places, Logs: st.Logs, Sessions: st.Sessions,
			Messages: st.Messages, Skipped: st.Skipped, Left: st.Left, Unread: unreadOf(st.Unread), Errors: st.Errors,
		}
		if !st.ReadAt.IsZero() {
			s.LastReadAt = new(command.At(st.ReadAt))
		}
		for _, kind := range slices.Sorted(maps.Keys(st.Unknown)) {
			u := st.Unknown[kind]
			s.Unknown = append(s.Unknown, command.CaptureUnknown{Kind: kind, Count: u.Count, File: u.File, Line: u.Line})
		}
		out.Sources = append(out.Sources, s)
	}
	if len(list) == 0 {
		return nil, err
	}
	if err != nil {
		c.Session.Log.Warn("capture", "err", err)
	}
	return out, nil
}

func unreadOf(list []capture.Unread) (out []command.CaptureUnread) {
	for _, u := range list {
		out = append(out, command.CaptureUnread{What: u.What, Count: u.Count, Bytes: u.Bytes, Example: u.Example})
	}
	return out
}

// CaptureSet implements command.Commands.
func (c captureCommands) CaptureSet(ctx context.Context, args *command.CaptureSetArgs) (*command.CaptureStatusResult, error) {
	if err := c.server.capture.follower.Set(args.Source, args.On); err != nil {
		return nil, sourceError(err, "source")
	}
	return c.CaptureStatus(ctx, nil)
}

// CapturePoke implements command.Commands.
func (c captureCommands) CapturePoke(_ context.Context, args *command.CapturePokeArgs) (*command.CapturePokeResult, error) {
	all := c.server.capture
	on, err := all.follower.Poke(args.Source, args.Path)
	if err != nil {
		return nil, sourceError(err, "source")
	}
	return &command.CapturePokeResult{On: on, Following: all.following()}, nil
}

// CaptureImport implements command.Commands.
func (c captureCommands) CaptureImport(ctx context.Context, args *command.CaptureImportArgs) (*command.CaptureImportResult, error) {
	var since time.Time
	if args.Since != nil {
		since = args.Since.Time
	}
	if m, err := c.server.MemoryHolder.Get(ctx); err == nil { // otherwise each log reports the error
		defer m.Bulk()()
	}
	defer c.server.capture.makeRoom()()
	list, err := c.server.capture.follower.Import(ctx, args.Sources, since)
	if err != nil {
		return nil, sourceError(err, "sources")
	}
	out := &command.CaptureImportResult{}
	for _, i := range list {
		out.Sources = append(out.Sources, command.CaptureImported{
			Source: i.Source, Logs: i.Logs, Bytes: i.Bytes, Messages: i.Messages, Unread: unreadOf(i.Unread), Errors: i.Errors,
		})
	}
	return out, nil
}

// sourceError returns the contract's error for an unknown source or log.
func sourceError(err error, field string) error {
	if unknown, ok := errors.AsType[*capture.SourceError](err); ok {
		return command.InvalidParams(field, "%v", unknown)
	}
	if elsewhere, ok := errors.AsType[*capture.PlaceError](err); ok {
		return command.InvalidParams("path", "%v", elsewhere)
	}
	return engine.MemoryError(err)
}
