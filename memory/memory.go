// Package memory is the precious half of what Contexture knows: conversations at four levels of
// detail, what was decided in them, standing rules, tasks, boards, saved texts and how injected
// items were used. One store holds it for a user, keyed by workspace.
//
// A [Memory] is the open store, a [Workspace] the part of one root. Changes go through a Workspace:
// each is one atomic batch that is on disk when the call returns. Readers take a [View], one
// consistent state of the workspace, for as long as one answer takes.
//
// The package knows nothing of indexes, tokens or wires: what it needs of them comes in through
// [Options].
package memory

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/recall"
	"github.com/contexture-dev/contexture/memory/store"
)

// Options are what a memory needs of the rest of the program.
type Options struct {
	// Dir is the folder of the store; it is created when it is not there.
	Dir string
	Log *slog.Logger     // nil = none
	Now func() time.Time // nil = time.Now
	// Terms calls yield for each term of a text, as the searches do. What it yields for a text
	// changes only with a new format of the store, see formats. Terms that begin with # stand for
	// data, see recall.Terms.
	Terms func(text string, yield func(term string))
	// Count gives the tokens of a text in the encoding that sizes are kept in.
	Count func(string) int
	// Familiar says how common a word, in small letters, is in the language that it is of: from 0
	// for one that it does not know to 1. nil = it knows none.
	Familiar func(word string) float64
	// Encoding is that encoding's name.
	Encoding string
	// Block writes an element of a bundle: a turn's tag and its escaped body.
	Block func(tag, body string) string
	// Relative gives the path below a root of a document's URI.
	Relative func(root, uri string) (path string, ok bool)
	// Random makes keys that cannot be guessed; nil = the system's.
	Random io.Reader
	// Writer gives the chat model that may be asked about the workspace of a root, nil while there
	// is none: it makes better texts than the rules do. It is called often and does not block.
	// Where it gave nil and may give one by now, ChatCame must be called. nil = never one.
	Writer func(root string) Writer
	// Redact gives a text without what must not be stored, for the workspace of a root. Redacting
	// what it gave changes nothing. It is asked about every text that comes in, from many
	// goroutines, before anything is made of the text. nil = texts are stored as they come.
	Redact func(root, text string) string

	// Changed is told the root of a workspace each time that its conversations or its knowledge
	// have changed, for every reader to see. It is called from many goroutines, some of which hold
	// locks of the memory: it must not block, and not use the memory. nil = nobody is told.
	Changed func(root string)

	formats []store.Migration // nil = those of this program

	after func(time.Duration) <-chan time.Time // nil = time.After
	tend  func(time.Duration) <-chan time.Time // nil = time.After; when the store is looked after again
}

// Memory is the open store. Safe for concurrent use.
type Memory struct {
	opts   Options
	log    *slog.Logger
	now    func() time.Time
	store  *store.Store
	talks  *talks
	recall *recall.Index
	worker *worker // makes versions of turns
	reader *worker // reads the bundles that were shown
	scribe *scribe
	pace   pace               // of appends
	shows  pace               // of bundles
	cancel context.CancelFunc // ends tasks and what is asked of models
	life   context.Context    // ended by cancel
	tasks  sync.WaitGroup
	joins  sync.WaitGroup // of workspaces, see joinLocked

	roots sync.Map // of the workspaces that are open, by their numbers

	mu         sync.Mutex // guards all below
	workspaces map[string]*Workspace
	joined     map[string]string // other paths of roots, each with the root that it was joined with
}

