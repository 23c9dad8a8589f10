package memory

import (
	"errors"
	"slices"
	"sync"

	"github.com/contexture-dev/contexture/memory/board"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/recall"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/subject"
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

	// Prepared outside the lock, for each message.
	text     *conversation.Prepared
	terms    []recall.Prepared
	mentions [][]subject.Mention
	rules    [][]knowledge.Found // nil: no rules are extracted
	in       Addition
	bytes    int

	leads bool // it stages all that wait

	staged chan struct{} // closed when the following fields are set
	out    Appended
	err    error
	wait   func() error // blocks until the append is on disk
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
	p := &Appending{w: w, text: text, in: a, staged: make(chan struct{})}
	messages := text.Messages()
	p.terms, p.mentions = make([]recall.Prepared, len(messages)), make([][]subject.Mention, len(messages))
	if a.Learn {
		p.rules = make([][]knowledge.Found, len(messages))
	}
	for i, m := range messages {
		p.bytes += len(m.Content)
		p.terms[i] = w.memory.recall.Prepare(m)
		p.mentions[i] = w.mentions(m)
		if a.Learn {
			before := ""
			if i > 0 {
				before = messages[i-1].Content
			}
			p.rules[i] = knowledge.Hear(&messages[i], before)
		}
	}
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
func (p *Appending) Wait() (Appended, error) {
	defer p.w.memory.pace.end()
	if p.err == nil {
		p.err = p.wait()
	}
	if p.err != nil {
		return Appended{}, p.err
	}
	p.w.unmade.Store(true)
	p.w.memory.worker.poke(p.w)
	if slices.ContainsFunc(p.rules, func(f []knowledge.Found) bool { return len(f) > 0 }) {
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
	g := staging{w: w, tx: w.begin()}
	if len(list) > 1 {
		g.group = conversation.NewGroup(g.tx)
	}
	bytes := 0
	for n < len(list) && n < maxGroup && bytes < maxGroupBytes && !g.closed {
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

// staging is a batch of appends in progress.
type staging struct {
	w      *Workspace
	tx     store.Tx
	group  *conversation.Group // nil: a single append, whose data need not be readable before it is applied
	added  []*Appending
	terms  []recall.Placed
	turns  map[string]int // number of turns of each conversation that got messages, after the batch
	closed bool           // no other append may follow: it would have to read what the last one staged
}

// add stages one append. After an error other than *conversation.InvalidError the batch must be
// discarded.
func (g *staging) add(p *Appending) (Appended, error) {
	g.tx.Now = g.w.memory.now() // each append has its own
	var added conversation.Added
	var err error
	if g.group != nil {
		added, err = g.group.Append(p.text, g.tx.Now)
	} else {
		added, err = p.text.Append(g.tx)
	}
	if err != nil {
		return Appended{}, err
	}
	if len(added.Messages) > 0 {
		if err := g.index(p, added); err != nil {
			return Appended{}, err
		}
	}
	return Appended{Turns: added.Turns, Messages: added.Info.Messages, Count: added.Info.Turns, Duplicates: added.Duplicates}, nil
}

// index stages what is derived immediately from messages.
func (g *staging) index(p *Appending, added conversation.Added) error {
	number := uint32(added.Info.Number)
	learning := knowledge.Learning{Conversation: p.in.Conversation}
	for i, m := range added.Messages {
		from := added.From[i]
		at := subject.Place{Conversation: number, Turn: added.TurnOf[i], Message: added.First + i}
		subject.Add(g.tx, at, m.At, p.mentions[from])
		g.terms = append(g.terms, recall.Placed{Conversation: number, Index: at.Message, Prepared: p.terms[from]})
		if p.rules != nil {
			learning.Messages = append(learning.Messages, knowledge.Heard{Message: m, Turn: at.Turn, Found: p.rules[from]})
		}
	}
	if slices.ContainsFunc(learning.Messages, func(m knowledge.Heard) bool { return len(m.Found) > 0 }) {
		before, err := conversation.Messages(g.tx.View, added.Info, max(0, added.First-knowledge.Preceding), added.First)
		if err != nil {
			return err
		}
		for i, origin := range knowledge.Origins(before, added.Messages) {
			learning.Messages[i].Origin = origin
		}
		learned, err := knowledge.Learn(g.tx, learning)
		if err != nil {
			return err
		}
		g.closed = learned
	}
	if g.turns == nil {
		g.turns = make(map[string]int)
	}
	g.turns[p.in.Conversation] = userTurns(added.Info, added.Asked)
	return nil
}

// apply stages what is written once for the whole batch, and makes the batch visible.
func (g *staging) apply() (wait func() error, err error) {
	w := g.w
	w.memory.recall.AddPrepared(g.tx, g.terms)
	for id, turns := range g.turns {
		if err := board.Expire(g.tx, id, turns); err != nil {
			return nil, err
		}
	}
	return w.memory.store.Apply(g.tx.Batch)
}
