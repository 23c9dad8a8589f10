package profile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// talk makes the turns of a conversation, one sentence of a person each.
func talk(conversation string, day int, lines ...string) []Turn {
	var out []Turn
	for i, line := range lines {
		at := noon.AddDate(0, 0, day).Add(time.Duration(i) * time.Minute)
		out = append(out, Turn{
			Source: fmt.Sprintf("%s/T-%d", conversation, i+1), Conversation: conversation, Number: i + 1, At: at,
			Sentences: []Sentence{{Text: line, Message: fmt.Sprintf("%s-%d", conversation, i), At: at, Person: true}},
		})
	}
	return out
}

func find(t *testing.T, o Options, talks ...[]Turn) Set {
	t.Helper()
	r := &Reader{}
	for _, list := range talks {
		for _, turn := range list {
			r.Add(turn)
		}
	}
	s, err := r.Find(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func labelled(s Set, label string) *Topic {
	for i := range s.Topics {
		if strings.EqualFold(s.Topics[i].Label, label) {
			return &s.Topics[i]
		}
	}
	return nil
}

func entity(s Set, name string) *Entity {
	for i := range s.Entities {
		if e := &s.Entities[i]; strings.EqualFold(e.Label, name) || slices.ContainsFunc(e.Names, func(n string) bool { return strings.EqualFold(n, name) }) {
			return e
		}
	}
	return nil
}

var (
	week1 = [][]Turn{
		talk("a", 0, "zorbex is our routing service", "zorbex drops parcels at night", "restart zorbex after midnight", "ask Quillan about it", "Quillan says the queue is full"),
		talk("b", 1, "zorbex is slow again", "Quillan wants more memory for zorbex", "glimfold needs an index", "glimfold is the archive", "does glimfold keep scans?"),
	}
	week2 = talk("c", 8, "zorbex has a new queue", "glimfold index is done", "Quillan Marrow leaves", "Quillan Marrow says goodbye", "@qmarrow asks for cake")
)

// TestIDsStay checks that a topic found again keeps its id, in any order of conversations and with
// any label.
func TestIDsStay(t *testing.T) {
	first := find(t, Options{}, week1...)
	z, q := labelled(first, "zorbex"), entity(first, "Quillan")
	if z == nil || q == nil {
		t.Fatalf("topics %v, entities %v", first.Topics, first.Entities)
	}
	again := find(t, Options{}, week1[1], week1[0])
	if fmt.Sprint(again) != fmt.Sprint(first) {
		t.Errorf("another order of conversations gives\n%v\nnot\n%v", again, first)
	}
	second := find(t, Options{Before: first}, week1[0], week1[1], week2)
	if got := labelled(second, "zorbex"); got == nil || got.ID != z.ID {
		t.Errorf("zorbex is %+v, was %s", got, z.ID)
	}
	got := entity(second, "Quillan")
	if got == nil || got.ID != q.ID || got.Label != "Quillan Marrow" || entity(second, "@qmarrow") != got {
		t.Errorf("Quillan is %+v, was %s", got, q.ID)
	}
}

// TestMergesAndSplits checks that a topic that absorbs another names it, and that a part of an
// earlier topic names that.
func TestMergesAndSplits(t *testing.T) {
	turns := func(from, to int) (out []string) {
		for i := from; i < to; i++ {
			out = append(out, fmt.Sprintf("c/T-%d", i))
		}
		return out
	}
	topic := func(id, label string, turns []string) Topic {
		return Topic{Subject{ID: id, Label: label, Turns: turns}}
	}
	out := Set{Topics: []Topic{topic("", "both", turns(0, 10))}}
	identify(&out, Set{Topics: []Topic{topic("topic-1", "one", turns(0, 6)), topic("topic-2", "two", turns(6, 10))}})
	if got := out.Topics[0]; got.ID != "topic-1" || !slices.Equal(got.Merged, []string{"topic-2"}) {
		t.Errorf("merged: %+v", got)
	}
	out = Set{Topics: []Topic{topic("", "one", turns(0, 6)), topic("", "two", turns(6, 10))}}
	identify(&out, Set{Topics: []Topic{topic("topic-1", "both", turns(0, 10))}})
	if a, b := out.Topics[0], out.Topics[1]; a.ID != "topic-1" || b.Split != "topic-1" || b.ID == "" || b.ID == a.ID {
		t.Errorf("split: %+v, %+v", a, b)
	}
}

// TestSteering checks that a person's wishes about a subject persist over later runs.
func TestSteering(t *testing.T) {
	first := find(t, Options{}, week1...)
	z, g, q := labelled(first, "zorbex"), labelled(first, "glimfold"), entity(first, "Quillan")
	if z == nil || g == nil || q == nil {
		t.Fatalf("topics %v, entities %v", first.Topics, first.Entities)
	}
	wishes := []Steering{
		{Act: Rename, ID: z.ID, Label: "parcel routing", Keys: z.Keys()[:1]},
		{Act: Pin, ID: g.ID, Keys: g.Keys()[:1]},
		{Act: Forget, ID: q.ID, Keys: q.Keys()},
	}
	before := first
	for _, w := range wishes {
		before = before.Steer(w)
	}
	for run := range 3 {
		s := find(t, Options{Before: before, Steering: wishes}, week1[0], week1[1], week2)
		if got := labelled(s, "parcel routing"); got == nil || got.ID != z.ID || !slices.Contains(got.Names, "zorbex") {
			t.Errorf("run %d: renamed %+v", run, got)
		}
		if s.Topics[0].ID != g.ID || !s.Topics[0].Pinned {
			t.Errorf("run %d: first is %+v", run, s.Topics[0])
		}
		if got := s.Subject(q.ID); got != nil || entity(s, "Quillan") != nil && run == 0 && entity(s, "Quillan").Label == "Quillan" {
			t.Errorf("run %d: forgotten %+v", run, got)
		}
		before = s
	}
	merge := Steering{Act: Merge, ID: g.ID, Into: z.ID, Keys: g.Keys()[:1]}
	before = first.Steer(merge)
	for run := range 3 {
		s := find(t, Options{Before: before, Steering: []Steering{merge}}, week1[0], week1[1], week2)
		got := labelled(s, "zorbex")
		if got == nil || labelled(s, "glimfold") != nil || !slices.Contains(got.Names, "glimfold") || !slices.Contains(got.Turns, "b/T-4") {
			t.Errorf("run %d: merged %+v", run, got)
		}
		before = s
	}
}

// TestPauseEnds checks that an error of Pause ends a search at once.
func TestPauseEnds(t *testing.T) {
	r := &Reader{}
	for i := range 500 {
		for _, turn := range talk(fmt.Sprint("c", i), i, "zorbex drops parcels") {
			r.Add(turn)
		}
	}
	calls := 0
	_, err := r.Find(Options{Pause: func(int, int) error { calls++; return fmt.Errorf("enough") }})
	if err == nil || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// TestQuotations checks that every statement occurs in its message, byte for byte, and names its
// subject.
func TestQuotations(t *testing.T) {
	s := find(t, Options{}, week1[0], week1[1], week2)
	all := map[string]string{}
	for _, list := range append(slices.Clone(week1), week2) {
		for _, turn := range list {
			all[turn.Sentences[0].Message] = turn.Sentences[0].Text
		}
	}
	x, n := NewIndex(&s), 0
	for i := range s.Entities {
		e := &s.Entities[i]
		for _, st := range e.Statements {
			if n++; !strings.Contains(all[st.Message], st.Text) || !slices.Contains(x.Named(st.Text).Entities, e) {
				t.Errorf("%s: %+v", e.Label, st)
			}
		}
	}
	if n == 0 {
		t.Error("no statements")
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"ask @bob-m about TIDE-31 on db-2.example.lan", "価格は`x_y`です。", "a@b.c --dry-run x’s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, k := range tokens(text) {
			if k.start < last || k.end <= k.start || k.end > len(text) || k.key == "" {
				t.Fatalf("token %+v of %q", k, text)
			}
			last = k.end
		}
	})
}
