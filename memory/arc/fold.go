package arc

import (
	"slices"
	"strings"
)

// Fold makes the arc of a conversation from the notes of its turns, oldest first: that of a [Folder] they were added
// to. Time is linear in the notes.
func Fold(notes []Notes, style Style, budget int, count func(string) int) Arc {
	f := NewFolder()
	for i := range notes {
		f.Add(&notes[i])
	}
	return f.Arc(nil, style, budget, count)
}

// folder is the state of folding: decisions and questions so far, each found by its terms.
type folder struct {
	made    []made
	byTerm  map[uint32][]int // decisions by the terms of what they chose, ruled out and are for
	asked   []standing
	byKey   map[string]int   // the latest question of these words
	byWord  map[uint32][]int // questions by term; closed ones stay in it and are passed over
	seen    [1 << 10]uint64  // a filter before byWord: most terms are in no question
	pending *Stated          // what the assistant proposed in the turn before
	options []string         // and the alternatives it gave
	said    []uint32         // and the terms of what it said
	taken   string           // a decision of this turn that picked one of them and is made already
	toUser  []int            // questions the assistant asked in the turn before
	hits    []uint8          // by question: how many words of what is said now it has; all zero between two answers
	touched []int            // the questions with hits

	standing, open int // how many decisions stand, how many questions are open
	trial          *trial
}

type made struct {
	Stated
	turn int
	key  string // its words, for comparing
	gone bool
	last bool // it is compared with the last decision, and nothing was proposed since
}

type standing struct {
	Asked
	turn   int
	closed bool
}

// turn takes one more turn.
func (f *folder) turn(n *Notes) {
	if n.Refuses {
		f.refuse(n)
	} else if n.Confirms && f.pending != nil {
		f.decide(*f.pending, n.Turn)
	}
	if i := f.last(); n.Undoes && i >= 0 && f.made[i].turn == n.Turn-1 {
		f.drop(i)
	}
	f.taken = ""
	f.pick(n)
	f.said = n.Others.Terms
	f.reply(n)
	for _, s := range n.Decisions {
		if s.Text != f.taken || s.Text == "" {
			f.decide(s, n.Turn)
		}
	}
	f.answer(n.Users.Terms, n.Users.Defers, true)
	f.answer(n.Others.Terms, n.Others.Defers, false)
	f.toUser = f.toUser[:0]
	for _, q := range n.Questions {
		f.ask(q, n.Turn)
	}
	f.pending, f.options = n.Proposal, n.Options
}

// refuse takes back what the assistant alone decided in the turn before.
func (f *folder) refuse(n *Notes) {
	for i := len(f.made) - 1; i >= 0 && f.made[i].turn >= n.Turn-1; i-- {
		if f.made[i].ByOther && f.made[i].turn == n.Turn-1 {
			f.drop(i)
		}
	}
}

// reply closes the questions of the turn before that the person answers in place.
func (f *folder) reply(n *Notes) {
	if len(f.toUser) == 0 || n.Users.Defers {
		return
	}
	for _, i := range f.toUser {
		q := &f.asked[i]
		if q.Own {
			continue
		}
		common := 0
		for _, t := range q.Terms {
			if _, ok := slices.BinarySearch(n.Users.Terms, t); ok {
				common++
			}
		}
		enough := q.near()
		if n.Users.Orders {
			enough = q.far()
		}
		if common >= enough || n.Confirms || n.Refuses || len(f.toUser) == 1 && n.Users.Direct {
			f.close(i)
		}
	}
}

// ask adds a question; one that was asked before in the same words moves to this turn.
func (f *folder) ask(q Asked, turn int) {
	key := letters(q.Text)
	if i, ok := f.byKey[key]; ok && f.asked[i].ToUser == q.ToUser {
		f.close(i)
	}
	i := len(f.asked)
	f.nameAsked(key, i)
	f.asked = append(f.asked, standing{Asked: q, turn: turn})
	f.open++
	for _, t := range q.Terms {
		f.index(f.byWord, t, append(f.byWord[t], i))
		f.seen[t>>6&1023] |= 1 << (t & 63)
	}
	if q.ToUser {
		f.toUser = append(f.toUser, i)
	}
}

// answer closes the questions of earlier turns that a party's statements are about.
func (f *folder) answer(terms []uint32, deferred, byUser bool) {
	if deferred || len(f.asked) == 0 {
		return
	}
	for len(f.hits) < len(f.asked) {
		f.hits = append(f.hits, 0)
	}
	f.touched = f.touched[:0]
	for _, t := range terms {
		if f.seen[t>>6&1023]&(1<<(t&63)) == 0 {
			continue
		}
		list := f.stillOpen(t)
		for _, i := range list {
			if f.asked[i].ToUser == byUser && !f.asked[i].Undecided {
				if f.hits[i] == 0 {
					f.touched = append(f.touched, i)
				}
				f.hits[i]++
			}
		}
		if len(list) > crowded { // a word of so many questions tells none from another
			f.index(f.byWord, t, list[len(list)-crowded:])
		}
	}
	for _, i := range f.touched {
		if int(f.hits[i]) >= f.asked[i].far() {
			f.close(i)
		}
		f.hits[i] = 0
	}
}

