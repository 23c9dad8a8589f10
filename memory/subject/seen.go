package subject

import (
	"cmp"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
	"golang.org/x/text/unicode/norm"
)

// Sighting is a turn that mentions a name. At is the time of its latest mention.
type Sighting struct {
	Conversation uint32
	Turn         int
	At           time.Time
}

// Seen returns at most limit turns that mention a name, latest first. A path is matched under all
// its names, a symbol exactly except for its separators.
func Seen(view store.View, m Mention, limit int) ([]Sighting, error) {
	m.Name = norm.NFC.String(m.Name)
	wanted, err := newAliases(view).namesOf(m)
	if err != nil {
		return nil, err
	}
	latest := map[turnKey]time.Time{}
	for _, n := range wanted {
		turns := 0
		err := eachTurn(view, n, func(at turnKey, when time.Time) bool {
			if when.After(latest[at]) || latest[at].IsZero() {
				latest[at] = when
			}
			turns++
			return turns < limit
		})
		if err != nil {
			return nil, err
		}
	}
	out := make([]Sighting, 0, len(latest))
	for at, when := range latest {
		out = append(out, Sighting{Conversation: at.conversation, Turn: at.turn, At: when})
	}
	slices.SortFunc(out, func(a, b Sighting) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Conversation, b.Conversation), cmp.Compare(b.Turn, a.Turn))
	})
	return out[:min(len(out), limit)], nil
}

// namesOf returns a symbol's name, or all names of a path.
func (a *aliases) namesOf(m Mention) ([]name, error) {
	if m.Kind != Path {
		return []name{nameOf(m)}, nil
	}
	paths, err := a.names(m.Name)
	if err != nil {
		return nil, err
	}
	out := make([]name, len(paths))
	for i, p := range paths {
		out[i] = nameOf(Mention{Path, p})
	}
	return out, nil
}

// maxSightings bounds the sightings read of a name that many messages of a few turns mention.
const maxSightings = 16384

// eachTurn calls f once for each turn that mentions a name, latest first, until f returns false.
func eachTurn(view store.View, n name, f func(at turnKey, when time.Time) (more bool)) error {
	prefix := n.prefix(view.Workspace)
	done := map[turnKey]bool{}
	rows := 0
	return wrap("read sightings", view.Scan(prefix, store.PrefixEnd(prefix), func(key, _ []byte) (bool, error) {
		when, at, ok := takeSighting(key[len(prefix):])
		if !ok {
			return false, errDamaged
		}
		if rows++; done[at] {
			return rows < maxSightings, nil
		}
		done[at] = true
		return f(at, when), nil
	}))
}

// eachMessage calls f with the mentions of each message of a turn that has any, in order.
func eachMessage(view store.View, at turnKey, f func([]Mention)) error {
	prefix := turnPrefix(view.Workspace, at)
	return wrap("read mentions", view.Scan(prefix, store.PrefixEnd(prefix), func(_, value []byte) (bool, error) {
		_, list, err := decode(value)
		if err == nil {
			f(list)
		}
		return true, err
	}))
}
