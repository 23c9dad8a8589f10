package fact

import (
	"cmp"
	"maps"
	"slices"
)

// Set is the facts of one repository. It only grows: a fact that is removed leaves its removal, and
// one that is replaced stays until then. Not safe for concurrent use.
type Set struct {
	facts   map[string]*VerifiedFact
	removed map[string]map[string]*VerifiedFact // id → author → the removal
}

// NewSet returns an empty set.
func NewSet() *Set {
	return &Set{facts: map[string]*VerifiedFact{}, removed: map[string]map[string]*VerifiedFact{}}
}

// Add adds a fact, and reports whether the set is another one than before. Only the author of a
// fact can remove it: a removal by another author has no effect, in whatever order they come.
func (s *Set) Add(o *VerifiedFact) (changed bool) {
	if o.Removes == "" {
		if s.facts[o.ID] != nil || s.removed[o.ID][o.Author] != nil {
			return false
		}
		s.facts[o.ID] = o
		return true
	}
	if f := s.facts[o.ID]; f != nil && f.Author != o.Author || s.removed[o.ID][o.Author] != nil {
		return false
	}
	if s.removed[o.ID] == nil {
		s.removed[o.ID] = map[string]*VerifiedFact{}
	}
	s.removed[o.ID][o.Author] = o
	delete(s.facts, o.ID)
	return true
}

// Get returns a fact, nil if there is none or it was removed.
func (s *Set) Get(id string) *VerifiedFact { return s.facts[id] }

// Removed reports whether a fact was removed by its author.
func (s *Set) Removed(id, author string) bool { return s.removed[id][author] != nil }

// Len returns the numbers of facts and of removals.
func (s *Set) Len() (facts, removals int) {
	for _, by := range s.removed {
		removals += len(by)
	}
	return len(s.facts), removals
}

// All returns the facts and the removals, by id, then by author.
func (s *Set) All() []*VerifiedFact {
	out := slices.Collect(maps.Values(s.facts))
	for _, by := range s.removed {
		out = slices.AppendSeq(out, maps.Values(by))
	}
	slices.SortFunc(out, func(a, b *VerifiedFact) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Author, b.Author)) })
	return out
}

// Head is a fact that no other replaces.
type Head struct {
	*VerifiedFact
	// Earlier are the ids of all facts that it replaces, directly or by others, also of those that
	// were removed since.
	Earlier []string
	// Rivals are the ids of other heads that replace one of the same facts: their authors did not
	// know of each other.
	Rivals []string
}

// Heads returns the facts that no other fact of the set replaces, by id. A fact that was removed
// replaces nothing.
func (s *Set) Heads() []Head {
	replaced := map[string]bool{}
	for _, f := range s.facts {
		for _, id := range f.Supersedes {
			replaced[id] = true
		}
	}
	var heads []Head
	over := map[string][]int{} // an earlier fact → the heads that replace it
	for _, id := range slices.Sorted(maps.Keys(s.facts)) {
		if !replaced[id] {
			h := Head{VerifiedFact: s.facts[id], Earlier: s.earlier(id)}
			for _, e := range h.Earlier {
				over[e] = append(over[e], len(heads))
			}
			heads = append(heads, h)
		}
	}
	for i := range heads {
		for _, e := range heads[i].Earlier {
			for _, other := range over[e] {
				if id := heads[other].ID; other != i && !slices.Contains(heads[i].Rivals, id) {
					heads[i].Rivals = append(heads[i].Rivals, id)
				}
			}
		}
		slices.Sort(heads[i].Rivals)
	}
	return heads
}

// earlier returns what a fact replaces, however indirectly, sorted. An id follows from the content,
// so that there is no circle; one that somebody invented is not in the set and leads nowhere.
func (s *Set) earlier(id string) []string {
	seen := map[string]bool{}
	next := []string{id}
	for len(next) > 0 {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		f := s.facts[at]
		if f == nil {
			continue
		}
		for _, e := range f.Supersedes {
			if !seen[e] {
				seen[e] = true
				next = append(next, e)
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
