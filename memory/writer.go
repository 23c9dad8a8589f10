package memory

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/memory/rewrite"
)

// Writer is a chat model. It is called by one goroutine at a time.
type Writer interface {
	// Write asks the model once. It must return soon after ctx is done. schema is the JSON schema
	// of the answer, which takes at most maxTokens tokens. An error means that the model or its
	// server failed; the question is retried later, after ErrNoAnswer only a few times.
	Write(ctx context.Context, system, prompt string, schema []byte, maxTokens int) (text string, err error)
	// Identity changes with everything that may change an answer: the model, its weights, its
	// settings.
	Identity() string
	// Window returns the model's context size in tokens, request and answer together; 0 when
	// unknown.
	Window() int
}

// ErrNoAnswer is returned by a Writer, wrapped or not, when a retry will probably fail as well: the
// request is longer than the model's context, or the answer does not end or does not fit the
// schema.
var ErrNoAnswer = errors.New("the model gives no usable answer to this")

// WriterStats counts the questions to writers since the memory was opened.
type WriterStats struct {
	Asked   int // questions, including those that failed
	Failed  int // no answer came: retried
	Refused int // answers, or parts of them, that were rejected
	Taken   int // answers used at least in part
	Known   int // questions not asked because the answer was known
}

// The backoff of the writer after a failure, doubled after each further one.
const (
	firstPause = time.Second
	longPause  = time.Minute
)

// modelWorker has a model improve what was made by rules, one question at a time, on its own
// goroutine. It is separate from the worker because a model takes seconds where the rules take
// milliseconds.
type modelWorker struct {
	step  func(ctx context.Context, w *Workspace, writer Writer) (more bool, err error)
	after func(time.Duration) <-chan time.Time
	wake  chan struct{} // holds one element while waiting is not empty
	stop  func()        // ends the goroutine and waits for it

	mu      sync.Mutex // guards all below
	changed *sync.Cond // on mu
	waiting []*Workspace
	asleep  []*Workspace // without a model
	busy    bool
	ended   bool
	stats   WriterStats
	said    string // the last logged failure
}

// startScribe starts a scribe whose goroutine ends when ctx does. step does one piece of work for a
// workspace and returns whether there may be more; its error is the model's.
func startScribe(ctx context.Context, s *modelWorker) {
	s.changed = sync.NewCond(&s.mu)
	s.wake = make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	s.stop = sync.OnceFunc(func() { cancel(); <-done })
	go func() {
		defer close(done)
		s.run(ctx)
		s.mu.Lock()
		s.ended = true
		s.changed.Broadcast()
		s.mu.Unlock()
	}()
}

// poke queues a workspace that may have text to improve.
func (s *modelWorker) poke(w *Workspace) {
	if w.memory.opts.Writer == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.waiting {
		if other == w {
			return
		}
	}
	s.waiting = append(s.waiting, w)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *modelWorker) run(ctx context.Context) {
	pause := firstPause
	for {
		w := s.next(ctx)
		if w == nil {
			return
		}
		writer := w.memory.opts.model(w.root)
		if writer == nil {
			s.setAside(w)
			if w.memory.opts.model(w.root) != nil { // a model came before the workspace was set aside
				s.wakeAll()
			}
			continue
		}
		before := s.answers()
		more, err := s.step(ctx, w, writer)
		if more {
			s.poke(w)
		}
		if s.answers() > before {
			pause = firstPause
		}
		if err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-s.after(pause):
		}
		pause = min(2*pause, longPause)
	}
}

// next blocks until a workspace has work and returns it; nil means that ctx is done.
func (s *modelWorker) next(ctx context.Context) *Workspace {
	for {
		s.mu.Lock()
		s.busy = len(s.waiting) > 0
		s.changed.Broadcast()
		var w *Workspace
		if s.busy {
			w, s.waiting = s.waiting[0], s.waiting[1:]
		}
		s.mu.Unlock()
		if ctx.Err() != nil {
			return nil
		}
		if w != nil {
			return w
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		}
	}
}

// wakeAll queues the workspaces again that were set aside for lack of a model.
func (s *modelWorker) wakeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.asleep {
		if !slices.Contains(s.waiting, w) {
			s.waiting = append(s.waiting, w)
		}
	}
	s.asleep = nil
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// setAside sets a workspace aside until there may be a model.
func (s *modelWorker) setAside(w *Workspace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.asleep {
		if other == w {
			return
		}
	}
	s.asleep = append(s.asleep, w)
}

// answers returns the number of answered questions.
func (s *modelWorker) answers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats.Asked - s.stats.Failed
}

// count updates the statistics.
func (s *modelWorker) count(f func(*WriterStats)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.stats)
}

// ChatCame must be called when Options.Writer may return a model for a root for which it returned
// none before. It does not block.
func (m *Memory) ChatCame() { m.scribe.wakeAll() }

// WriterStats returns the counts.
func (m *Memory) WriterStats() WriterStats {
	m.scribe.mu.Lock()
	defer m.scribe.mu.Unlock()
	return m.scribe.stats
}

// model returns the current model for a root, nil without one.
func (o *Options) model(root string) Writer {
	if o.Writer == nil {
		return nil
	}
	return o.Writer(root)
}

// rewriting returns the options of questions to a model.
func (m *Memory) rewriting(writer Writer, count func(string) int) rewrite.Options {
	return rewrite.Options{Count: count, Block: m.opts.Block, Window: writer.Window()}
}

// A question for which a model gives no usable answer, or none within slow, is asked so many times
// in total, since each takes minutes. A server that is unavailable fails at once and is retried
// without limit.
// and again.
const (
	mostVain = 2
	slow     = time.Minute
)

// askTimeout ends a question that the Writer does not end itself.
const askTimeout = 15 * time.Minute

// ask asks the model once about something in the workspace. ok is false when there will be no
// answer; an error is the model's, and the question is to be retried.
func (d *drafter) ask(ctx context.Context, what any, q rewrite.Request) (text string, ok bool, err error) {
	m := d.memory
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	began := m.now()
	text, err = d.writer.Write(asking, q.System, d.clean(q.Prompt), q.Schema, q.MaxTokens)
	none := errors.Is(err, ErrNoAnswer)
	m.scribe.count(func(s *WriterStats) {
		s.Asked++
		switch {
		case none:
			s.Refused++
		case err != nil:
			s.Failed++
		}
	})
	if err == nil {
		return d.cleanAnswer(text), true, nil
	}
	if ctx.Err() == nil {
		if d.writing.fail(what, none || m.now().Sub(began) >= slow) {
			return "", false, nil
		}
		m.scribe.mu.Lock()
		news := m.scribe.said != err.Error()
		m.scribe.said = err.Error()
		m.scribe.mu.Unlock()
		if news {
			m.log.Warn("the model did not answer: texts stay as the rules made them until it does", "err", err)
		}
	}
	return "", false, &modelError{err}
}

// judged counts an answer: how many parts of it were rejected, and whether anything of it is used.
func (m *Memory) judged(refused int, taken bool) {
	m.scribe.count(func(s *WriterStats) {
		s.Refused += refused
		if taken {
			s.Taken++
		}
	})
}
