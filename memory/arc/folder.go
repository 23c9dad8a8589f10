package arc

import (
	"cmp"
	"slices"
	"sync"
)

// Folder is the arc of a growing conversation. The cost of a turn does not depend on the length of
// the conversation. A Folder is safe for concurrent use.
type Folder struct {
	mu             sync.Mutex
	turns          []turnText
	made           []keyedDecision
	asked          []asking
	before         [2]*Notes   // the turn before, and the one before that
	seen           map[key]int // the number of turns with a word
	undo           []undo      // the changes made by a turn that is added only for a trial
	trying         bool
	standing, open int // the number of active decisions and of open questions
}

// turnText holds what the text of an arc needs from a turn.
type turnText struct {
	turn   int
	intent string
	names  []string // of the last turns only
}

// keyedDecision is a decision with the keys that later ones are compared with.
type keyedDecision struct {
	Decision
	own   []key // of its words
	about []key // of the question or proposal that it settles
	gone  int   // the turn that replaced or withdrew it
}

// asking is a question with the keys that may match its answer.
type asking struct {
	Question
	keys     []key
	toPerson bool
	closed   int // the turn that answered it
}

// undo records a decision or a question and the turn that had ended it.
type undo struct {
	question bool
	i, was   int
}

// How far back a turn searches for what it replaces or answers.
const (
	lookBack  = 256 // decisions, and questions
	focusBack = 3   // turns whose names are in focus
)

// NewFolder returns the arc of an empty conversation.
func NewFolder() *Folder { return &Folder{seen: map[key]int{}} }

// Turns returns the number of turns added.
func (f *Folder) Turns() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.turns)
}

// Add adds the next turn. The notes must not change afterwards.
func (f *Folder) Add(n *Notes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.add(n)
	if old := len(f.turns) - 1 - focusBack; old >= 0 {
		f.turns[old].names = nil
	}
}

func (f *Folder) add(n *Notes) {
	f.turns = append(f.turns, turnText{turn: n.Turn, intent: n.Intent, names: n.Names})
	t := turn{folder: f, notes: n, now: n.Turn}
	t.read()
	f.count(n, 1)
	f.before[1], f.before[0] = f.before[0], n
}

// Arc returns the arc of the turns added. If last is not nil, the arc includes it as one more turn
// without adding it, since that turn may still grow. The text takes at most budget tokens as
// measured by count (nil: four bytes a token; budget ≤ 0: only the style's own limit). Under a
// budget the lists hold as many of the newest decisions and questions as fit into a text of that
// length, and the time taken depends on the budget.
func (f *Folder) Arc(last *Notes, style Style, budget int, count func(string) int) Arc {
	if count == nil {
		count = func(s string) int { return (len(s) + 3) / 4 }
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if last != nil {
		defer f.try(last)()
	}
	room := max(f.standing, f.open)
	if budget > 0 {
		room = budget/leastLine + leastListed
	}
	a := Arc{Decisions: []Decision{}, Open: []Question{}, Focus: f.focus()}
	for i := len(f.made) - 1; i >= 0 && len(a.Decisions) < min(room, f.standing); i-- {
		if f.made[i].gone == 0 {
			a.Decisions = append(a.Decisions, f.made[i].Decision)
		}
	}
	for i := len(f.asked) - 1; i >= 0 && len(a.Open) < min(room, f.open); i-- {
		if f.asked[i].closed == 0 {
			a.Open = append(a.Open, f.asked[i].Question)
		}
	}
	order(a.Decisions, func(d Decision) int { return d.Turn })
	order(a.Open, func(q Question) int { return q.Turn })
	w := writer{turns: f.turns, a: &a, decided: f.standing, open: f.open, count: count}
	a.Text = w.write(style, budget)
	return a
}

// Entry is a decision or a question of a conversation, in its original words.
type Entry struct {
	Text     string
	Turn     int
	Question bool
	// Ended reports that a later turn replaced or withdrew the decision, or answered the question.
	Ended bool
}

// Marks returns the decisions and questions of the turns from … to, both included. If last is not
// nil, it counts as one more turn without being added. Decisions come before questions, each in the
// order of their turns. Questions that were answered in their own turn are left out.
func (f *Folder) Marks(last *Notes, from, to int) []Entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	if last != nil {
		defer f.try(last)()
	}
	out := []Entry{}
	for i := range f.made {
		if d := &f.made[i]; d.Turn >= from && d.Turn <= to {
			out = append(out, Entry{Text: d.Text, Turn: d.Turn, Ended: d.gone != 0})
		}
	}
	decisions := len(out)
	for i := range f.asked {
		if q := &f.asked[i]; q.Turn >= from && q.Turn <= to && (q.closed == 0 || q.closed > q.Turn) {
			out = append(out, Entry{Text: q.Text, Turn: q.Turn, Question: true, Ended: q.closed != 0})
		}
	}
	questions := out[decisions:] // a reopened one belongs to an earlier turn
	slices.SortStableFunc(questions, func(a, b Entry) int { return cmp.Compare(a.Turn, b.Turn) })
	return out
}