// stillOpen are the open questions with a term. The closed ones leave its list.
func (f *folder) stillOpen(t uint32) []int {
	list := f.byWord[t]
	first := slices.IndexFunc(list, func(i int) bool { return f.asked[i].closed })
	if first < 0 {
		return list
	}
	kept := list[:first]
	if f.trial != nil {
		kept = slices.Clone(kept)
	}
	for _, i := range list[first:] {
		if !f.asked[i].closed {
			kept = append(kept, i)
		}
	}
	f.index(f.byWord, t, kept)
	return kept
}

// crowded is how many of the latest questions and decisions with a word are compared with a new one.
const crowded = 32

// questions are the latest open ones, at most room.
func (f *folder) questions(room int) []Question {
	list := make([]Question, 0, min(f.open, room))
	for i := len(f.asked) - 1; i >= 0 && len(list) < min(f.open, room); i-- {
		if q := &f.asked[i]; !q.closed {
			list = append(list, Question{Text: q.Text, Turn: q.turn})
		}
	}
	slices.Reverse(list)
	return list
}

// decisions are the latest that stand, at most room.
func (f *folder) decisions(room int) []Decision {
	list := make([]Decision, 0, min(f.standing, room))
	for i := len(f.made) - 1; i >= 0 && len(list) < min(f.standing, room); i-- {
		if m := &f.made[i]; !m.gone {
			list = append(list, Decision{Text: m.Text, Turn: m.turn, Rejected: slices.Clone(m.Rejected)})
		}
	}
	slices.Reverse(list)
	return list
}

// know reads the terms of what was chosen, ruled out and what it is for.
func (s *Stated) know() {
	if !s.read {
		s.chosen, s.rejected, s.subject = termsOf(s.Chosen, 12), termsOf(strings.Join(s.Rejected, " "), 12), termsOf(s.Subject, 8)
		s.read = true
	}
}

// decide adds a decision and takes those away that it replaces.
func (f *folder) decide(s Stated, turn int) {
	s.know()
	m := made{Stated: s, turn: turn, key: letters(s.Text)}
	m.Rejected = slices.Clone(s.Rejected)
	last := f.last()
	for _, i := range f.candidates(&m, last) {
		old := &f.made[i]
		if old.gone {
			continue
		}
		if old.key == m.key || equal(old.chosen, m.chosen) && len(m.chosen) > 0 && (equal(old.subject, m.subject) || len(m.subject) == 0) {
			f.rejects(i, m.Rejected) // said again: the first time counts
			return
		}
		m.last = i == last && (f.pending == nil || takesBack(m.Text) && len(f.pending.Chosen) == 0)
		if replaces(&m, old, turn) {
			f.drop(i)
			for _, r := range append([]string{old.Chosen}, old.Rejected...) {
				if r != "" && !strings.EqualFold(r, m.Chosen) {
					m.Rejected = add(m.Rejected, r)
				}
			}
			if m.subject == nil {
				m.Subject, m.subject = old.Subject, old.subject
			}
			m.rejected = termsOf(strings.Join(m.Rejected, " "), 16)
		}
	}
	f.settle(&m)
	i := len(f.made)
	f.made = append(f.made, m)
	f.standing++
	for _, list := range [...][]uint32{m.chosen, m.rejected, m.subject} {
		for _, t := range list {
			if l := f.byTerm[t]; len(l) == 0 || l[len(l)-1] != i {
				f.index(f.byTerm, t, append(l, i))
			}
		}
	}
}

