package learning

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/subject"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
)

// run is a run in progress, or waiting for another one.
type run struct {
	began    time.Time // by the process's own clock
	reason   string
	progress knowledge.Progress
	waits    string
}

// learnTell is the smallest time between two notifications of sessions about the progress of a run.
const learnTell = 500 * time.Millisecond

// Watch calls touch when the state of a run changes, until stop is called. touch must not block.
func (l *Runner) Watch(touch func()) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	remove := l.watchers.Add(touch)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		remove()
	}
}

// touchLocked makes the sessions notify their clients of the state of runs. The caller must hold
// mu.
func (l *Runner) touchLocked() {
	l.told = time.Now()
	l.watchers.Touch()
}

func (l *Runner) enter(w *memory.Workspace, reason string) *run {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &run{began: time.Now(), reason: reason}
	l.running[w] = append(l.running[w], r)
	l.serials[w]++
	l.touchLocked()
	return r
}

// leave ends a run with its error, nil for none.
func (l *Runner) leave(w *memory.Workspace, r *run, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.serials[w]++
	l.running[w] = slices.DeleteFunc(l.running[w], func(o *run) bool { return o == r })
	if len(l.running[w]) == 0 {
		delete(l.running, w)
	}
	switch {
	case err == nil:
		delete(l.failed, w)
	case !errors.Is(err, context.Canceled):
		l.failed[w] = failure{l.engine.Now(), err}
	}
	l.touchLocked()
}

func (l *Runner) progressed(r *run, p knowledge.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entered := p.Stage != r.progress.Stage
	r.progress = p
	if entered || time.Since(l.told) >= learnTell {
		l.touchLocked()
	}
}

func (l *Runner) waits(r *run, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.waits = what
}

// Runs returns the memory of a root with a run of this process, nil when there was none, how often
// one began or ended, and whether one is in progress. It opens nothing.
func (l *Runner) Runs(root string) (w *memory.Workspace, serial int, running bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for w, n := range l.serials {
		if w.Root() == root {
			return w, n, len(l.running[w]) > 0
		}
	}
	return nil, 0, false
}

// Status returns the state of the learning for a workspace. Errors are answers of the contract.
func (l *Runner) Status(w *memory.Workspace) (*command.LearningStatus, error) {
	v := w.View()
	defer v.Close()
	last, due, err := v.Knowledge.Learned()
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	all, err := v.Subjects.All()
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	out := &command.LearningStatus{
		State: "idle", MS: command.Milliseconds(last.Took), Reason: last.Reason, Turns: last.Turns, NewTopics: last.Changes.NewTopics,
		GoneTopics: last.Changes.GoneTopics, NewEntities: last.Changes.NewEntities, GoneEntities: last.Changes.GoneEntities,
		NewLessons: last.Changes.NewLessons, Topics: len(all.Topics), Entities: len(all.Entities),
	}
	if c := last.Coverage; c.Questions+c.Topics > 0 {
		out.Coverage = &command.KnowledgeCoverage{Questions: c.Questions, Answered: c.Answered, Topics: c.Topics, Covered: c.Covered}
	}
	if !last.Began.IsZero() {
		at := command.TimeOf(last.Began)
		out.LastRunAt = &at
	}
	for _, c := range last.Changes.Each {
		if change, ok := learningChange(v, all, c); ok {
			out.Changes = append(out.Changes, change)
		}
	}
	l.mu.Lock()
	if failed, ok := l.failed[w]; ok {
		out.Problem = failed.err.Error()
	}
	if runs := l.running[w]; len(runs) > 0 {
		out.State, out.Progress = "running", runs[0].wire()
	}
	l.mu.Unlock()
	if due && out.State != "running" {
		out.State, out.Waits = "waiting", l.awaited(w, last)
	}
	return out, nil
}

// awaited returns what a due run waits for.
func (l *Runner) awaited(w *memory.Workspace, last knowledge.Run) string {
	switch now := l.engine.Now(); {
	case l.engine.OnBattery():
		return "mains power"
	case !last.Forgotten && !last.Began.IsZero() && now.Sub(last.Began) < learnPeriod && now.Sub(last.Began) >= 0:
		return "the next run, after " + last.Began.Add(learnPeriod).UTC().Format(time.RFC3339)
	case !l.mayTry(w):
		return "another try, since the last one failed"
	}
	return "an idle minute"
}

// wire returns the progress of a run for clients. The caller must hold the runner's mu.
func (r *run) wire() *command.LearningProgress {
	return &command.LearningProgress{
		Stage: r.progress.Stage, Share: r.progress.Share, Done: r.progress.Done, Total: r.progress.Total, Reason: r.reason, Waits: r.waits,
		MS: command.Milliseconds(time.Since(r.began)),
	}
}

// learningChange returns a change of the last run with its subject's present name; ok is false when
// the subject no longer exists.
func learningChange(v *memory.View, all *subject.Set, c knowledge.Change) (out command.LearningChange, ok bool) {
	out = command.LearningChange{Act: string(c.Act), Kind: c.Kind, ID: c.ID}
	if s := all.Subject(c.ID); s != nil {
		out.Label = s.Label
		return out, true
	}
	it, err := v.Knowledge.Item(c.ID)
	if err != nil { // it was removed since, or forgotten
		return out, false
	}
	out.Label = it.Title
	return out, true
}
