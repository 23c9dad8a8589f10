package subject

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/store"
)

const (
	ledgerHalfLife = 20  // turns after which a mention counts half as much
	ledgerTurns    = 200 // turns read before the last one; older ones have almost no weight
)

// Ledger counts the files and symbols that a run of turns mentions; the older the turn, the less a
// mention counts. The zero value is empty. The result depends only on the mentions and their turns,
// never on a clock.
type Ledger struct {
	entries map[Mention]*ledgerEntry
}

type ledgerEntry struct {
	Mention
	turn  int // of the last mention
	score float64
}

// at returns the score as of a turn.
func (e *ledgerEntry) at(turn int) float64 {
	return e.score * math.Exp2(-float64(turn-e.turn)/ledgerHalfLife)
}

// Add counts the mentions of a message of a turn. Turn numbers must not decrease.
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

// Join adds the scores of another ledger as of its last turn, each multiplied by weight. Afterwards
// the names of l no longer have turns.
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

// last returns the last turn that mentions anything.
func (l *Ledger) last() int {
	last := 0
	for _, e := range l.entries {
		last = max(last, e.turn)
	}
	return last
}

// Top returns at most most mentions, those with the highest scores first.
func (l *Ledger) Top(most int) []Mention {
	list := l.Latest(most)
	out := make([]Mention, len(list))
	for i, m := range list {
		out[i] = m.Mention
	}
	return out
}

// DatedMention is a mention with its last turn, from 1; 0 if it was joined from another ledger.
type DatedMention struct {
	Mention
	Turn int
}

// Latest returns what Top returns, with the turns.
func (l *Ledger) Latest(most int) []DatedMention {
	list := slices.Collect(maps.Values(l.entries))
	last := l.last()
	slices.SortFunc(list, func(a, b *ledgerEntry) int {
		return cmp.Or(cmp.Compare(b.at(last), a.at(last)), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	out := make([]DatedMention, 0, min(most, len(list)))
	for _, e := range list[:min(most, len(list))] {
		out = append(out, DatedMention{e.Mention, e.turn})
	}
	return out
}

// mostListed bounds the number of names in Text.
const mostListed = 100

// Text returns the ledger in at most tokens tokens, as one line for the files and one for the other
// names, or "" if nothing fits. It omits the first name that does not fit and all with lower
// scores.
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

// Run identifies messages From … To-1 of turns FirstTurn … LastTurn, stored under a conversation's
// number.
type Run struct {
	Conversation        uint32
	From, To            int
	FirstTurn, LastTurn int
}

// Count adds the mentions of a run's messages; of a long run, those of its latest turns. Renamed
// paths count under their current names.
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
			l.Add(int(turn), slices.DeleteFunc(list, func(m Mention) bool { return !m.isCode() }))
		}
		return true, err
	}))
}
