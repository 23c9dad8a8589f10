package memory

import (
	"errors"
	"sync"

	"github.com/contexture-dev/contexture/memory/conversation"
)

// Appending is an append in progress. Its steps must be called in this order, once each: Place,
// Stage, Wait. A caller that must order its own appends only needs to do so for Place, which does
// not block.
//
// Appends that arrive while others are being staged are staged together, in the order of Place,
// into one batch: each of them is applied completely or not at all and has its own error, but they
// share the lock, common keys, and the write. The first one to arrive while none waits becomes
// the leader and, once it has the lock, stages all that wait. So no goroutine is needed, and a
// single append is staged at once. The alternative, a lock for each append and only a shared fsync,
// costs more with every additional caller.
type Appending struct {
	w *Workspace

	// Prepared outside the lock.
	text    *conversation.PreparedMessage
	derived stage
	bytes   int

	leads bool // it stages all that wait

	staged  chan struct{} // closed when the following fields are set
	out     AppendResult
	learned bool // a standing rule
	err     error
	wait    func() error // blocks until the append is on disk
}

// appendQueue holds the appends that wait to be staged.
type appendQueue struct {
	mu      sync.Mutex // guards waiting
	waiting []*Appending
}

// Prepare does the part of an append that needs no stored state: redacting, checking, splitting
// into terms, finding names and rules. Appends are prepared concurrently. Error:
// *conversation.InvalidError.
func (w *Workspace) Prepare(a Addition) (*Appending, error) {
	w.memory.pace.begin()
	a.Conversation, a.Title, a.Messages = w.name(a.Conversation), w.clean(a.Title), w.cleanMessages(a.Messages)
	text, err := conversation.Prepare(a.Conversation, a.Title, a.Messages)
	if err != nil {
		w.memory.pace.end()
		return nil, err
	}
	p := &Appending{w: w, text: text, staged: make(chan struct{})}
	for _, m := range text.Messages() {
		p.bytes += len(m.Content)
	}
	p.derived = prepareAll(w.memory.derivations, &intake{root: w.root, messages: text.Messages(), learn: a.Learn})
	return p, nil
}

// Drop ends a prepared append that will not be placed.
func (p *Appending) Drop() { p.w.memory.pace.end() }

// Place puts the append into the order in which appends are staged. Stage must follow soon, since
// others wait for it.
func (p *Appending) Place() {
	q := &p.w.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	p.leads = len(q.waiting) == 0
	q.waiting = append(q.waiting, p)
}

// Stage blocks until the append and all placed before it are visible or refused.
func (p *Appending) Stage() {
	if p.leads {
		p.w.queue.stage(p.w)
	}
	<-p.staged
}

// Wait blocks until the append is on disk.
func (p *Appending) Wait() (AppendResult, error) {
	defer p.w.memory.pace.end()
	if p.err == nil {
		p.err = p.wait()
	}
	if p.err != nil {
		return AppendResult{}, p.err
	}
	p.w.unmade.Store(true)
	p.w.memory.worker.poke(p.w)
	if p.learned {
		p.w.wishLabels()
	}
	return p.out, nil
}

// errAppendLost is returned to callers whose leader panicked.
var errAppendLost = errors.New("append: given up, because staging it failed unexpectedly")

// stage stages all appends to a workspace that wait.
func (q *appendQueue) stage(w *Workspace) {
	w.mu.Lock()
	defer w.mu.Unlock()
	q.mu.Lock()
	list := q.waiting
	q.waiting = nil
	q.mu.Unlock()
	defer func() { // also when one of them panics
		for _, p := range list {
			p.err = errAppendLost
			close(p.staged)
		}
	}()
	for len(list) > 0 {
		n := stageGroup(w, list)
		for _, p := range list[:n] {
			close(p.staged)
		}
		list = list[n:]
	}
}

// Bounds of what one batch takes: all in it wait for each other.
const (
	maxGroup      = 128
	maxGroupBytes = 1 << 20
)

// stageGroup stages as many of the appends as fit into one batch, at least one, applies the batch,
// and returns their number.
func stageGroup(w *Workspace, list []*Appending) (n int) {
	g := staging{w: w, batch: w.memory.batch(w.begin())}
	if len(list) > 1 {
		g.group = conversation.NewGroup(g.tx)
	}
	bytes := 0
	for n < len(list) && n < maxGroup && bytes < maxGroupBytes && !g.learned {
		p := list[n]
		bytes += p.bytes
		var invalid *conversation.InvalidError
		switch p.out, p.err = g.add(p); {
		case p.err == nil:
			g.added = append(g.added, p)
		case errors.As(p.err, &invalid): // nothing of it is in the batch
		case n == 0:
			return 1
		default:
			// The whole batch is lost: those before this one are staged again without it, and it
			// becomes the first of the next batch.
			return stageGroup(w, list[:n])
		}
		n++
	}
	if len(g.added) == 0 {
		return n
	}
	wait, err := g.apply()
	for _, p := range g.added {
		p.wait, p.err = wait, err
	}
	return n
}

// staging is a batch of appends in progress. After one that has learned a rule no other may follow.
type staging struct {
	*batch
	w     *Workspace
	group *conversation.Group // nil: a single append, whose data need not be readable before it is applied
	added []*Appending
}

// add stages one append. After an error other than *conversation.InvalidError the batch must be
// discarded.
func (g *staging) add(p *Appending) (AppendResult, error) {
	g.tx.Now = g.w.memory.now() // each append has its own
	var added conversation.AppendResult
	var err error
	if g.group != nil {
		added, err = g.group.Append(p.text, g.tx.Now)
	} else {
		added, err = p.text.Append(g.tx)
	}
	if err != nil {
		return AppendResult{}, err
	}
	if err := p.derived(g.batch, &added); err != nil {
		return AppendResult{}, err
	}
	p.learned = g.learned
	return AppendResult{Turns: added.Turns, Messages: added.Info.Messages, Count: added.Info.Turns, Duplicates: added.Duplicates}, nil
}

// apply stages what is written once for the whole batch, and makes the batch visible.
func (g *staging) apply() (wait func() error, err error) {
	if err := g.flush(); err != nil {
		return nil, err
	}
	return g.w.memory.store.Apply(g.tx.Batch)
}
