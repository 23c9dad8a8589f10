package profile

import (
	"slices"
)

// Act is what a person wants done with a topic or an entity.
type Act string

// The acts. Each remains in force in later runs.
const (
	Rename Act = "rename" // Label becomes its label
	Merge  Act = "merge"  // it becomes a part of Into
	Pin    Act = "pin"    // it is listed first and kept whatever its weight
	Unpin  Act = "unpin"  // its pin is removed
	Forget Act = "forget" // it is not found again
)

// Steering is one wish of a person.
type Steering struct {
	Act   Act    `json:"act"`
	ID    string `json:"id"`
	Label string `json:"label,omitempty"`
	Into  string `json:"into,omitempty"`
	// Keys are those of the subject's names when it was steered, see [NameKey]: its id may be
	// assigned again.
	Keys []string `json:"keys,omitempty"`
}

// IsValid reports whether the wish has what its act requires.
func (w *Steering) IsValid() bool {
	switch w.Act {
	case Rename:
		return w.ID != "" && w.Label != ""
	case Merge:
		return w.ID != "" && w.Into != "" && w.Into != w.ID
	case Pin, Forget:
		return w.ID != ""
	}
	return false
}

// IsOf reports whether the wish is about a subject.
func (w *Steering) IsOf(s *Subject) bool {
	return w.ID == s.ID || len(w.Keys) > 0 && slices.Contains(w.Keys, NameKey(s.FoundLabel()))
}

// Keys returns the keys of a subject's names.
func (s *Subject) Keys() []string {
	out := []string{NameKey(s.Label)}
	for _, n := range s.Names {
		out = append(out, NameKey(n))
	}
	return out
}

// steer applies a person's wishes.
func steer(out *Set, wishes []Steering) {
	for i := range wishes {
		w := &wishes[i]
		out.Topics = steered(out.Topics, w, func(t *Topic) *Subject { return &t.Subject })
		out.Entities = steered(out.Entities, w, func(e *Entity) *Subject { return &e.Subject })
	}
}

// keepPinned adds, unchanged, the pinned subjects of the previous set that were not found any more.
func keepPinned(out *Set, before Set, wishes []Steering) {
	for i := range wishes {
		w := &wishes[i]
		if w.Act != Pin || out.Subject(w.ID) != nil {
			continue
		}
		for _, t := range before.Topics {
			if t.ID == w.ID {
				out.Topics = append(out.Topics, t)
			}
		}
		for _, e := range before.Entities {
			if e.ID == w.ID {
				out.Entities = append(out.Entities, e)
			}
		}
	}
}

// Steer returns a set with a person's wish applied.
func (s Set) Steer(w Steering) Set {
	out := Set{Topics: slices.Clone(s.Topics), Entities: slices.Clone(s.Entities), Latest: s.Latest}
	steer(&out, []Steering{w})
	return out
}

func steered[T any](list []T, w *Steering, of func(*T) *Subject) []T {
	at := slices.IndexFunc(list, func(t T) bool { return w.IsOf(of(&t)) })
	if at < 0 {
		return list
	}
	s := of(&list[at])
	switch w.Act {
	case Rename:
		if s.Label != w.Label {
			s.Names = append(slices.Clone(s.Names), s.Label)
			s.Names = slices.DeleteFunc(s.Names, func(n string) bool { return n == w.Label })
			s.Label, s.Renamed = w.Label, true
		}
	case Pin:
		s.Pinned = true
		pinned := list[at]
		list = append([]T{pinned}, slices.Delete(slices.Clone(list), at, at+1)...)
	case Unpin:
		s.Pinned = false
	case Forget:
		return slices.Delete(slices.Clone(list), at, at+1)
	case Merge:
		into := slices.IndexFunc(list, func(t T) bool { return of(&t).ID == w.Into })
		if into < 0 || into == at {
			return list
		}
		of(&list[into]).absorb(s)
		return slices.Delete(slices.Clone(list), at, at+1)
	}
	return list
}

// absorb adds everything of another subject.
func (s *Subject) absorb(o *Subject) {
	s.Names = union(union(s.Names, []string{o.Label}), o.Names)
	s.Names = slices.DeleteFunc(s.Names, func(n string) bool { return n == s.Label })
	s.Turns = union(s.Turns, o.Turns)
	s.Turns = s.Turns[max(0, len(s.Turns)-MostTurns):]
	s.Count = max(len(s.Turns), s.Count)
	s.Weeks = sumOfWeeks(s.Weeks, o.Weeks)
	s.Files, s.Related = union(s.Files, o.Files), union(s.Related, o.Related)
	s.Related = slices.DeleteFunc(s.Related, func(n string) bool { return n == s.Label || n == o.Label })
	s.Weight = min(1, s.Weight+o.Weight)
	if o.First.Before(s.First) {
		s.First = o.First
	}
	if o.Last.After(s.Last) {
		s.Last = o.Last
	}
	s.Statements = slices.Clone(s.Statements)
	for _, st := range o.Statements {
		if !slices.ContainsFunc(s.Statements, func(x Statement) bool { return x.Text == st.Text && x.Part == st.Part }) {
			s.Statements = append(s.Statements, st)
		}
	}
	s.noteMerged(o.ID, o.Merged)
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