// Open opens the memory in a folder. Errors are those of store.Open: *store.LockedError,
// *store.NewerError and
// *store.CorruptError say what the person can do.
//
// What an earlier process was asked to forget and could not wipe off the files is wiped first, in
// the background; a checkpoint is made where one is due, half a minute later and every hour. Both
// end with Close, whatever becomes of ctx.
func Open(ctx context.Context, opts Options) (*Memory, error) {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Random == nil {
		opts.Random = rand.Reader
	}
	index, err := recall.New(opts.Terms, opts.Random)
	if err != nil {
		return nil, fmt.Errorf("open memory: %w", err)
	}
	if opts.formats == nil {
		opts.formats = formats(index, opts.Log)
	}
	m := &Memory{
		opts: opts, log: opts.Log, now: opts.Now, talks: newTalks(), recall: index,
		workspaces: map[string]*Workspace{}, joined: map[string]string{},
		pace:  pace{calm: 10 * time.Millisecond, patience: time.Second},
		shows: pace{calm: 300 * time.Millisecond, patience: 3 * time.Second},
	}
	settings := store.Options{Log: opts.Log, Now: opts.Now, Migrations: opts.formats}
	if opts.Changed != nil {
		settings.Changed = m.changed
		settings.Notable = func(key []byte) bool { return conversation.IsListed(key) || knowledge.IsVersion(key) }
	}
	if m.store, err = store.Open(opts.Dir, settings); err != nil {
		return nil, err
	}
	m.worker = startWorker(func(w *Workspace, stopped <-chan struct{}) {
		if m.pace.rest(stopped) {
			m.makeVersions(w, stopped)
		}
	})
	m.reader = startWorker(func(w *Workspace, stopped <-chan struct{}) {
		if m.shows.rest(stopped) {
			m.readShown(w)
		}
	})
	if opts.after == nil {
		opts.after = time.After
	}
	if opts.tend == nil {
		opts.tend = time.After
	}
	upkeep, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the store outlives the request that opened it
	m.cancel, m.life = cancel, upkeep
	m.tasks.Go(func() { m.upkeep(upkeep, opts.tend) })
	m.scribe = &scribe{step: m.write, after: opts.after}
	startScribe(upkeep, m.scribe)
	return m, nil
}

// tendEvery is how often it is looked whether the store needs anything, for the first time after
// tendFirst: a checkpoint reads all there is, and whoever starts a process asks it something. The
// time is that of the process: where the clock jumps, this goes on.
const (
	tendFirst = 30 * time.Second
	tendEvery = time.Hour
)

// upkeep does what the store's owner has to, until ctx ends. Then it makes the first checkpoint of
// a memory that has none.
func (m *Memory) upkeep(ctx context.Context, after func(time.Duration) <-chan time.Time) {
	do := func(what func(context.Context) error) {
		if err := what(ctx); err != nil && ctx.Err() == nil {
			m.log.Error("memory not tended", "err", err)
		}
	}
	do(m.wipe)
	for wait := tendFirst; ctx.Err() == nil; wait = tendEvery {
		select {
		case <-ctx.Done():
		case <-after(wait):
			do(m.wipe)
			do(m.checkpoint)
		}
	}
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	if err := m.store.FirstCheckpoint(leaving); err != nil {
		m.log.Error("no checkpoint of memory made", "err", err)
	}
}

// closing bounds what Close does beyond closing.
const closing = 2 * time.Second

// wipe ends an erasure that was cut short.
func (m *Memory) wipe(ctx context.Context) error {
	due, err := m.store.EraseDue()
	if err != nil || !due {
		return err
	}
	return m.store.Erase(ctx)
}

func (m *Memory) checkpoint(ctx context.Context) error {
	_, err := m.store.CheckpointIfDue(ctx)
	return err
}

// Close ends the background work, waits for what cannot be ended, makes the first checkpoint of a
// memory that has none, and closes the store. No view may be open.
func (m *Memory) Close() error {
	joining, stop := context.WithTimeout(m.life, closing)
	_ = m.Joined(joining) // what is not done begins again with the next process
	stop()
	m.cancel()
	m.tasks.Wait()
	m.joins.Wait()
	m.scribe.stop()
	m.worker.stop()
	m.reader.stop()
	m.mu.Lock()
	list := slices.Collect(maps.Values(m.workspaces))
	m.mu.Unlock()
	for _, w := range list {
		m.readShown(w)
	}
	return m.store.Close()
}

// Workspace is the memory of one root. Safe for concurrent use.
type Workspace struct {
	memory *Memory
	number store.Workspace
	root   string

	// mu is held while a change is staged and made visible, never while the disk is waited for. It
	// comes before shownMu.
	mu    sync.Mutex
	queue appendQueue // comes after mu

	unmade atomic.Bool // there may be turns without versions

	processing chan struct{} // holds an element while an offline run goes on

	removals atomic.Uint64 // raised with each removal of what was said, while mu is held
	writing  writing

	wishesMu sync.Mutex // guards wishes; comes after mu
	wishes   []wish
	// unlabelled says that there may be candidates that no model has seen.
	unlabelled atomic.Bool
	// unnamed is how many topics a model may still be shown since the last offline run.
	unnamed atomic.Int32

	shownMu sync.Mutex // guards shown
	shown   []shownBundle
}

