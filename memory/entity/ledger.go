package entity

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/store"
)

const (
	ledgerHalfLife = 20  // turns after which a mention counts half
	ledgerTurns    = 200 // turns before the last one that are read: what is older counts next to nothing
)

// Ledger counts the files and symbols that a run of turns mentions, each mention the less the older
// its turn is. The zero value is empty. What it says depends on the mentions and their turns alone,
// never on a clock.
type Ledger struct {
	entries map[Mention]*ledgerEntry
}

type ledgerEntry struct {
	Mention
	turn  int // of the last mention
	score float64
}

// at is the score as of a turn.
func (e *ledgerEntry) at(turn int) float64 {
	return e.score * math.Exp2(-float64(turn-e.turn)/ledgerHalfLife)
}

// Add counts what a message of a turn mentions. Turns must not descend.
func (l *Ledger) Add(turn int, mentions []Mention) {
	if l.entries == nil {
		l.entries = map[Mention]*ledgerEntry{}
	}
	for _, m := range mentions {
		e := l.entries[m]
		if e == nil {
			e = &ledgerEntry{Mention: m}
			l.entries[m] = e
		}
		e.score, e.turn = e.at(turn)+1, turn
	}
}

// Join adds what another ledger counts as of its last turn, each part of it weight as much. The
// names of l are of no turn afterwards.
func (l *Ledger) Join(other *Ledger, weight float64) {
	if l.entries == nil {
		l.entries = map[Mention]*ledgerEntry{}
	}
	last := other.last()
	for m, o := range other.entries {
		e := l.entries[m]
		if e == nil {
			e = &ledgerEntry{Mention: m}
			l.entries[m] = e
		}
		e.score += weight * o.at(last)
	}
}

// last is the last turn that mentions anything.
func (l *Ledger) last() int {
	last := 0
	for _, e := range l.entries {
		last = max(last, e.turn)
	}
	return last
}

// Top returns at most so many mentions, those that count most first.
func (l *Ledger) Top(most int) []Mention {
	list := l.Latest(most)
	out := make([]Mention, len(list))
	for i, m := range list {
		out[i] = m.Mention
	}
	return out
}

// Dated is a mention and the last turn that has it, from 1; 0 for one that was joined from another
// ledger.
type Dated struct {
	Mention
	Turn int
}

// Latest returns what Top returns, with the turns.
func (l *Ledger) Latest(most int) []Dated {
	list := slices.Collect(maps.Values(l.entries))
	last := l.last()
	slices.SortFunc(list, func(a, b *ledgerEntry) int {
		return cmp.Or(cmp.Compare(b.at(last), a.at(last)), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	out := make([]Dated, 0, min(most, len(list)))
	for _, e := range list[:min(most, len(list))] {
		out = append(out, Dated{e.Mention, e.turn})
	}
	return out
}

// mostListed bounds how many names Text lists.
const mostListed = 100

// Text returns the ledger in at most so many tokens, as one line for the files and one for the
// other names, "" where nothing fits. A name that does not fit is left out, and so are all that
// count less.
func (l *Ledger) Text(tokens int, count func(string) int) string {
	list := l.Top(mostListed)
	low, high := 0, len(list)+1 // low names fit, high do not
	for high-low > 1 {
		if mid := (low + high) / 2; count(ledgerText(list[:mid])) <= tokens {
			low = mid
		} else {
			high = mid
		}
	}
	return ledgerText(list[:low])
}

func ledgerText(list []Mention) string {
	var files, names []string
	for _, m := range list {
		if m.Kind == Path {
			files = append(files, m.Name)
		} else {
			names = append(names, m.Name)
		}
	}
	var lines []string
	if len(files) > 0 {
		lines = append(lines, "Files: "+strings.Join(files, ", "))
	}
	if len(names) > 0 {
		lines = append(lines, "Names: "+strings.Join(names, ", "))
	}
	return strings.Join(lines, "\n")
}

// Run is messages From … To-1 of turns FirstTurn … LastTurn that are stored under a conversation's
// number.
type Run struct {
	Conversation        uint32
	From, To            int
	FirstTurn, LastTurn int
}

// Count adds what the messages of a run mention, of its latest turns where it is long. Paths that
// were renamed are counted as they are called now.
func (l *Ledger) Count(view store.View, run Run) error {
	first := max(run.FirstTurn, run.LastTurn-ledgerTurns+1)
	space := len(turnPrefix(view.Workspace, turnKey{})) - 8
	from, to := turnPrefix(view.Workspace, turnKey{run.Conversation, first}), turnPrefix(view.Workspace, turnKey{run.Conversation, run.LastTurn + 1})
	moved := newAliases(view)
	return wrap("count mentions", view.Scan(from, to, func(key, value []byte) (bool, error) {
		_, rest, ok := store.TakeUint32(key[space:])
		if !ok {
			return false, errDamaged
		}
		turn, rest, ok := store.TakeUint32(rest)
		if !ok {
			return false, errDamaged
		}
		message, _, ok := store.TakeUint32(rest)
		if !ok {
			return false, errDamaged
		}
		if int(message) < run.From || int(message) >= run.To {
			return true, nil
		}
		_, list, err := decode(value)
		for i := range list {
			if err == nil && list[i].Kind == Path {
				list[i].Name, err = moved.current(list[i].Name)
			}
		}
		if err == nil {
			l.Add(int(turn), list)
		}
		return true, err
	}))
}