// leastListed is the number of decisions and questions that the lists hold under any budget.
const leastListed = 32

// try adds a turn and returns a function that removes it again.
func (f *Folder) try(n *Notes) func() {
	turns, decided, asked, before, standing, open := len(f.turns), len(f.made), len(f.asked), f.before, f.standing, f.open
	f.trying = true
	f.add(n)
	return func() {
		for i := len(f.undo) - 1; i >= 0; i-- {
			if u := f.undo[i]; u.question {
				f.asked[u.i].closed = u.was
			} else {
				f.made[u.i].gone = u.was
			}
		}
		f.turns, f.made, f.asked, f.before, f.standing, f.open = f.turns[:turns], f.made[:decided], f.asked[:asked], before, standing, open
		f.undo, f.trying = f.undo[:0], false
		f.count(n, -1)
	}
}

// end marks a decision or a question as ended by a turn; turn 0 makes it active again.
func (f *Folder) end(question bool, i, turn int) {
	var at, number *int
	if question {
		at, number = &f.asked[i].closed, &f.open
	} else {
		at, number = &f.made[i].gone, &f.standing
	}
	if f.trying {
		f.undo = append(f.undo, undo{question, i, *at})
	}
	if *at == 0 && turn != 0 {
		*number--
	} else if *at != 0 && turn == 0 {
		*number++
	}
	*at = turn
}

// each calls use for the latest active decisions, newest first, until it returns false.
func (f *Folder) each(use func(i int, d *keyedDecision) bool) {
	for i := len(f.made) - 1; i >= max(0, len(f.made)-lookBack); i-- {
		if f.made[i].gone == 0 && !use(i, &f.made[i]) {
			return
		}
	}
}

// eachOpen calls use for the latest open questions, newest first, until it returns false.
func (f *Folder) eachOpen(use func(i int, q *asking) bool) {
	for i := len(f.asked) - 1; i >= max(0, len(f.asked)-lookBack); i-- {
		if f.asked[i].closed == 0 && !use(i, &f.asked[i]) {
			return
		}
	}
}

// A word that occurs in this many turns, and in this share of all turns, is not distinctive in the
// conversation.
const (
	oftenTurns = 5
	oftenShare = 3
)

// rare returns the keys that are distinctive in this conversation.
func (f *Folder) rare(keys []key) []key {
	out := keys[:0:0]
	for _, k := range keys {
		if n := f.seen[k.word()]; n < oftenTurns || n*oftenShare < len(f.turns) {
			out = append(out, k)
		}
	}
	return out
}

// count adds by to the count of each word of a turn, once a word; by is -1 to remove the turn.
func (f *Folder) count(n *Notes, by int) {
	for _, k := range union(n.Heard, n.Answer) {
		f.seen[k.word()] += by
	}
}
