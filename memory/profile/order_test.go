package profile

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOrdered checks that sorting in small steps equals slices.SortStableFunc.
func TestOrdered(t *testing.T) {
	type pair struct{ key, place int }
	by := func(a, b pair) int { return cmp.Compare(a.key, b.key) }
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, sortedAtOnce, sortedAtOnce + 1, 5*sortedAtOnce - 7} {
		list := make([]pair, n)
		for i := range list {
			list[i] = pair{r.IntN(n/3 + 1), i}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, by)
		pauses := 0
		f := &finder{Options: Options{Pause: func(int, int) error { pauses++; return nil }}}
		got, err := ordered(f, list, by)
		if err != nil || !slices.Equal(got, want) || pauses < n/sortedAtOnce {
			t.Errorf("%d: %v after %d pauses, %v", n, slices.Equal(got, want), pauses, err)
		}
	}
	enough := errors.New("enough")
	f := &finder{Options: Options{Pause: func(int, int) error { return enough }}}
	if _, err := ordered(f, make([]pair, 3*sortedAtOnce), by); !errors.Is(err, enough) {
		t.Errorf("%v, want that of Pause", err)
	}
}

// TestSpellings checks that every spelling of a name finds its one owner, and that a name with two
// owners finds none.
func TestSpellings(t *testing.T) {
	s := newSpellings()
	of := func(name string, kind Kind, whole bool) *group {
		return &group{kind: kind, names: []string{name}, plain: letters(name), whole: whole}
	}
	bob, gateway, host, kirolit := of("bob meyér", Person, true), of("checkout-gateway", Service, false), of("db-2.example.lan", Host, true), of("kirolit", Person, false)
	for _, g := range []*group{bob, gateway, host, kirolit} {
		s.add(g)
	}
	for _, tt := range []struct {
		name string
		kind Kind
		want *group
	}{
		{"bob", Name, bob}, {"bmeyer", Person, bob}, {"bob.meyer@example.org", Person, bob}, {"meyerb", Person, bob}, {"bob", Service, nil},
		{"checkout_gateway", Service, gateway}, {"db-2", Host, host}, {"db-2.example", Host, host}, {"db", Host, nil},
		{"kirolit@example.org", Person, kirolit}, {"nobody", Person, nil},
	} {
		if got := s.owner(of(tt.name, tt.kind, false)); got != tt.want {
			t.Errorf("%s, %s: %v, want %v", tt.name, tt.kind, got, tt.want)
		}
	}
	s.add(of("bob lund", Person, true))
	if got := s.owner(of("bob", Name, false)); got != nil {
		t.Errorf("bob is %v, and may be two", got.names)
	}
}
