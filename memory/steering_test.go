package memory

import (
	"errors"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/subject"
)

// steered is a workspace with a renamed topic, and the ids of its topics.
func steered(t *testing.T, m *Memory) (w *Workspace, id string) {
	t.Helper()
	w = workspace(t, m)
	var said []dialogue.Message
	for _, text := range []string{"zorbex is our routing service", "zorbex drops parcels", "restart zorbex", "zorbex is fine"} {
		said = append(said, dialogue.Message{Role: dialogue.User, Content: text})
	}
	if _, err := w.Append(Addition{Conversation: "c", Messages: said}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Process(t.Context(), Processing{}); err != nil {
		t.Fatal(err)
	}
	all := subjects(t, w)
	if len(all.Topics) == 0 {
		t.Fatal("no topics")
	}
	id = all.Topics[0].ID
	if err := w.Steer(subject.Steering{Act: subject.Rename, ID: id, Label: "parcel routing"}); err != nil {
		t.Fatal(err)
	}
	return w, id
}

func subjects(t *testing.T, w *Workspace) subject.Set {
	t.Helper()
	v := w.View()
	defer v.Close()
	all, err := v.Subjects.All()
	if err != nil {
		t.Fatal(err)
	}
	return *all
}

// TestSteeringIsExported checks that a person's wishes about topics are exported and apply where
// they are imported.
func TestSteeringIsExported(t *testing.T) {
	from, to := opened(t, t.TempDir()), opened(t, t.TempDir())
	defer from.Close()
	defer to.Close()
	w, _ := steered(t, from)
	var lines strings.Builder
	v := w.View()
	err := v.Export(&lines)
	v.Close()
	if err != nil {
		t.Fatal(err)
	}
	other := workspace(t, to)
	for range 2 { // importing again changes nothing
		if _, err := other.Import(strings.NewReader(lines.String())); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := other.Process(t.Context(), Processing{}); err != nil {
		t.Fatal(err)
	}
	if got := subjects(t, other); len(got.Topics) == 0 || got.Topics[0].Label != "parcel routing" {
		t.Errorf("topics %+v", got.Topics)
	}
}

// TestForgottenLeavesSubjects checks that a forgotten turn is in no subject at once, and that a run
// is then due.
func TestForgottenLeavesSubjects(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w, id := steered(t, m)
	if err := w.ForgetTurn(t.Context(), "c", 2); err != nil {
		t.Fatal(err)
	}
	got := subjects(t, w)
	if s := got.Subject(id); s == nil || s.Count != 3 || s.Label != "parcel routing" || holds(t, m, "drops parcels") {
		t.Errorf("left: %+v", got.Topics)
	}
	v := w.View()
	_, due, err := v.Knowledge.Learned()
	v.Close()
	if err != nil || !due {
		t.Errorf("due %v, %v", due, err)
	}
	if _, err := w.Process(t.Context(), Processing{}); err != nil {
		t.Fatal(err)
	}
	for turn := 1; turn <= 3; turn += 2 { // what two turns name is no topic
		if err := w.ForgetTurn(t.Context(), "c", turn); err != nil {
			t.Fatal(err)
		}
	}
	if got := subjects(t, w); len(got.Topics) != 0 {
		t.Errorf("after all but one turn was forgotten: %+v", got.Topics)
	}
}

// TestUnsteered checks that what does not exist cannot be steered.
func TestUnsteered(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w, id := steered(t, m)
	for _, wish := range []subject.Steering{
		{Act: subject.Pin, ID: "topic-none"}, {Act: subject.Merge, ID: id, Into: "topic-none"}, {Act: subject.Merge, ID: id, Into: id},
	} {
		if err := w.Steer(wish); err == nil {
			t.Errorf("%+v was done", wish)
		}
	}
}

// TestCutShort checks that a run cut short at any step changes nothing that readers see, and that
// the run after it finds the same as one that was never cut short.
func TestCutShort(t *testing.T) {
	said := func(m *Memory) *Workspace {
		w := workspace(t, m)
		for _, id := range []string{"a", "b", "c"} {
			if _, err := w.Append(Addition{Conversation: id, Messages: talk(1, 6)}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Append(Addition{Conversation: id, Messages: []dialogue.Message{{Role: dialogue.User, Content: "zorbex drops parcels, TIDE-311"}}}); err != nil {
				t.Fatal(err)
			}
		}
		return w
	}
	whole, cut := opened(t, t.TempDir()), opened(t, t.TempDir())
	defer whole.Close()
	defer cut.Close()
	want := said(whole)
	steps := 0
	if _, err := want.Process(t.Context(), Processing{Pause: func() error { steps++; return nil }}); err != nil {
		t.Fatal(err)
	}
	w := said(cut)
	before := learned(t, w)
	enough := errors.New("enough")
	for at := 1; at <= steps; at += max(1, steps/20) {
		n := 0
		_, err := w.Process(t.Context(), Processing{Pause: func() error {
			if n++; n >= at {
				return enough
			}
			return nil
		}})
		if at < steps/2 && !errors.Is(err, enough) {
			t.Fatalf("cut short at step %d: %v", at, err)
		}
		if got := learned(t, w); err != nil && got != before {
			t.Fatalf("cut short at step %d, readers see %s", at, got)
		}
	}
	if _, err := w.Process(t.Context(), Processing{}); err != nil {
		t.Fatal(err)
	}
	if a, b := learned(t, want), learned(t, w); a != b || len(subjects(t, w).Entities) == 0 {
		t.Errorf("%s\nnot\n%s", b, a)
	}
}
