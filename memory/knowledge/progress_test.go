package knowledge

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
	"github.com/contexture-dev/contexture/memory/subject"
)

// TestProgressGrows checks that a run reports every stage, with progress that grows.
func TestProgressGrows(t *testing.T) {
	st := storetest.Open(t)
	var told []Progress
	talks := [][]TalkTurn{trouble("a"), trouble("b")}
	storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error {
		_, err := Process(tx, ProcessInput{Turns: each(talks...), Talked: len(talks[0]) + len(talks[1]), Progress: func(p Progress) { told = append(told, p) }})
		return err
	})
	var stages []string
	share := 0.0
	for _, p := range told {
		if p.Share < share || p.Share > 1 || p.Done > p.Total {
			t.Errorf("%+v after a share of %v", p, share)
		}
		if share = p.Share; len(stages) == 0 || stages[len(stages)-1] != p.Stage {
			stages = append(stages, p.Stage)
		}
	}
	if want := []string{"reading", "rules", "lessons", "subjects", "references", "recommendations", "saving"}; !slices.Equal(stages, want) {
		t.Errorf("stages %q, want %q", stages, want)
	}
	if !slices.ContainsFunc(told, func(p Progress) bool { return p.Stage == "reading" && p.Done == 3 && p.Total == 4 }) || share < .95 {
		t.Errorf("ended at %v: %+v", share, told)
	}
}

// TestChangesAreNamed checks that a run names what it found, counts what it no longer found, and
// keeps no name of that.
func TestChangesAreNamed(t *testing.T) {
	st := storetest.Open(t)
	zorbex := told("z", "user: zorbex is our routing service", "user: zorbex drops parcels", "user: restart zorbex", "user: zorbex is fine")
	process := func(full bool, talks ...[]TalkTurn) Run {
		t.Helper()
		storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error {
			_, err := Process(tx, ProcessInput{Turns: each(talks...), Full: full, Subjects: subjectsOf(tx, talks...)})
			return err
		})
		last, err := LastRun(st.View(1))
		if err != nil {
			t.Fatal(err)
		}
		return last
	}
	isNew := func(r Run, kind, id string) bool {
		return slices.ContainsFunc(r.Changes.Each, func(c Change) bool { return c.Act == New && c.Kind == kind && (c.ID == id || id == "") })
	}
	if last := process(false, trouble("a"), zorbex); !isNew(last, subject.TopicKind, subject.ID(subject.TopicKind, "zorbex")) || !isNew(last, string(Lesson), "") {
		t.Errorf("first run: %+v", last.Changes)
	}
	if last := process(false, trouble("a"), zorbex); len(last.Changes.Each) > 0 {
		t.Errorf("a run that finds nothing new: %+v", last.Changes)
	}
	if last := process(true, trouble("a")); last.Changes.GoneTopics != 1 || len(last.Changes.Each) > 0 {
		t.Errorf("a run without zorbex: %+v", last.Changes)
	}
	if v, _, err := st.Get(key(1, keyRun)); err != nil || strings.Contains(string(v), "zorbex") {
		t.Errorf("the record of the run is %s, %v", v, err)
	}
}

// TestPacerEndsWithItsError checks the shares of stages and steps, and that an error of the caller
// ends them before the next step.
func TestPacerEndsWithItsError(t *testing.T) {
	over := errors.New("over")
	var shares []float64
	var end error
	steps := 0
	p := pacer{report: func(p Progress) { shares = append(shares, p.Share) }, yield: func() error { return end }}
	work := func() error {
		steps++
		return p.at(1, 2)
	}
	list := []stage{{"first", 3, []func() error{work}}, {"second", 1, []func() error{work, work}}}
	if err := p.through(list); err != nil || steps != 3 || !slices.Equal(shares, []float64{0, .375, .75, .8125, .875, .9375}) {
		t.Errorf("%d steps at %v: %v", steps, shares, err)
	}
	end = over
	if err := p.through(list); !errors.Is(err, over) || steps != 3 {
		t.Errorf("%d steps: %v", steps, err)
	}
	idle := pacer{}
	if err := idle.at(1, 2); err != nil {
		t.Errorf("nobody waits: %v", err)
	}
}
