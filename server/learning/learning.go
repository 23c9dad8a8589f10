// Package learning decides when a process learns from conversations in the background, what a run
// reads of a workspace's files, and reports the state of runs. What is learned, and how, is up to
// package memory.
//
// The process's server owns a [Runner]: it starts it with the first session and closes it before
// the engine. All methods of a Runner may be called concurrently.
package learning

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/engine"
)

const (
	// learnLook is the time between two checks of whether a workspace has anything new to learn
	// from.
	learnLook = time.Minute
	// learnPeriod is the smallest time between two automatic runs over a workspace; after a large
	// import it is importPeriod.
	learnPeriod, importPeriod = 12 * time.Hour, 10 * time.Minute
	// largeImport is the number of unread messages that counts as a large import.
	largeImport = 200
	// learnLull is how long no request must have been running before a run continues, and
	// learnPatience how long a step of it waits for that.
	learnLull, learnPatience = 40 * time.Millisecond, time.Second
	// idleLooks is how many consecutive checks must find that nothing was searched or stored for
	// the process to count as idle.
	idleLooks = 2
)

// Runner runs the offline learning over the open workspaces: while the process is idle and the
// machine is on mains power, twice a day and after large imports. Runs are sequential, and yield to
// requests. Safe for concurrent use.
type Runner struct {
	engine *engine.Engine

	begin  sync.Once
	cancel context.CancelFunc // ends the checks
	ended  chan struct{}      // closed when they have ended

	holders sync.WaitGroup // of the memory, which is closed after close

	mu       sync.Mutex // guards all below
	closed   bool
	running  map[*memory.Workspace][]*run // the first of each is running, the others wait for it
	serials  map[*memory.Workspace]int    // how often a run began or ended
	failed   map[*memory.Workspace]failure
	watchers engine.Watchers // of the state of runs
	told     time.Time       // time of the last notification
	work     int64           // what the scheduler had granted at the last check
	idle     int             // consecutive checks at which it had granted no more
	sparing  int             // number of runs during which garbage is collected more often
	growth   int             // the previous garbage collection percentage
}

// failure is the error that ended the last run over a workspace.
type failure struct {
	at  time.Time
	err error
}

// New prepares the learning over an engine, which must outlive it. Start starts it, Close ends it.
func New(e *engine.Engine) *Runner {
	return &Runner{
		engine: e, running: map[*memory.Workspace][]*run{}, failed: map[*memory.Workspace]failure{}, serials: map[*memory.Workspace]int{},
	}
}

// Start starts the checks for workspaces to learn from, until Close. Only the first call has an
// effect. The checks outlive ctx, whose values they keep.
func (l *Runner) Start(ctx context.Context) {
	l.begin.Do(func() {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // it serves all sessions, and ends with the server
		ended := make(chan struct{})
		l.mu.Lock()
		l.cancel, l.ended = cancel, ended
		l.mu.Unlock()
		go func() {
			defer close(ended)
			ticker := time.NewTicker(learnLook)
			defer ticker.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-ticker.C:
					l.look(ctx)
				}
			}
		}()
	})
}

// Close ends the checks and a run that one started, and blocks until all holders of the memory have
// released it.
func (l *Runner) Close() {
	l.begin.Do(func() {}) // prevents a later start
	l.mu.Lock()
	cancel, ended := l.cancel, l.ended
	l.closed = true
	l.mu.Unlock()
	defer l.holders.Wait()
	if cancel != nil {
		cancel()
		<-ended
	}
}

// look learns from the workspaces for which that is due, if the process is idle.
func (l *Runner) look(ctx context.Context) {
	if !l.isIdle() || l.engine.OnBattery() {
		return
	}
	m := l.engine.MemoryHolder.Opened()
	if m == nil {
		return
	}
	roots, err := m.Roots()
	if err != nil {
		l.engine.Log.Error("offline learning: workspaces not read", "err", err)
		return
	}
	for _, root := range append([]string{""}, roots...) {
		if ctx.Err() != nil {
			return
		}
		if err := l.lookAt(ctx, m, root); err != nil && !errors.Is(err, context.Canceled) {
			l.engine.Log.Error("offline learning failed; it is tried again later", "root", root, "err", err)
		}
	}
}

// compareLooks is how many idle checks are between two at which files are compared with their
// quotations in references.
const compareLooks = 60

// mayCompare reports whether this is an idle check at which files are read: the first, and then one
// an hour.
func (l *Runner) mayCompare() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.idle%compareLooks == idleLooks
}

// Hold keeps the memory open until release is called; ok is false when it is closed or closing.
func (l *Runner) Hold() (release func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, false
	}
	l.holders.Add(1)
	return l.holders.Done, true
}

// isIdle records how much was searched and stored so far, and reports whether that was nothing for
// some checks.
func (l *Runner) isIdle() bool {
	work, busy := l.engine.Scheduler.Granted()
	l.mu.Lock()
	defer l.mu.Unlock()
	if work != l.work || busy {
		l.work, l.idle = work, 0
		return false
	}
	l.idle++
	return l.idle >= idleLooks
}

