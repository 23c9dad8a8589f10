package subject

import (
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
	"golang.org/x/text/unicode/norm"
)

// Lookup describes a code position or a prompt. The first symbol is the one under the cursor.
type Lookup struct {
	Paths   []string // below the root
	Symbols []string
	Limit   int // of turns; 0 means 20
}

// LookupHit is a turn that mentions some of the names in a lookup. Paths and Symbols are the turn's
// mentions, those of the lookup first; renamed paths appear under their current names.
type LookupHit struct {
	Conversation   uint32
	Turn           int
	At             time.Time // of the latest mention
	Score          float64   // above 0; comparable within one answer only
	Paths, Symbols []string
}

const (
	defaultLimit = 20
	// A file is weaker evidence than a symbol in it, and a further symbol than the one under the
	// cursor.
	firstSymbol, otherSymbol, fileWeight = 1, .7, .4
	// The weight of a mention whose name is only the end of the one looked for, or vice versa.
	lastPartOnly, severalParts = .5, .8
	// Bounds on what a lookup reads: turns of a stored name, turns for a name looked for, turns in
	// all, and names in all that end like one looked for. Of a name with more turns, which counts
	// as fully common, only the latest turns count.
	maxTurns, maxWantedTurns, maxAllTurns, maxVariants = 512, 2048, 8192, 256
	// maxWanted bounds the number of names looked for.
	maxWanted = 64
	// The part of a mention's weight that depends on time halves with every halfLife before the
	// latest turn found; timeless is the part that does not.
	halfLife, timeless = 60 * 24 * time.Hour, .5
	// commonTurns is the number of turns at which the rarity of a name is 0; 1 turn has rarity 1,
	// and 100 turns a half.
	commonTurns = 10000
	// maxNamed bounds the paths and the symbols listed for a turn.
	maxNamed = 16
)

// Find returns the turns that mention what is looked for, best first. Each name that a turn
// mentions raises its score: symbols more than files, names of few turns more than common ones,
// recent mentions more than old ones, and names that agree only in their last parts less. Turns
// with equal scores are ordered from the latest.
func Find(view store.View, l Lookup) ([]LookupHit, error) {
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
	// A turn that was found by one name may also mention another whose turns exceeded the bounds:
	// read all mentions of the best turns.
	ranked = ranked[:min(len(ranked), l.Limit+8)]
	for _, c := range ranked {
		if err := s.read(c); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(ranked, (*candidate).compare)
	return s.found(ranked[:min(len(ranked), l.Limit)])
}

// search is the state of one lookup.
type search struct {
	view    store.View
	aliases *aliases
	wanted  []*lookupSubject
	turns   map[turnKey]*candidate
	latest  time.Time

	taken, variations int // used share of maxAllTurns and maxVariants
}

// lookupSubject is one thing looked for, under all its names.
type lookupSubject struct {
	weight float64
	names  []name
	rarity map[string]float64 // by stored name
	taken  int                // of maxWantedTurns
}

// want looks up one thing.
func (s *search) want(m Mention, weight float64) error {
	if len(s.wanted) == maxWanted || m.Name == "" {
		return nil
	}
	m.Name = norm.NFC.String(m.Name)
	all, err := s.aliases.namesOf(m)
	if err != nil {
		return err
	}
	w := &lookupSubject{weight: weight, names: all, rarity: map[string]float64{}}
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

// room returns how many more turns may be read for a wanted thing.
func (s *search) room(w *lookupSubject) int { return min(maxWantedTurns-w.taken, maxAllTurns-s.taken) }

// gather adds the turns that mention a stored name.
func (s *search) gather(w *lookupSubject, k name) error {
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

// variants returns the names that match a wanted one: the name itself, its endings, and the stored
// names that end with it.
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
