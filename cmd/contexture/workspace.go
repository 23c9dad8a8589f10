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
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/settings"
)

// workspace is a root that a subcommand asks, by a session of its own in this process.
type workspace struct {
	f     *flags
	local *server.Local
	root  string // absolute
	dir   string // the index's folder
	// indexed says that the session opens the index.
	indexed bool
	// before is how far the indexes were that were open before: what was read then was not read for
	// this command.
	before map[*indexer.Index]indexer.Status
	// memory is that of the root where the session was opened by openMemory, else nil.
	memory *memory.Workspace
	close  func() error // may be called again; gives the same
}

// open begins a session over the root of the command line. The index opens in the background.
func (f *flags) open(ctx context.Context) (*workspace, error) {
	root, err := f.workspace()
	if err != nil {
		return nil, err
	}
	return f.begin(ctx, root, withIndex)
}

// needs is what a command asks of a session.
type needs int

const (
	withIndex   needs = iota // the index; memory opens when it is asked for
	memoryAlone              // memory, and no index
	memoryFirst              // memory, and the index where there is one already
	withCode                 // memory and the index
)

// begin begins a session over a root.
func (f *flags) begin(ctx context.Context, root string, want needs) (*workspace, error) {
	opts, err := f.options()
	if err != nil {
		return nil, err
	}
	opts.Root = root
	state, err := f.state()
	if err != nil {
		return nil, err
	}
	v, log, closeAll, err := f.server()
	if err != nil {
		return nil, explain(err)
	}
	opts.Logger = log
	if free, ok := freeSpace(state); ok && free < leastSpace {
		return nil, errors.Join(fmt.Errorf("the disk of %s is full: free some space, or choose another place with --state-dir DIR", state), closeAll())
	}
	before, dir := v.Opened(root), v.IndexDir(root)
	opts.NoIndex = want == memoryAlone || want == memoryFirst && !isFolder(dir)
	local := v.Local(ctx, opts)
	w := &workspace{f: f, local: local, root: root, dir: dir, indexed: !opts.NoIndex, before: before, close: sync.OnceValue(func() error {
		return patiently(state, func() error {
			local.Close()
			return closeAll()
		})
	})}
	if want != withIndex {
		if w.memory, err = v.Memory(ctx, root); err != nil {
			return nil, errors.Join(stopped(err), w.close())
		}
	}
	return w, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// recollect begins a session that is asked about memory, lets a command ask it, and ends it. It
// writes what is wrong with the settings to standard error.
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
		f.sayProblems(w.local.Problems()) // else index does
	}
	if set := w.local.Settings(); !set.Enabled || !set.Memory.Enabled {
		key := "memory.enabled"
		if !set.Enabled {
			key = "enabled"
		}
		return fmt.Errorf("memory is switched off here: %s is false in %s", key, set.Source(key))
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

// leastSpace is the free space, in bytes, without which no index is opened: opening alone writes.
const leastSpace = 1 << 20

// closePatience is how long the index may take to write down what is left. On a full disk it never
// ends.
const closePatience = 10 * time.Second

// patiently waits for end, but not for ever: the program is about to leave, and what an index loses
// by that is read again from the workspace.
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

// index waits until the index is open, and tells on standard error what is wrong with the settings.
func (w *workspace) index(ctx context.Context) (*indexer.Index, error) {
	x, err := w.local.Index(ctx)
	if err != nil {
		return nil, explain(err)
	}
	w.f.sayProblems(w.local.Problems())
	if x == nil {
		set := w.local.Settings()
		return nil, fmt.Errorf("contexture is switched off here: enabled is false in %s", set.Source("enabled"))
	}
	return x, nil
}

// sayProblems tells what is wrong with the settings.
func (f *flags) sayProblems(problems []settings.Problem) {
	for _, p := range problems {
		fmt.Fprintln(f.env.stderr, "contexture: "+oneLine(p.String(), 0))
	}
}

// ready waits until the index is up to date, and shows the way there. A paused index is ready as it
// is.
func (w *workspace) ready(ctx context.Context, x *indexer.Index, p *progress) (indexer.Status, error) {
	set := w.local.Settings()
	if set.Index.Paused {
		fmt.Fprintf(p.w, "contexture: the index is not brought up to date: index.paused is true in %s\n", set.Source("index.paused"))
		return x.Status(), nil
	}
	if _, shared := w.before[x]; shared { // else it looks at everything as it opens
		if err := x.Look(ctx); err != nil {
			return x.Status(), explain(err)
		}
	}
	st, err := waitForIndex(ctx, x, p)
	st.Parsed -= w.before[x].Parsed
	if err == nil {
		w.meetModel(ctx, x)
	}
	return st, explain(err)
}

// upToDate waits until the index is, and returns what was read for that.
func (w *workspace) upToDate(ctx context.Context, x *indexer.Index) error {
	start := time.Now()
	st, err := w.ready(ctx, x, newProgress(w.f.env))
	if err == nil {
		sayIndexed(w.f.env.stderr, st, time.Since(start))
	}
	return err
}

// What a command waits for a model server: one that is well answers within the first; a large model
// is loaded within the second.
const (
	meetingTime = 300 * time.Millisecond
	loadingTime = 30 * time.Second
)

// meetModel gives a model server that is well the time to say so, and the index the time to go by
// its vectors where they are there. Without, each command's answer would lack them.
func (w *workspace) meetModel(ctx context.Context, x *indexer.Index) {
	ctx, cancel := context.WithTimeout(ctx, meetingTime)
	defer cancel()
	embeds, err := w.local.Embeds(ctx)
	for embeds && err == nil {
		changed := x.Changed()
		if st := x.ModelStatus(); st.Serving || st.Problem != "" {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// awaitModel waits until an embedding model that there is has embedded everything, or it is told
// why not.
func (w *workspace) awaitModel(ctx context.Context, x *indexer.Index, p *progress) error {
	patience, cancel := context.WithTimeout(ctx, loadingTime)
	defer cancel()
	embeds, err := w.local.Embeds(patience)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		fmt.Fprintf(p.w, "contexture: the model server has not answered within %s; the built-in embedder is used until it does\n", durationText(loadingTime))
		return nil
	case !embeds:
		return nil
	}
	return waitForModel(ctx, x, p)
}

// call runs a command of the contract and gives its result.
func call[R any](ctx context.Context, w *workspace, name string, args any) (*R, error) {
	result, err := w.local.Call(ctx, name, args)
	if err != nil {
		return nil, err
	}
	typed, ok := result.(*R)
	if !ok {
		return nil, fmt.Errorf("%s: unexpected result %T", name, result)
	}
	return typed, nil
}

// check decodes arguments as the command will, so that a mistake shows before anything is indexed.
// named gives the flag or argument of a field.
func check(args map[string]any, into any, named map[string]string) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("encode arguments: %w", err)
	}
	return refusal(command.Decode([]json.RawMessage{raw}, into), named)
}

// refusal turns an error that names a field into one that names what the person wrote.
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

// explain returns what to do about an error, where the error does not say so itself.
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

// isFull reports a disk without space, also where only the text is left of the error.
func isFull(err error) bool {
	text := err.Error()
	return strings.Contains(text, "no space left on device") || strings.Contains(text, "disk quota exceeded")
}

// shown returns an absolute path as it is shown: relative to the working directory where that is in
// the root, else to the root. What lies outside the root stays absolute.
func (e *environment) shown(root, path string) string {
	if !inside(root, path) {
		return path
	}
	if e.dir != "" && inside(root, e.dir) {
		root = e.dir
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return path
	}
	return rel
}

func inside(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// tilde shortens the home folder in a path.
func (f *flags) tilde(path string) string {
	home := f.env.getenv("HOME")
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != "" {
		return filepath.Join("~", rest)
	}
	return path
}

// bare is a server that touches nothing on the disk, with the root and its settings, for what needs
// only these and the rules.
func (f *flags) bare() (v *server.Server, root string, set settings.Settings, problems []settings.Problem, err error) {
	if root, err = f.workspace(); err != nil {
		return nil, "", set, nil, err
	}
	opts, err := f.options()
	if err != nil {
		return nil, "", set, nil, err
	}
	state, _ := f.state() // without one there is none to leave out
	logFile, err := f.ownLog()
	if err != nil {
		return nil, "", set, nil, err
	}
	v, err = server.New(engine.Options{Version: readVersion().Version, StateDir: state, Home: opts.Home, LogFile: logFile})
	if err != nil {
		return nil, "", set, nil, err
	}
	set, problems = v.Settings(root, opts)
	return v, root, set, problems, nil
}
