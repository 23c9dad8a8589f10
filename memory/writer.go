package memory

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/memory/rewrite"
)

// Writer is a chat model. It is asked by one goroutine at a time.
type Writer interface {
	// Write asks the model once. It returns soon after ctx is done. schema is the JSON schema of
	// the answer, which takes at most maxTokens tokens. An error means that the model or its server
	// failed and is asked again later; after ErrNoAnswer, a few times at most.
	Write(ctx context.Context, system, prompt string, schema []byte, maxTokens int) (text string, err error)
	// Identity changes with whatever may change an answer: the model, its weights, the settings it
	// is asked with.
	Identity() string
	// Window is how many tokens the model takes, request and answer together; 0 where that is not
	// known.
	Window() int
}

// ErrNoAnswer is what a Writer gives, wrapped or not, where asking the same again is likely of no
// use: the request is longer than the model's context, or the answer does not end or does not fit
// the schema.
var ErrNoAnswer = errors.New("the model gives no usable answer to this")

// WriterStats counts what was asked of writers since the memory was opened.
type WriterStats struct {
	Asked   int // questions, those that failed included
	Failed  int // no answer came: asked again
	Refused int // answers, or parts of them, that were not used
	Taken   int // answers of which something is used
	Known   int // questions that were not asked, as the answer was known
}

// How long the writer waits after a failure, twice as long after each further one.
const (
	firstPause = time.Second
	longPause  = time.Minute
)

// scribe has a model write what was made by rules, one question at a time, on one goroutine of its
// own. It is apart from the worker: a model takes seconds where the rules take milliseconds.
type scribe struct {
	step  func(ctx context.Context, w *Workspace, writer Writer) (more bool, err error)
	after func(time.Duration) <-chan time.Time
	wake  chan struct{} // holds one: there is something in waiting
	stop  func()        // ends the goroutine and waits for it

	mu      sync.Mutex // guards all below
	changed *sync.Cond // on mu
	waiting []*Workspace
	asleep  []*Workspace // there was no model for them
	busy    bool
	ended   bool
	stats   WriterStats
	said    string // the failure that was logged last
}

// startScribe begins a scribe whose goroutine ends when ctx does. step does one thing for a
// workspace and says whether there may be more; its error is the model's.
func startScribe(ctx context.Context, s *scribe) {
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

// poke says that there may be something to write for a workspace.
func (s *scribe) poke(w *Workspace) {
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

func (s *scribe) run(ctx context.Context) {
	pause := firstPause
	for {
		w := s.next(ctx)
		if w == nil {
			return
		}
		writer := w.model()
		if writer == nil {
			s.sleep(w)
			if w.model() != nil { // it came before the workspace was laid aside
				s.rouse()
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

// next waits for a workspace with something to write; nil says that ctx is done.
func (s *scribe) next(ctx context.Context) *Workspace {
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

// rouse takes up again what was laid aside for want of a model.
func (s *scribe) rouse() {
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

// sleep lays a workspace aside until there may be a model.
func (s *scribe) sleep(w *Workspace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.asleep {
		if other == w {
			return
		}
	}
	s.asleep = append(s.asleep, w)
}

// answers is how many questions were answered.
func (s *scribe) answers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats.Asked - s.stats.Failed
}

// count changes the statistics.
func (s *scribe) count(f func(*WriterStats)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.stats)
}

// ChatCame says that Options.Writer may give a model for a root for which it gave none before. It
// does not wait.
func (m *Memory) ChatCame() { m.scribe.rouse() }

// WriterStats counts what was asked of writers.
func (m *Memory) WriterStats() WriterStats {
	m.scribe.mu.Lock()
	defer m.scribe.mu.Unlock()
	return m.scribe.stats
}

// model is the model that there is now for a workspace, nil without one.
func (w *Workspace) model() Writer {
	if w.memory.opts.Writer == nil {
		return nil
	}
	return w.memory.opts.Writer(w.root)
}

// rewriting are the options of what is asked of a model.
func (m *Memory) rewriting(writer Writer, count func(string) int) rewrite.Options {
	return rewrite.Options{Count: count, Block: m.opts.Block, Window: writer.Window()}
}

// A model that gives no usable answer to a question, or none within slow, is asked it so often in
// all: it is at work for minutes each time. A server that is away fails at once, and is asked again
// and again.
const (
	mostVain = 2
	slow     = time.Minute
)

// askTimeout ends a question that the Writer itself does not end.
const askTimeout = 15 * time.Minute

// ask asks the model about something of the workspace, once. ok is false where there will be no
// answer; an error is the model's, which is to be asked again.
func (w *Workspace) ask(ctx context.Context, writer Writer, what any, q rewrite.Request) (text string, ok bool, err error) {
	m := w.memory
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	began := m.now()
	text, err = writer.Write(asking, q.System, w.clean(q.Prompt), q.Schema, q.MaxTokens)
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
		return w.cleanAnswer(text), true, nil
	}
	if ctx.Err() == nil {
		if w.failed(what, none || m.now().Sub(began) >= slow) {
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

// judged counts an answer: what of it was refused, and whether anything of it is used.
func (m *Memory) judged(refused int, taken bool) {
	m.scribe.count(func(s *WriterStats) {
		s.Refused += refused
		if taken {
			s.Taken++
		}
	})
}
