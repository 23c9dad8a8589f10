package arc

import (
	"slices"
	"sync"
)

// Folder is the arc of a conversation as it grows: what a turn costs does not depend on how long the conversation is.
// Safe for concurrent use.
type Folder struct {
	mu    sync.Mutex
	f     folder
	turns []told
}

// told is what the text of an arc needs of a turn.
type told struct {
	turn      int
	intent    string
	names     []string // of the last turns alone
	decisions []string // as they were said
}

// NewFolder is the arc of no turn.
func NewFolder() *Folder {
	return &Folder{f: folder{byWord: map[uint32][]int{}, byTerm: map[uint32][]int{}, byKey: map[string]int{}}}
}

// Turns is how many turns were added.
func (f *Folder) Turns() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.turns)
}

// Add adds the next turn. The notes must not change any more.
func (f *Folder) Add(n *Notes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.add(n)
	if old := len(f.turns) - 1 - lookBack; old >= 0 {
		f.turns[old].names = nil
	}
}

func (f *Folder) add(n *Notes) {
	t := told{turn: n.Turn, intent: n.Intent, names: n.Names}
	for _, d := range n.Decisions {
		t.decisions = append(t.decisions, d.Text)
	}
	f.turns = append(f.turns, t)
	f.f.turn(n)
}

// Arc makes the arc of the turns added and, where it is not nil, of one more turn behind them, which is not added: it
// may still grow. The text takes at most budget tokens by count (nil: a token is four bytes; budget ≤ 0: no limit but
// the style's own). Under a budget the lists hold the newest decisions and questions, as many as a text of that length
// has room for, and the time is that of the text.
func (f *Folder) Arc(last *Notes, style Style, budget int, count func(string) int) Arc {
	if count == nil {
		count = func(s string) int { return (len(s) + 3) / 4 }
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if last != nil {
		f.f.try()
		f.add(last)
		defer func() {
			f.turns = f.turns[:len(f.turns)-1]
			f.f.undo()
		}()
	}
	room := len(f.turns) * mostDecisions * mostQuestions
	if budget > 0 {
		room = budget/leastLine + leastListed
	}
	a := Arc{Decisions: f.f.decisions(room), Open: f.f.questions(room), Focus: focus(f.turns)}
	w := writer{turns: f.turns, a: &a, decided: f.f.standing, open: f.f.open, count: count}
	a.Text = w.write(style, budget)
	return a
}

// leastListed is how many decisions and questions a budget always leaves in the lists.
const leastListed = 32

// trial is what has to be put back when a turn is taken off again.
type trial struct {
	was  folder   // all but what its maps and lists hold
	undo []func() // what they held, latest change last
}

// try begins a trial: undo takes all turns since then off again.
func (f *folder) try() {
	f.trial = &trial{was: *f}
	f.toUser = slices.Clone(f.toUser) // it is written over
}

func (f *folder) undo() {
	t := f.trial
	for i := len(t.undo) - 1; i >= 0; i-- {
		t.undo[i]()
	}
	// The lists stay where they are now: what was put back was put back there.
	hits, made, asked := f.hits, f.made[:len(t.was.made)], f.asked[:len(t.was.asked)]
	*f = t.was
	f.hits, f.made, f.asked = hits, made, asked
}

// on keeps what puts a change back; only for a trial.
func (t *trial) on(undo func()) { t.undo = append(t.undo, undo) }

// close takes a question off the open ones.
func (f *folder) close(i int) {
	if f.asked[i].closed {
		return
	}
	f.asked[i].closed = true
	f.open--
	if f.trial != nil {
		f.trial.on(func() { f.asked[i].closed = false })
	}
}

// drop takes back a decision.
func (f *folder) drop(i int) {
	if f.made[i].gone {
		return
	}
	f.made[i].gone = true
	f.standing--
	if f.trial != nil {
		f.trial.on(func() { f.made[i].gone = false })
	}
}

// rejects adds to what a decision ruled out.
func (f *folder) rejects(i int, what []string) {
	was := f.made[i].Rejected
	if f.trial != nil {
		f.trial.on(func() { f.made[i].Rejected = was })
	}
	for _, r := range what {
		f.made[i].Rejected = add(f.made[i].Rejected, r)
	}
}

// index sets a list of one of the maps of lists.
func (f *folder) index(m map[uint32][]int, t uint32, list []int) {
	if f.trial != nil {
		was, ok := m[t]
		f.trial.on(func() {
			if m[t] = was; !ok {
				delete(m, t)
			}
		})
	}
	m[t] = list
}

// nameAsked sets the latest question of a key.
func (f *folder) nameAsked(key string, i int) {
	if f.trial != nil {
		was, ok := f.byKey[key]
		f.trial.on(func() {
			if f.byKey[key] = was; !ok {
				delete(f.byKey, key)
			}
		})
	}
	f.byKey[key] = i
}
