package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/contexture-dev/contexture/server/settings"
)

// workspace is a root that a command queries, in a session of its own.
type workspace struct {
	*client
	env  *environment
	root string // absolute
	// about is the server's description of the root; for withIndex it is set once index was called.
	about *request.WorkspaceResult
}

// open begins a session over the root of the command line. The index opens in the background.
func (f *flags) open(ctx context.Context) (*workspace, error) {
	root, err := f.workspace()
	if err != nil {
		return nil, err
	}
	return f.begin(ctx, root, withIndex)
}

// indexed begins a session over a root that opens its index only where there is one.
func (f *flags) indexed(ctx context.Context, root string) (*workspace, error) {
	return f.about(ctx, root, memoryFirst, false)
}

// begin begins a session over a root. If the command needs memory, it is then open.
func (f *flags) begin(ctx context.Context, root string, want needs) (*workspace, error) {
	return f.about(ctx, root, want, want != withIndex)
}

// about begins a session over a root and requests its description. It opens the memory if memory is
// true.
func (f *flags) about(ctx context.Context, root string, want needs, memory bool) (*workspace, error) {
	c, err := f.connect(ctx, root, want)
	if err != nil {
		return nil, err
	}
	w := &workspace{client: c, env: f.env, root: root}
	w.about, err = asked[request.WorkspaceResult](ctx, c, request.Workspace, &request.WorkspaceParams{Memory: memory})
	if err != nil {
		return nil, errors.Join(stopped(err), w.close())
	}
	return w, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// recollect begins a session for requests about memory, calls do with it, and ends it. It writes
// problems with the settings to standard error.
func (f *flags) recollect(ctx context.Context, want needs, do func(w *workspace) error) (err error) {
	root, err := f.folder()
	if err != nil {
		return err
	}
	w, err := f.begin(ctx, root, want)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if want != withCode {
		f.env.sayProblems(w.about.Problems) // index does so in the other case
	}
	if !w.about.Enabled || !w.about.MemoryEnabled {
		key := "memory.enabled"
		if !w.about.Enabled {
			key = "enabled"
		}
		return fmt.Errorf("memory is switched off here: %s is false in %s", key, w.about.Sources[key])
	}
	return do(w)
}

// stopped replaces the error of a command that was interrupted before it changed anything.
func stopped(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("stopped")
	}
	return err
}

// leastSpace is the minimum free space, in bytes, for opening an index: opening alone writes.
const leastSpace = 1 << 20

// closePatience is how long the index may take to write what is pending. On a full disk it never
// finishes.
const closePatience = 10 * time.Second

// patiently waits for end, for a limited time: the program is about to exit, and what an index
// loses by that is read again from the workspace.
func patiently(state string, end func() error) error {
	done := make(chan error, 1)
	go func() { done <- end() }()
	timer := time.NewTimer(closePatience)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
	}
	why := "the next start reads again what is missing"
	if free, ok := freeSpace(state); ok && free < leastSpace {
		why = "the disk is full: free some space, or choose another place with --state-dir DIR"
	}
	return fmt.Errorf("the index in %s could not be written within %s; %s", state, durationText(closePatience), why)
}

// index waits until the index is open and returns its status. It writes problems with the settings
// to standard error.
func (w *workspace) index(ctx context.Context) (*request.IndexResult, error) {
	x, err := asked[request.IndexResult](ctx, w.client, request.IndexOpen, nil)
	if err != nil {
		return nil, explain(err)
	}
	w.env.sayProblems(w.about.Problems)
	if x.Off {
		return nil, fmt.Errorf("contexture is switched off here: enabled is false in %s", w.about.Sources["enabled"])
	}
	return x, nil
}

// sayProblems writes problems with the settings to standard error.
func (e *environment) sayProblems(problems []string) {
	for _, p := range problems {
		e.hint("%s", p)
	}
}

// ready waits until the index is up to date, and shows the progress. A paused index is ready as it
// is.
func (w *workspace) ready(ctx context.Context) (*request.IndexResult, error) {
	if w.about.IndexPaused {
		fmt.Fprintf(w.env.stderr, "contexture: the index is not brought up to date: index.paused is true in %s\n", w.about.Sources["index.paused"])
		x, err := asked[request.IndexResult](ctx, w.client, request.IndexState, nil)
		return x, explain(err)
	}
	var x *request.IndexResult
	err := newProgress(w.env).during(ctx, func(ctx context.Context) (err error) {
		x, err = asked[request.IndexResult](ctx, w.client, request.IndexUpdate, nil)
		return err
	}, w.look(func(x *request.IndexResult) phase { return phaseOf(x.Status) }))
	return x, explain(err)
}

// look returns a function that requests the progress of the index, as a phase.
func (w *workspace) look(phaseOf func(*request.IndexResult) phase) func(ctx context.Context) (phase, bool) {
	return func(ctx context.Context) (phase, bool) {
		x, err := asked[request.IndexResult](ctx, w.client, request.IndexState, nil)
		if err != nil {
			return phase{}, false // the caller, which waits for the index, reports the error
		}
		return phaseOf(x), true
	}
}

