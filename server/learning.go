package server

import (
	"context"
	"errors"
	"maps"
	"os"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/command"
)

const (
	// learnLook is the time between two looks at whether a workspace has anything new to learn from.
	learnLook = time.Minute
	// learnPeriod is the least time between two runs over a workspace that nobody asked for; a large import waits for the
	// next idle time only, but for importPeriod.
	learnPeriod, importPeriod = 12 * time.Hour, 10 * time.Minute
	// largeImport is how many messages that no run has read make an import.
	largeImport = 200
	// learnPatience is how long a step of a run waits for requests that run.
	learnPatience = time.Second
	// idleLooks is how many looks in a row must find that nothing was searched or stored for the process to be idle.
	idleLooks = 2
)

// learning runs the offline learning over the workspaces that are open: while the process is idle and the machine is on
// mains power, twice a day and after large imports. One run goes on at a time, and it gives way to requests. Safe for
// concurrent use.
type learning struct {
	server *Server

	begin  sync.Once
	cancel context.CancelFunc // ends the looks
	ended  chan struct{}      // closed when they have ended

	mu      sync.Mutex // guards all below
	running map[*memory.Workspace]int
	work    int64 // what the scheduler had granted at the last look
	idle    int   // looks in a row at which it had granted no more
}

func newLearning(v *Server) *learning {
	return &learning{server: v, running: map[*memory.Workspace]int{}}
}

// start begins to look, once, until close.
func (l *learning) start(ctx context.Context) {
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

// close ends the looks, and a run that one began.
func (l *learning) close() {
	l.begin.Do(func() {}) // it does not start any more
	l.mu.Lock()
	cancel, ended := l.cancel, l.ended
	l.mu.Unlock()
	if cancel != nil {
		cancel()
		<-ended
	}
}

// look learns from the workspaces for which that is due, if this is the time for it.
func (l *learning) look(ctx context.Context) {
	if !l.isIdle() || l.server.models.power.onBattery() {
		return
	}
	m := l.server.memory.opened()
	if m == nil {
		return
	}
	roots, err := m.Roots()
	if err != nil {
		l.server.log.Error("offline learning: workspaces not read", "err", err)
		return
	}
	for _, root := range append([]string{""}, roots...) {
		if ctx.Err() != nil {
			return
		}
		if err := l.lookAt(ctx, m, root); err != nil && !errors.Is(err, context.Canceled) {
			l.server.log.Error("offline learning failed; it is tried again later", "root", root, "err", err)
		}
	}
}

// isIdle notes how much was searched and stored by now, and reports whether that was nothing for some looks.
func (l *learning) isIdle() bool {
	work, busy := l.server.scheduler.granted()
	l.mu.Lock()
	defer l.mu.Unlock()
	if work != l.work || busy {
		l.work, l.idle = work, 0
		return false
	}
	l.idle++
	return l.idle >= idleLooks
}

// lookAt learns from one workspace if that is due. The documents of its folder must be at hand: what a run cannot read
// it would no longer quote.
func (l *learning) lookAt(ctx context.Context, m *memory.Memory, root string) error {
	set, _ := l.server.Settings(root, SessionOptions{}) // what is wrong in their files is for contexture doctor
	if !set.Enabled || !set.Memory.Enabled || !set.Memory.Learn {
		return nil
	}
	w, err := m.Workspace(ctx, root)
	if err != nil {
		return err
	}
	v := w.View()
	last, due, err := v.Learned()
	messages := last.Messages
	if err == nil && due {
		messages, err = v.Messages()
	}
	v.Close()
	if err != nil || !due {
		return err
	}
	reason := learnReason(last, messages, l.server.now())
	if reason == "" {
		return nil
	}
	documents, release, ok := l.documents(root)
	if !ok {
		return nil
	}
	defer release()
	_, err = l.run(ctx, w, memory.Processing{Documents: documents, Reason: reason})
	return err
}

// learnReason says why a run is due that would find something new, "" where it is not yet. A clock that was set back
// makes it due.
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

// documents returns the search for sections of a root's documents by an index that is open; ok is false where there is
// a folder and no index of it.
func (l *learning) documents(root string) (search memory.Documents, release func(), ok bool) {
	none := func() {}
	if root == "" {
		return nil, none, true
	}
	if _, err := os.Stat(root); err != nil {
		return nil, none, true // there are no documents
	}
	for x, status := range l.server.Opened(root) {
		if status.Queue > 0 {
			continue
		}
		snapshot, release := x.Snapshot()
		reader := snapshot.NewReader()
		return func(ctx context.Context, topic string) ([]knowledge.Section, error) {
			return sectionsOn(snapshot, reader, topic), ctx.Err()
		}, release, true
	}
	return nil, none, false
}

// run runs the learning over a workspace, and gives way to requests between its steps.
func (l *learning) run(ctx context.Context, w *memory.Workspace, o memory.Processing) (knowledge.ProcessResult, error) {
	l.count(w, 1)
	defer l.count(w, -1)
	o.Pause = func() error {
		l.server.scheduler.yield(ctx, learnPatience)
		return ctx.Err()
	}
	out, err := w.Process(ctx, o)
	if err == nil {
		l.server.log.Info("offline learning", "reason", o.Reason, "took", out.Took, "turns", out.Turns, "topics", out.Topics, "entities", out.Entities,
			"lessons", out.Lessons, "version", out.Version)
	}
	return out, err
}

func (l *learning) count(w *memory.Workspace, by int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running[w] += by
	maps.DeleteFunc(l.running, func(_ *memory.Workspace, n int) bool { return n == 0 })
}

// status tells how learning stands for a workspace.
func (l *learning) status(w *memory.Workspace) (*command.LearningStatus, error) {
	v := w.View()
	defer v.Close()
	last, due, err := v.Learned()
	if err != nil {
		return nil, memoryError(err)
	}
	all, err := v.Profiles()
	if err != nil {
		return nil, memoryError(err)
	}
	out := &command.LearningStatus{
		State: "idle", MS: milliseconds(last.Took), Reason: last.Reason, Turns: last.Turns, NewTopics: last.Changes.NewTopics,
		GoneTopics: last.Changes.GoneTopics, NewEntities: last.Changes.NewEntities, GoneEntities: last.Changes.GoneEntities,
		NewLessons: last.Changes.NewLessons, Topics: len(all.Topics), Entities: len(all.Entities),
	}
	if !last.Began.IsZero() {
		at := wireTime(last.Began)
		out.LastRunAt = &at
	}
	l.mu.Lock()
	running := l.running[w] > 0
	l.mu.Unlock()
	switch {
	case running:
		out.State = "running"
	case due:
		out.State = "waiting"
		switch now := l.server.now(); {
		case l.server.models.power.onBattery():
			out.Waits = "mains power"
		case !last.Forgotten && !last.Began.IsZero() && now.Sub(last.Began) < learnPeriod && now.Sub(last.Began) >= 0:
			out.Waits = "the next run, after " + last.Began.Add(learnPeriod).UTC().Format(time.RFC3339)
		default:
			out.Waits = "an idle minute"
		}
	}
	return out, nil
}
