package memory

import (
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/profile"
)

// steered is a workspace in which a topic was renamed, with the ids of its topics.
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

// TestSteeringIsExported: what a person wanted of topics goes with an export and holds where it is imported.
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
	for range 2 { // the same again changes nothing
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

// TestForgottenLeavesProfiles: what is forgotten is in no profile any more, and the next run is due.
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

// TestUnsteered: what does not exist cannot be steered.
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
