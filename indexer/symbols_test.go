package indexer

import (
	"slices"
	"strings"
	"testing"
)

func TestMentioning(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(4), 30)
	x := w.index()
	s, release := x.Snapshot()
	defer release()
	names := map[string]bool{}
	all := make([]int, s.Chunks())
	s.Paths(func(file int, _ string) { s.Symbols().Referred(file, func(name string) { names[name] = true }) })
	for c := range all {
		all[c] = c
	}
	found := 0
	for name := range names {
		for _, most := range []int{2, s.Chunks()} {
			var want []int
			s.Symbols().Mentions(name, func(c int) bool { want = append(want, c); return len(want) < most })
			if found += len(want); !slices.Equal(s.Symbols().Mentioning(name, all, most), want) {
				t.Errorf("%s: %v, want %v", name, s.Symbols().Mentioning(name, all, most), want)
			}
			some := slices.DeleteFunc(slices.Clone(all), func(c int) bool { return c%3 > 0 })
			if got := s.Symbols().Mentioning(name, some, most); !slices.Equal(got, slices.DeleteFunc(want, func(c int) bool { return c%3 > 0 })) {
				t.Errorf("%s among every third: %v of %v", name, got, want)
			}
		}
	}
	if found == 0 {
		t.Fatal("no name is mentioned")
	}
}

func TestBeginning(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(7), 30)
	x := w.index()
	s, release := x.Snapshot()
	defer release()
	names := map[string]int{}
	s.Paths(func(file int, _ string) {
		for _, y := range s.Symbols().InFile(file) {
			names[y.Name]++
		}
	})
	if len(names) == 0 {
		t.Fatal("nothing is defined")
	}
	for name := range names {
		text := name[:len(name)/2+1]
		want := 0
		for other, n := range names {
			if strings.HasPrefix(other, text) {
				want += n
			}
		}
		got := 0
		s.Symbols().Beginning(text, func(y Symbol) bool {
			if !strings.HasPrefix(y.Name, text) {
				t.Errorf("%q does not begin with %q", y.Name, text)
			}
			got++
			return true
		})
		if got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
		got = 0
		if s.Symbols().Beginning(text, func(Symbol) bool { got++; return false }); got != 1 {
			t.Errorf("%q goes on after %d", text, got)
		}
	}
}