// upToDate waits until the index is up to date, and writes to standard error what was read for
// that.
func (w *workspace) upToDate(ctx context.Context) error {
	start := w.env.clock()
	x, err := w.ready(ctx)
	if err == nil {
		sayIndexed(w.env.stderr, x.Status, w.env.clock().Sub(start))
	}
	return err
}

// indexOrMemory opens the index and, with wait, brings it up to date. A folder that is not a
// project has no index, but memory: refused then has the reason, and the answers say it themselves.
func (w *workspace) indexOrMemory(ctx context.Context, wait bool) (refused, err error) {
	_, err = w.index(ctx)
	if errors.Is(err, source.ErrUnsafeRoot) {
		return err, nil
	}
	if err == nil && wait {
		err = w.upToDate(ctx)
	}
	return nil, err
}

// loadingTime is how long a command that embeds everything waits for a model server: enough to load
// a large model.
const loadingTime = 30 * time.Second

// awaitModel waits until an embedding model of the server has embedded everything, or cannot. It
// writes a warning if the server does not answer within loadingTime.
func (w *workspace) awaitModel(ctx context.Context) error {
	m, err := asked[request.IndexModelResult](ctx, w.client, request.IndexModel, &request.IndexModelParams{PatienceMs: loadingTime.Milliseconds()})
	switch {
	case err != nil:
		return err
	case m.Late:
		w.env.hint("the model server has not answered within %s; the built-in embedder is used until it does", durationText(loadingTime))
		return nil
	case !m.Embeds:
		return nil
	}
	return newProgress(w.env).during(ctx, func(ctx context.Context) error { return w.ask(ctx, request.IndexEmbed, nil, nil) },
		w.look(func(x *request.IndexResult) phase { return embedding(x.Model) }))
}

// check decodes arguments as the command will, so that a mistake is found before anything is
// indexed. named maps fields to flags or arguments.
func check(args map[string]any, into any, named map[string]string) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("encode arguments: %w", err)
	}
	return refusal(command.Decode([]json.RawMessage{raw}, into), named)
}

// refusal turns an error that names a field into one that names the flag or argument.
func refusal(err error, named map[string]string) error {
	var e *command.Error
	if !errors.As(err, &e) || e == nil {
		return err
	}
	if e.Code != command.CodeInvalidParams {
		return e
	}
	field, _, _ := strings.Cut(e.Field, "[")
	if name := named[field]; name != "" {
		return usage("%s: %s", name, e.Message)
	}
	return usage("%v", e)
}

// explain returns err with what to do about it, unless its text already contains that.
func explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return errors.New("stopped; what is indexed so far is kept")
	case errors.Is(err, source.ErrUnsafeRoot):
		return fmt.Errorf("%w (name a folder with --root DIR)", err)
	case strings.Contains(err.Error(), "it is a file, not a folder"):
		return fmt.Errorf("%w; give its folder with --root DIR", err)
	case strings.HasPrefix(err.Error(), "open workspace") && errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; name a folder with --root DIR", err)
	case strings.HasPrefix(err.Error(), "open workspace"):
		return err
	case isFull(err):
		return fmt.Errorf("%w; free some space, or choose another place with --state-dir DIR", err)
	case strings.Contains(err.Error(), "state directory"): // says so itself
		return err
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; choose a folder with --state-dir DIR or CONTEXTURE_STATE_DIR", err)
	}
	return err
}

// isFull reports whether the error is that of a full disk, even if only its text is left.
func isFull(err error) bool {
	text := err.Error()
	return strings.Contains(text, "no space left on device") || strings.Contains(text, "disk quota exceeded")
}

// shown returns an absolute path as it is displayed: relative to the working directory if that is
// in the root, else to the root. A path outside the root stays absolute.
func (e *environment) shown(root, path string) string {
	if !within(root, path) {
		return path
	}
	if e.dir != "" && within(root, e.dir) {
		root = e.dir
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return path
	}
	return rel
}

// tilde shortens the home folder in a path.
func (e *environment) tilde(path string) string {
	home := e.getenv("HOME")
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != "" {
		return filepath.Join("~", rest)
	}
	return path
}

// bare returns a server that does not touch the disk, with the root and its settings, for commands
// that need only these and the rules.
func (f *flags) bare() (v *server.Server, root string, set settings.Settings, problems []string, err error) {
	if root, err = f.workspace(); err != nil {
		return nil, "", set, nil, err
	}
	opts, err := f.options()
	if err != nil {
		return nil, "", set, nil, err
	}
	state, _ := f.state() // if there is none, there is nothing to exclude
	logFile, err := f.ownLog()
	if err != nil {
		return nil, "", set, nil, err
	}
	v, err = server.New(engine.Options{Version: readVersion().Version, StateDir: state, Home: opts.Home, LogFile: logFile})
	if err != nil {
		return nil, "", set, nil, err
	}
	set, found := v.Settings(root, opts)
	for _, p := range found {
		problems = append(problems, p.String())
	}
	return v, root, set, problems, nil
}