// Workspace returns the memory of a root, an absolute path without links; "" is that of sessions
// without a root. What was kept under former, other paths of the same root, becomes a part of it:
// at once where nothing was kept under the root itself, else in the background.
func (m *Memory) Workspace(ctx context.Context, root string, former ...string) (*Workspace, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range former {
		if name == root || name == "" || root == "" || m.joined[name] == root {
			continue
		}
		if err := m.joinLocked(ctx, name, root); err != nil {
			return nil, fmt.Errorf("open memory of %q: %w", root, err)
		}
		m.joined[name] = root
	}
	return m.workspaceLocked(ctx, root)
}

func (m *Memory) workspaceLocked(ctx context.Context, root string) (*Workspace, error) {
	if w := m.workspaces[root]; w != nil {
		return w, nil
	}
	n, err := m.store.Workspace(ctx, root)
	if err != nil {
		return nil, fmt.Errorf("open memory of %q: %w", root, err)
	}
	w := &Workspace{memory: m, number: n, root: root, processing: make(chan struct{}, 1)}
	w.unmade.Store(true)
	w.unlabelled.Store(true)
	w.unnamed.Store(mostNamed)
	m.workspaces[root] = w
	m.roots.Store(n, root)
	m.worker.poke(w) // what an earlier process left
	m.scribe.poke(w)
	return w, nil
}

// changed tells of changes in workspaces. Nobody looks at those that were not opened.
func (m *Memory) changed(list []store.Workspace) {
	for _, n := range list {
		if root, ok := m.roots.Load(n); ok {
			m.opts.Changed(root.(string))
		}
	}
}

// Root is the one that the memory is of, "" for that of sessions without one.
func (w *Workspace) Root() string { return w.root }

// relative returns the path in the workspace of a document.
func (w *Workspace) relative(uri string) (path string, ok bool) {
	if w.root == "" {
		return "", false
	}
	return w.memory.opts.Relative(w.root, uri)
}

// errUnchanged makes change answer without a write.
var errUnchanged = errors.New("unchanged")

// change stages a batch and waits until it is on disk. Nothing is changed when stage fails.
func (w *Workspace) change(stage func(tx store.Tx) error) error {
	wait, err := w.stage(stage)
	if err != nil {
		return err
	}
	return wait()
}

func (w *Workspace) stage(stage func(tx store.Tx) error) (wait func() error, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	tx := w.begin()
	if err := stage(tx); err != nil {
		if errors.Is(err, errUnchanged) {
			return func() error { return nil }, nil
		}
		return nil, err
	}
	return w.memory.store.Apply(tx.Batch)
}

// begin begins a change of the workspace. mu must be held until it is applied or dropped.
func (w *Workspace) begin() store.Tx {
	return w.memory.store.Begin(w.number, w.memory.now())
}

// latest returns the committed state of the workspace, for what needs no consistent one.
func (w *Workspace) latest() store.View { return w.memory.store.View(w.number) }

// View is one consistent state of a workspace's memory. It is for one goroutine at a time, but what
// it gives is the caller's own. Close releases it.
type View struct {
	w        *Workspace
	snapshot *store.Snapshot
	state    store.View // the snapshot's of the workspace
	kept     *kept
	last     stored       // what [View.stored] gave
	late     func() error // see Until
}

// View takes the state as it is now.
func (w *Workspace) View() *View {
	k := w.memory.talks.current.Load() // before the state, so that nothing older than it is kept beyond a clearing
	s := w.memory.store.Snapshot()
	return &View{w: w, snapshot: s, state: s.View(w.number), kept: k, late: func() error { return nil }}
}

// Until makes the view give up with ctx's error what turns would have to be extracted for that the
// background has not come to. What was done by then is kept, so that the next who asks goes on from
// there.
func (v *View) Until(ctx context.Context) { v.late = ctx.Err }

// Close releases the state.
func (v *View) Close() { v.snapshot.Close() }

// Workspace is the one that the state is of.
func (v *View) Workspace() *Workspace { return v.w }
