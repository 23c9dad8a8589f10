package entity

import (
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
	"golang.org/x/text/unicode/norm"
)

// Lookup is what stands at a code position or in a prompt. The first symbol is the one under the
// cursor.
type Lookup struct {
	Paths   []string // below the root
	Symbols []string
	Limit   int // of turns; 0 gives 20
}

// Found is a turn that mentions some of what was looked for. Paths and Symbols are what it
// mentions, what was looked for first; paths that were renamed are given as they are called now.
type Found struct {
	Conversation   uint32
	Turn           int
	At             time.Time // of the latest mention
	Score          float64   // above 0; comparable within one answer only
	Paths, Symbols []string
}

const (
	defaultLimit = 20
	// A file says less than a symbol in it, a further symbol less than the one under the cursor.
	firstSymbol, otherSymbol, fileWeight = 1, .7, .4
	// How much a mention counts whose name is only the end of the one looked for, or the other way
	// round.
	lastPartOnly, severalParts = .5, .8
	// Bounds of what a lookup reads: turns of a kept name, turns for a name looked for, turns in
	// all, and names that end like one looked for, in all. A name with more turns is as common as
	// can be, and its latest turns count.
	maxTurns, maxWantedTurns, maxAllTurns, maxVariants = 512, 2048, 8192, 256
	// maxWanted bounds the names looked for.
	maxWanted = 64
	// A turn's mention loses half of the weight that time can take in halfLife before the latest
	// found.
	halfLife, timeless = 60 * 24 * time.Hour, .5
	// commonTurns is the number of turns at which the rarity of a name is nothing: 1 turn gives 1,
	// 100 give a half.
	commonTurns = 10000
	// maxNamed bounds the paths and the symbols that a turn is given with.
	maxNamed = 16
)

// Find returns the turns that mention what is looked for, best first. A turn gains by each name it
// mentions: more for a symbol than for a file, more for names that few turns mention, more when it
// is recent, and less when its name agrees with the one looked for in its last parts only. Equal
// scores: the later turn first.
func Find(view store.View, l Lookup) ([]Found, error) {
	if l.Limit <= 0 {
		l.Limit = defaultLimit
	}
	s := search{view: view, aliases: newAliases(view), turns: map[turnKey]*candidate{}}
	for i, n := range l.Symbols {
		weight := otherSymbol
		if i == 0 {
			weight = firstSymbol
		}
		if err := s.want(Mention{Symbol, n}, weight); err != nil {
			return nil, err
		}
	}
	for _, p := range l.Paths {
		if err := s.want(Mention{Path, p}, fileWeight); err != nil {
			return nil, err
		}
	}
	ranked := s.ranked()
	// What a name's bounds cut off may be mentioned by a turn that another name found: the best are
	// read whole.
	ranked = ranked[:min(len(ranked), l.Limit+8)]
	for _, c := range ranked {
		if err := s.read(c); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(ranked, (*candidate).compare)
	return s.found(ranked[:min(len(ranked), l.Limit)])
}

// search is one lookup under way.
type search struct {
	view    store.View
	aliases *aliases
	wanted  []*wanted
	turns   map[turnKey]*candidate
	latest  time.Time

	taken, variations int // how much of maxAllTurns and maxVariants is used
}

// wanted is one thing looked for, under all of its names.
type wanted struct {
	weight float64
	names  []name
	rarity map[string]float64 // by kept name
	taken  int                // of maxWantedTurns
}

// want looks one thing up.
func (s *search) want(m Mention, weight float64) error {
	if len(s.wanted) == maxWanted || m.Name == "" {
		return nil
	}
	m.Name = norm.NFC.String(m.Name)
	all, err := s.aliases.namesOf(m)
	if err != nil {
		return err
	}
	w := &wanted{weight: weight, names: all, rarity: map[string]float64{}}
	s.wanted = append(s.wanted, w)
	for _, n := range all {
		kept, err := s.variants(n)
		if err != nil {
			return err
		}
		for _, k := range kept {
			if _, done := w.rarity[k.joined()]; !done && s.room(w) > 0 {
				if err := s.gather(w, k); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// room is how many turns may still be taken for a wanted thing.
func (s *search) room(w *wanted) int { return min(maxWantedTurns-w.taken, maxAllTurns-s.taken) }

// gather takes the turns that mention a kept name.
func (s *search) gather(w *wanted, k name) error {
	place := len(s.wanted) - 1
	var turns []*candidate
	most := min(maxTurns, s.room(w))
	err := eachTurn(s.view, k, func(at turnKey, when time.Time) bool {
		c := s.turns[at]
		if c == nil {
			c = &candidate{at: at}
			s.turns[at] = c
		}
		if c.when.IsZero() || when.After(c.when) {
			c.when = when
		}
		if s.latest.IsZero() || when.After(s.latest) {
			s.latest = when
		}
		turns = append(turns, c)
		return len(turns) < most
	})
	w.taken += len(turns)
	s.taken += len(turns)
	rare := rarity(len(turns))
	w.rarity[k.joined()] = rare
	gain := w.weight * w.match(k) * rare
	for _, c := range turns {
		c.gain(place, gain)
	}
	return err
}

// variants returns the names that agree with a wanted one: itself, its ends, and the kept names
// that end with it.
func (s *search) variants(n name) ([]name, error) {
	var out []name
	for i := range n.parts {
		out = append(out, name{n.kind, n.parts[i:]})
	}
	prefix := headPrefix(s.view.Workspace, n.kind, n.head())
	end := store.PrefixEnd(prefix)
	for lower := prefix; s.variations < maxVariants; s.variations++ {
		var kept string
		any := false
		err := s.view.Scan(lower, end, func(key, _ []byte) (bool, error) {
			var ok bool
			if kept, _, ok = store.TakeString(key[len(prefix):]); !ok {
				return false, errDamaged
			}
			any = true
			return false, nil
		})
		if err != nil || !any {
			return out, wrap("read names", err)
		}
		k := nameOf(Mention{n.kind, kept})
		if len(k.parts) > len(n.parts) && n.match(k) > 0 {
			out = append(out, k)
		}
		lower = store.PrefixEnd(k.prefix(s.view.Workspace))
	}
	return out, nil
}
