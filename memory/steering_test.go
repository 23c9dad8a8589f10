package memory

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/profile"
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
	all := profiles(t, w)
	if len(all.Topics) == 0 {
		t.Fatal("no topics")
	}
	id = all.Topics[0].ID
	if _, err := w.Steer(profile.Steering{Act: profile.Rename, ID: id, Label: "parcel routing"}); err != nil {
		t.Fatal(err)
	}
	return w, id
}

func profiles(t *testing.T, w *Workspace) profile.Set {
	t.Helper()
	v := w.View()
	defer v.Close()
	all, err := v.Profiles()
	if err != nil {
		t.Fatal(err)
	}
	return all.Set
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
	if got := profiles(t, other); len(got.Topics) == 0 || got.Topics[0].Label != "parcel routing" {
		t.Errorf("topics %+v", got.Topics)
	}
}

// TestForgottenLeavesProfiles checks that forgotten text is in no profile, and that a run is then
// due.
func TestForgottenLeavesProfiles(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w, id := steered(t, m)
	if err := w.ForgetTurn(t.Context(), "c", 2); err != nil {
		t.Fatal(err)
	}
	got := profiles(t, w)
	if got.Subject(id) != nil || holds(t, m, "drops parcels") {
		t.Errorf("left: %+v", got.Topics)
	}
	v := w.View()
	_, due, err := v.Learned()
	v.Close()
	if err != nil || !due {
		t.Errorf("due %v, %v", due, err)
	}
	if _, err := w.Process(t.Context(), Processing{}); err != nil {
		t.Fatal(err)
	}
	if got := profiles(t, w); got.Subject(id) == nil || got.Subject(id).Label != "parcel routing" || got.Subject(id).Count != 3 {
		t.Errorf("after the next run: %+v", got.Topics)
	}
}

// TestUnsteered checks that what does not exist cannot be steered.
func TestUnsteered(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w, id := steered(t, m)
	for _, wish := range []profile.Steering{
		{Act: profile.Pin, ID: "topic-none"}, {Act: profile.Merge, ID: id, Into: "topic-none"}, {Act: profile.Merge, ID: id, Into: id},
	} {
		if _, err := w.Steer(wish); err == nil {
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
		if got := profiles(t, w); err != nil && len(got.Topics)+len(got.Entities) > 0 {
			t.Fatalf("cut short at step %d, readers see %+v", at, got)
		}
	}
	if _, err := w.Process(t.Context(), Processing{}); err != nil {
		t.Fatal(err)
	}
	a, errA := json.Marshal(profiles(t, want))
	b, errB := json.Marshal(profiles(t, w))
	if err := errors.Join(errA, errB); err != nil || string(a) != string(b) || len(profiles(t, w).Entities) == 0 {
		t.Errorf("%v\n%s\nnot\n%s", err, b, a)
	}
}