// lookAt learns from one workspace if that is due. The documents of its folder must be available: a
// run would drop the quotations of those that it cannot read.
func (l *Runner) lookAt(ctx context.Context, m *memory.Memory, root string) error {
	set, _ := l.engine.Settings(root, engine.SessionOptions{}) // contexture doctor reports the problems in their files
	if !set.Enabled || !set.Memory.Enabled || !set.Memory.Learn {
		return nil
	}
	w, err := m.Workspace(ctx, root)
	if err != nil {
		return err
	}
	v := w.View()
	last, due, err := v.Knowledge.Learned()
	messages := last.Messages
	if err == nil && due {
		messages, err = v.Conversations.MessageCount()
	}
	var quoted []knowledge.Quotation
	if since := l.engine.Now().Sub(last.Began); err == nil && !due && since >= learnPeriod && !last.Began.IsZero() && l.mayCompare() {
		quoted, err = v.Knowledge.QuotedFiles()
	}
	v.Close()
	if err != nil || !due && len(quoted) == 0 {
		return err
	}
	reason := "what a reference quotes was changed"
	if due {
		reason = learnReason(last, messages, l.engine.Now())
	} else if !l.outdated(root, quoted) {
		return nil
	}
	if reason == "" || !l.mayTry(w) {
		return nil
	}
	of, release, ok := l.material(root)
	if !ok {
		return nil
	}
	defer release()
	_, err = l.Run(ctx, w, memory.Processing{Documents: of.Documents, Gone: of.Gone, Reason: reason})
	return err
}

// learnReason returns why a run that would find something new is due, "" when it is not due yet. A
// clock that was set back makes it due.
func learnReason(last knowledge.Run, messages int, now time.Time) string {
	since := now.Sub(last.Began)
	switch {
	case last.Forgotten:
		return "something was forgotten"
	case last.Began.IsZero():
		return "first run"
	case since >= learnPeriod || since < 0:
		return "twice a day"
	case messages-last.Messages >= largeImport && since >= importPeriod:
		return "large import"
	}
	return ""
}

// material returns what the files of a root contribute, if its index is open; ok is false for a
// root with a folder but without an index.
func (l *Runner) material(root string) (m Material, release func(), ok bool) {
	none := func() {}
	if root == "" {
		return Material{}, none, true
	}
	if _, err := os.Stat(root); err != nil {
		return Material{}, none, true // there are no documents
	}
	for x, status := range l.engine.Opened(root) {
		if status.Queue > 0 {
			continue
		}
		snapshot, release := x.Snapshot()
		return MaterialIn(snapshot), release, true
	}
	return Material{}, none, false
}

// outdated reports whether a file of a root no longer contains what a reference quotes; false
// without an index of the root.
func (l *Runner) outdated(root string, quoted []knowledge.Quotation) bool {
	for x, status := range l.engine.Opened(root) {
		if status.Queue > 0 {
			continue
		}
		snapshot, release := x.Snapshot()
		defer release()
		reader := snapshot.NewReader()
		return slices.ContainsFunc(quoted, func(q knowledge.Quotation) bool { return !quotes(snapshot, reader, q.Path, q.Text) })
	}
	return false
}

// mayTry reports whether the last run over a workspace did not fail recently.
func (l *Runner) mayTry(w *memory.Workspace) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	failed, ok := l.failed[w]
	since := l.engine.Now().Sub(failed.at)
	return !ok || since >= importPeriod || since < 0
}

// Run learns from a workspace, and yields to requests between its steps. It blocks while another
// run is in progress. Errors are ctx's and those of memory.
func (l *Runner) Run(ctx context.Context, w *memory.Workspace, o memory.Processing) (knowledge.ProcessResult, error) {
	spare := l.spareMemory()
	defer func() { spare() }()
	r := l.enter(w, o.Reason)
	o.Pause = func() error {
		if !l.engine.Scheduler.Idle(learnLull) {
			l.waits(r, "requests that are being answered")
			spare() // a waiting request should not wait for the collector as well
			l.engine.Scheduler.AwaitIdle(ctx, learnLull, learnPatience)
			spare = l.spareMemory()
			l.waits(r, "")
		}
		return ctx.Err()
	}
	o.Progress = func(p knowledge.Progress) { l.progressed(r, p) }
	out, err := w.Process(ctx, o)
	l.leave(w, r, err)
	if err == nil {
		l.engine.Log.Info("offline learning", "reason", o.Reason, "took", out.Took, "turns", out.Turns, "topics", out.Topics, "entities", out.Entities,
			"lessons", out.Lessons, "version", out.Version)
	}
	return out, err
}

// runGrowth is the percentage by which the heap may grow during a run before garbage is collected:
// a run creates a lot of garbage and is not urgent.
const runGrowth = 30

// spareMemory makes garbage collection more frequent until end is called, while any run is in
// progress.
func (l *Runner) spareMemory() (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sparing++; l.sparing == 1 {
		l.growth = debug.SetGCPercent(runGrowth)
	}
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.sparing--; l.sparing == 0 {
			debug.SetGCPercent(l.growth)
		}
	})
}