// candidates are the decisions, latest first, that a new one may repeat or replace: those with a word of it, and the
// last one.
func (f *folder) candidates(m *made, last int) []int {
	var list []int
	for _, terms := range [...][]uint32{m.chosen, m.rejected, m.subject} {
		for _, t := range terms {
			l := f.byTerm[t]
			list = append(list, l[max(0, len(l)-crowded/2):]...)
		}
	}
	if last >= 0 {
		list = append(list, last)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	slices.Reverse(list)
	return list
}

// last is the latest decision that stands, -1 without one.
func (f *folder) last() int {
	for i := len(f.made) - 1; i >= 0; i-- {
		if !f.made[i].gone {
			return i
		}
	}
	return -1
}

// For how many turns a change of mind speaks of an earlier decision.
const (
	recent  = 6 // where it names what it is for
	justNow = 2 // "use Z instead": of the last decision, when nothing was proposed since
)

// takesBack reports whether a decision says in so many words that it replaces something said before.
func takesBack(text string) bool {
	low := lowered(text)
	for _, p := range [...]string{"instead", "scratch that", "second thought", "change of plan", "never mind", "nevermind", "nvm", "switch"} {
		if strings.Contains(low, p) {
			return true
		}
	}
	return false
}

// replaces reports whether a new decision changes an older one: it rules out what that one chose, it chooses what that
// one ruled out, it chooses something else for the same thing, or it changes its mind about what was decided last.
func replaces(m, old *made, turn int) bool {
	switch {
	case within(old.chosen, m.rejected) || within(m.rejected, old.chosen) && 2*len(m.rejected) >= len(old.chosen):
		return apart(m, old)
	case within(m.chosen, old.rejected) && 2*len(m.chosen) >= len(old.rejected):
		return apart(m, old)
	case len(m.subject) > 0 && len(old.subject) > 0:
		return sameThing(m.subject, old.subject) && !equal(m.chosen, old.chosen) && len(old.chosen) > 0
	case m.Change && len(m.Rejected) == 0 && len(m.chosen) > 0 && len(m.subject) > 0:
		return turn-old.turn <= recent && (overlap(m.subject, old.chosen, old.rejected) || overlap(m.subject, termsOf(old.Text, 24), nil))
	case m.Change && len(m.Rejected) == 0 && len(m.chosen) > 0:
		return m.last && (turn-old.turn <= justNow && takesBack(m.Text) || turn-old.turn <= 1 && len(m.chosen) <= 2)
	case m.Change && len(m.Rejected) == 0:
		return overlap(m.subject, termsOf(old.Text, 24), nil)
	}
	return false
}

// sameThing reports whether two subjects are one: the words of one are among the other's and not a small part of it.
func sameThing(a, b []uint32) bool {
	return within(a, b) && 2*len(a) >= len(b) || within(b, a) && 2*len(b) >= len(a)
}

// apart reports that two decisions are not for things that differ.
func apart(m, old *made) bool {
	return len(m.subject) == 0 || len(old.subject) == 0 || overlap(m.subject, old.subject, nil)
}

// within reports whether all of a are in b.
func within(a, b []uint32) bool {
	for _, t := range a {
		if !slices.Contains(b, t) {
			return false
		}
	}
	return len(a) > 0
}

func equal(a, b []uint32) bool { return within(a, b) && within(b, a) || len(a) == 0 && len(b) == 0 }

func overlap(a, b, c []uint32) bool {
	return slices.ContainsFunc(a, func(t uint32) bool { return slices.Contains(b, t) || slices.Contains(c, t) })
}

func add(list []string, s string) []string {
	if slices.ContainsFunc(list, func(have string) bool { return strings.EqualFold(have, s) }) {
		return list
	}
	return append(list, s)
}

// letters is what two sentences have in common that are the same words: without spaces, marks and case.
func letters(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		if c := letterOf[s[i]]; c != 0 {
			b = append(b, c)
		}
	}
	return string(b)
}

// letterOf is each byte in lower case, 0 for spaces and marks.
var letterOf = func() (of [256]byte) {
	for c := range of {
		switch b := byte(c); {
		case b >= 'A' && b <= 'Z':
			of[c] = b + 'a' - 'A'
		case strings.IndexByte(" .,;:!?`'\"", b) < 0:
			of[c] = b
		}
	}
	return of
}()

// lookBack is how many of the last turns the focus is about.
const lookBack = 5

// focus is what the last turns are about: the latest intent that says something, with the names that the last turns
// speak of most.
func focus(turns []told) string {
	text := ""
	uses := map[string]float64{}
	var names []string
	weight := 1.0
	for i := len(turns) - 1; i >= max(0, len(turns)-lookBack); i-- {
		if text == "" {
			text = turns[i].intent
		}
		for j, name := range turns[i].names {
			if uses[name] == 0 {
				names = append(names, name)
			}
			uses[name] += weight / float64(j+2)
		}
		weight *= 0.5
	}
	for i := len(turns) - 1 - lookBack; i >= 0 && text == ""; i-- {
		text = turns[i].intent
	}
	slices.SortStableFunc(names, func(a, b string) int {
		switch {
		case uses[a] > uses[b]:
			return -1
		case uses[a] < uses[b]:
			return 1
		}
		return 0
	})
	names = slices.DeleteFunc(names, func(name string) bool { return strings.Contains(text, name) })
	if text == "" || len(names) == 0 {
		return text + strings.Join(names[:min(len(names), 3)], ", ")
	}
	return strings.TrimRight(text, ".") + " (" + strings.Join(names[:min(len(names), 3)], ", ") + ")"
}
