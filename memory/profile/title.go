package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// mostWas bounds how many earlier titles of a topic still find it.
const mostWas = 2

// Title is a model's answer about a topic's label.
type Title struct {
	// Found and Names are the label and the other names that the run found; they identify the topic
	// in the next one.
	Found string   `json:"found"`
	Names []string `json:"names,omitempty"`
	// Asked is a hash of the last question, see [Subject.Content].
	Asked string `json:"asked"`
	// Label is the model's, "" where Found stays; Was lists the previous ones.
	Label string   `json:"label,omitempty"`
	Was   []string `json:"was,omitempty"`
}

// FoundLabel returns the label that the run found, whatever a model has made of it; a person's
// label when there is no other.
func (s *Subject) FoundLabel() string {
	if s.Title != nil {
		return s.Title.Found
	}
	return s.Label
}

// FoundNames returns the other names that the run found.
func (s *Subject) FoundNames() []string {
	if s.Title != nil {
		return s.Title.Names
	}
	return s.Names
}

// Content returns a hash of what there is to name; it depends on the label, the names and the
// statements.
func (s *Subject) Content() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", s.FoundLabel(), slices.Sorted(slices.Values(s.FoundNames())))
	var said []string
	for i := range s.Statements {
		said = append(said, s.Statements[i].Text)
	}
	slices.Sort(said)
	fmt.Fprintf(h, "%q", said)
	return hex.EncodeToString(h.Sum(nil))
}

// Entitle records that a model was asked, and its label. An empty label keeps the present one. A
// person's label is always kept.
func (s *Subject) Entitle(asked, label string) {
	t := Title{Found: s.FoundLabel(), Names: s.FoundNames(), Asked: asked, Label: label}
	if old := s.Title; old != nil {
		t.Was = old.Was
		switch {
		case label == "":
			t.Label = old.Label
		case old.Label != "" && old.Label != label:
			t.Was = append([]string{old.Label}, t.Was...)
		}
	}
	t.Was = slices.DeleteFunc(slices.Clone(t.Was), func(was string) bool { return was == t.Label })
	t.Was = t.Was[:min(mostWas, len(t.Was))]
	s.Title = &t
	s.bear()
}

// bear sets the label and the names of a subject from its title.
func (s *Subject) bear() {
	t := s.Title
	if s.Renamed || t.Label == "" {
		return
	}
	s.Label = t.Label
	s.Names = union(union([]string{t.Found}, t.Was), t.Names)
	s.Names = slices.DeleteFunc(s.Names, func(n string) bool { return n == s.Label })
}

// untitled returns a set with the labels that runs have found: topics are matched by those.
func untitled(set Set) Set {
	set.Topics = slices.Clone(set.Topics)
	for i := range set.Topics {
		s := &set.Topics[i].Subject
		if s.Title != nil && !s.Renamed {
			s.Label, s.Names = s.Title.Found, s.Title.Names
		}
		s.Title = nil
	}
	return set
}

// entitle copies to topics the titles that they had in the previous set.
func entitle(out *Set, before Set) {
	had := map[string]*Title{}
	for i := range before.Topics {
		had[before.Topics[i].ID] = before.Topics[i].Title
	}
	for i := range out.Topics {
		s := &out.Topics[i].Subject
		if old := had[s.ID]; old != nil {
			t := *old
			if !s.Renamed {
				t.Found, t.Names = s.Label, s.Names
			}
			s.Title = &t
			s.bear()
		}
	}
}
