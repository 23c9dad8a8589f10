package profile

import (
	"slices"
	"testing"
)

func TestTitle(t *testing.T) {
	s := Subject{ID: "topic-1", Label: "postgre", Names: []string{"pool", "replica"}, Statements: []Statement{{Text: "The pool is full."}}}
	content := s.Content()
	s.Entitle("q1", "pool")
	if s.Label != "pool" || !slices.Equal(s.Names, []string{"postgre", "replica"}) || s.Content() != content {
		t.Errorf("%+v", s)
	}
	s.Entitle("q2", "")
	if s.Label != "pool" || s.Title.Asked != "q2" {
		t.Errorf("an answer of no use: %+v", s)
	}
	s.Entitle("q3", "postgre pool")
	if s.Label != "postgre pool" || !slices.Equal(s.Names, []string{"postgre", "pool", "replica"}) || s.Content() != content {
		t.Errorf("another label: %+v", s)
	}
	set := Set{Topics: []Topic{{s}}}
	for _, said := range []string{"the postgre pool", "the pool", "postgre"} {
		if got := NewIndex(&set).Named(said); len(got.Topics) != 1 {
			t.Errorf("%q names %d topics", said, len(got.Topics))
		}
	}
	// A later run finds the topic unchanged.
	was := untitled(set).Topics[0].Subject
	if was.Label != "postgre" || !slices.Equal(was.Names, []string{"pool", "replica"}) || set.Topics[0].Label != "postgre pool" {
		t.Errorf("untitled: %+v", was)
	}
	out := Set{Topics: []Topic{{was}, {Subject{ID: "topic-2", Label: "cache"}}}}
	entitle(&out, set)
	if got := out.Topics[0]; got.Label != "postgre pool" || !slices.Equal(got.Names, s.Names) || out.Topics[1].Label != "cache" {
		t.Errorf("entitled: %+v", out.Topics)
	}
	if wish := (Steering{ID: "other", Keys: []string{NameKey("postgre")}}); !wish.IsOf(&out.Topics[0].Subject) {
		t.Error("a person's wish is lost with the label")
	}
	s.Statements = append(s.Statements, Statement{Text: "It is larger now."})
	if s.Content() == content {
		t.Error("another statement is the same content")
	}
	s.Renamed, s.Label = true, "database"
	s.Entitle("q4", "pool")
	if s.Label != "database" {
		t.Errorf("a person's label became %q", s.Label)
	}
}
