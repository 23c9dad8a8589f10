// Package memory is the precious half of the program's data: conversations at four levels of
// detail, the decisions in them, standing rules, tasks, boards, saved texts and how injected items
// were used. One store holds it for a user, keyed by workspace.
//
// A [Memory] is the open store, a [Workspace] the part of one root. Changes go through a Workspace:
// each is one atomic batch that is on disk when the call returns. Readers take a [View], one
// consistent state of the workspace, for as long as one answer takes.
//
// The package does not depend on indexes, tokens or wire formats: what it needs of them comes in
// through [Options].
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

// Options are the memory's dependencies on the rest of the program.
type Options struct {
	// Dir is the folder of the store; it is created if it does not exist.
	Dir string
	Log *slog.Logger     // nil = none
	Now func() time.Time // nil = time.Now
	// Terms calls yield for each term of a text, as in the searches. A change of its terms for a
	// text needs a new format of the store, see formats. Terms that begin with # stand for data,
	// see recall.Terms.
	Terms func(text string, yield func(term string))
	// Count returns the tokens of a text in the encoding of stored sizes.
	Count func(string) int
	// Familiar returns how common a lower-case word is in its language: from 0 for an unknown one
	// to 1. nil = all words are unknown.
	Familiar func(word string) float64
	// Encoding is that encoding's name.
	Encoding string
	// Block renders an element of a bundle: a turn's tag and its escaped body.
	Block func(tag, body string) string
	// Relative returns the path below a root of a document's URI.
	Relative func(root, uri string) (path string, ok bool)
	// Random is the source of unguessable keys; nil = the system's.
	Random io.Reader
	// Writer returns the chat model that may be asked about the workspace of a root, nil while
	// there is none: its texts are better than those of the rules. It is called often and must not
	// block. When it returned nil and may now return a model, ChatCame must be called. nil = never
	// a model.
	Writer func(root string) Writer
	// Redact returns a text without what must not be stored, for the workspace of a root. It must
	// be idempotent. It is called with every incoming text, concurrently, before anything is
	// derived from the text. nil = texts are stored as they come.
	Redact func(root, text string) string

	// Changed is called with the root of a workspace each time that its conversations or its
	// knowledge have changed visibly. It is called concurrently, sometimes with locks of the memory
	// held: it must not block, and must not use the memory. nil = no notification.
	Changed func(root string)

	formats []store.Migration // nil = those of this program

	after func(time.Duration) <-chan time.Time // nil = time.After
	tend  func(time.Duration) <-chan time.Time // nil = time.After; schedules the store's maintenance
}

// Memory is the open store. Safe for concurrent use.
type Memory struct {
	opts   Options
	log    *slog.Logger
	now    func() time.Time
	store  *store.Store
	cache  *conversationCache
	recall *recall.Index
	// derivations are all kinds of what is made of messages.
	derivations []derivation
	worker      *worker // makes versions of turns
	reader      *worker // records the bundles that were shown
	scribe      *modelWorker
	pace        pace               // of appends
	shows       pace               // of bundles
	cancel      context.CancelFunc // ends tasks and requests to models
	life        context.Context    // ended by cancel
	tasks       sync.WaitGroup
	joins       sync.WaitGroup // of workspaces, see joinLocked

	roots sync.Map // of the open workspaces, by number

	mu         sync.Mutex // guards all below
	workspaces map[string]*Workspace
	joined     map[string]string // other paths of roots, each with the root that it was joined to
}

// Open opens the memory in a folder. Errors are those of store.Open: *store.LockedError,
// *store.NewerError and *store.CorruptError tell the person what to do.
//
// What an earlier process was asked to forget and could not wipe from the files is wiped first, in
// the background. A due checkpoint is made after half a minute and then hourly. Both end with
// Close, even if ctx ends earlier.
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
		opts.formats = formats(index, opts)
	}
	m := &Memory{
		opts: opts, log: opts.Log, now: opts.Now, cache: newConversationCache(), recall: index, derivations: derivationsOf(index, opts),
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
			versioner{w}.make(stopped)
		}
	})
	m.reader = startWorker(func(w *Workspace, stopped <-chan struct{}) {
		if m.shows.rest(stopped) {
			m.storePendingOf(w)
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
	m.scribe = &modelWorker{step: m.write, after: opts.after}
	startScribe(upkeep, m.scribe)
	return m, nil
}

// maintenanceInterval is the interval between checks for pending maintenance of the store, and
// maintenanceDelay the delay of the first: a checkpoint reads everything, and a process is usually
// started to answer a request. Both use the monotonic clock, so that a change of the system time
// does not affect them.
const (
	maintenanceDelay    = 30 * time.Second
	maintenanceInterval = time.Hour
)

// upkeep does the store's maintenance until ctx ends. Then it makes the first checkpoint of a
// memory that has none.
func (m *Memory) upkeep(ctx context.Context, after func(time.Duration) <-chan time.Time) {
	do := func(what func(context.Context) error) {
		if err := what(ctx); err != nil && ctx.Err() == nil {
			m.log.Error("maintenance of memory failed", "err", err)
		}
	}
	do(m.wipe)
	for wait := maintenanceDelay; ctx.Err() == nil; wait = maintenanceInterval {
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

// closing bounds what Close does besides closing.
const closing = 2 * time.Second

// wipe completes an interrupted erasure.
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

// Close ends the background work, waits for what cannot be interrupted, makes the first checkpoint
// of a memory that has none, and closes the store. No view may be open.
func (m *Memory) Close() error {
	joining, stop := context.WithTimeout(m.life, closing)
	_ = m.Joined(joining) // the next process starts over
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
		m.storePendingOf(w)
	}
	return m.store.Close()
}

// Workspace is the memory of one root. Safe for concurrent use.
type Workspace struct {
	memory *Memory
	number store.Workspace
	cleaner

	// mu is held while a change is staged and made visible, never while waiting for the disk.
	mu    sync.Mutex
	queue appendQueue // acquired after mu

	unmade atomic.Bool // there may be turns without versions

	processing chan struct{} // holds an element during an offline run

	removals atomic.Uint64 // incremented with each removal of something said, with mu held
	writing  writing

	wishes wishes
	// unlabelled means that there may be candidates that no model has seen.
	unlabelled atomic.Bool

	shown pendingBundles
}

// Workspace returns the memory of a root, an absolute path without links; "" is that of sessions
// without a root. What is stored under former, other paths of the same root, becomes part of it: at
// once if nothing is stored under the root itself, else in the background.
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

// workspaceOf returns a workspace that is stored under a number. Only one that is open may change.
func (m *Memory) workspaceOf(number store.Workspace, root string) *Workspace {
	return &Workspace{memory: m, number: number, cleaner: cleaner{root, m.opts.Redact}, processing: make(chan struct{}, 1)}
}

func (m *Memory) workspaceLocked(ctx context.Context, root string) (*Workspace, error) {
	if w := m.workspaces[root]; w != nil {
		return w, nil
	}
	n, err := m.store.Workspace(ctx, root)
	if err != nil {
		return nil, fmt.Errorf("open memory of %q: %w", root, err)
	}
	w := m.workspaceOf(n, root)
	w.unmade.Store(true)
	w.unlabelled.Store(true)
	m.workspaces[root] = w
	m.roots.Store(n, root)
	m.worker.poke(w) // what an earlier process left undone
	m.scribe.poke(w)
	return w, nil
}

// changed reports changes in workspaces to Options.Changed. Workspaces that are not open are
// skipped.
func (m *Memory) changed(list []store.Workspace) {
	for _, n := range list {
		if root, ok := m.roots.Load(n); ok {
			m.opts.Changed(root.(string))
		}
	}
}

// Root returns the root of the memory, "" for that of sessions without one.
func (w *Workspace) Root() string { return w.root }

// errUnchanged makes change return without a write.
var errUnchanged = errors.New("unchanged")

// change stages a batch and blocks until it is on disk. Nothing is changed when stage fails.
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

// latest returns the committed state of the workspace, for reads that need no snapshot.
func (w *Workspace) latest() store.View { return w.memory.store.View(w.number) }
