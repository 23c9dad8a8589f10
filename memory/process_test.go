package memory

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/subject"
)

// TestReplacedRuleComesBack checks that a replaced rule is active again when the rule that replaced
// it leaves memory, however long ago it was replaced and however many offline runs came since.
func TestReplacedRuleComesBack(t *testing.T) {
	const older, newer = "Always use tabs for indentation.", "Always use spaces for indentation."
	for name, leave := range map[string]func(w *Workspace) error{
		"deleted":        func(w *Workspace) error { return w.Delete("new") },
		"forgotten":      func(w *Workspace) error { return w.ForgetConversation(t.Context(), "new") },
		"turn forgotten": func(w *Workspace) error { return w.ForgetTurn(t.Context(), "new", 1) },
	} {
		for _, years := range []int{0, 1, 5} {
			t.Run(fmt.Sprintf("%s, %d years", name, years), func(t *testing.T) {
				m := opened(t, t.TempDir())
				defer m.Close()
				w := workspace(t, m)
				said := m.now().AddDate(-years, 0, -2)
				for i, text := range []string{older, newer} {
					_, err := w.Append(Addition{Conversation: []string{"old", "new"}[i], Learn: true, Messages: []dialogue.Message{
						{Role: dialogue.User, Content: text, At: said.Add(time.Duration(i) * time.Hour)},
						{Role: dialogue.Assistant, Content: "Noted.", At: said.Add(time.Duration(i) * time.Hour)},
					}})
					if err != nil {
						t.Fatal(err)
					}
				}
				for i, step := range []func() error{
					func() error { return nil },
					func() error { _, err := w.Process(t.Context(), Processing{Full: false}); return err },
					func() error { _, err := w.Process(t.Context(), Processing{Full: true}); return err },
				} {
					if err := step(); err != nil {
						t.Fatal(err)
					}
					if got := activeRules(t, w); !strings.Contains(got, "spaces") || strings.Contains(got, "tabs") {
						t.Fatalf("step %d: active is %q, want that of spaces alone", i, got)
					}
				}
				if err := leave(w); err != nil {
					t.Fatal(err)
				}
				if got := activeRules(t, w); !strings.Contains(got, "tabs") || strings.Contains(got, "spaces") {
					t.Errorf("active is %q, want that of tabs again", got)
				}
			})
		}
	}
}

// activeRules formats the active rules of a workspace, a line each.
func activeRules(t *testing.T, w *Workspace) string {
	t.Helper()
	v := w.View()
	defer v.Close()
	rules, _, err := v.Knowledge.Rules(nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, r := range rules {
		lines = append(lines, r.Content)
	}
	return strings.Join(lines, "\n")
}

// TestProcessDuringChanges checks that a run does not hold the lock while it reads, and that
// changes made in between are kept.
func TestProcessDuringChanges(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w := workspace(t, m)
	if _, err := w.Append(Addition{Conversation: "c", Messages: talk(1, 20)}); err != nil {
		t.Fatal(err)
	}
	m.worker.quiet()
	now, tries := m.now, 0
	m.now = func() time.Time { // a run reads the clock once, after its snapshot
		m.now = now
		for range 2 {
			tries++
			if _, err := w.Fork("c", 3, fmt.Sprint("fork", tries)); err != nil {
				t.Error(err)
			}
		}
		return now()
	}
	out, err := w.Process(t.Context(), Processing{Full: true})
	if err != nil || tries != 2 {
		t.Fatal(out, err, tries)
	}
	v := w.View()
	defer v.Close()
	if version, err := v.Knowledge.Version(); err != nil || version != out.Version {
		t.Errorf("version %d after run %d, %v", version, out.Version, err)
	}
	if list, _, err := v.Conversations.List(10, ""); err != nil || len(list) != 3 {
		t.Errorf("%d conversations, %v; want the first and its forks", len(list), err)
	}
}

// TestProcessDoesNotBlockChanges checks that changes do not wait for a run in any of its stages,
// and that both the changes and the run's findings are stored, in increasing versions.
func TestProcessDoesNotBlockChanges(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w := workspace(t, m)
	if _, err := w.Append(Addition{Conversation: "c", Learn: true, Messages: talk(1, 12)}); err != nil {
		t.Fatal(err)
	}
	m.worker.quiet()
	steps := 0
	if _, err := w.Process(t.Context(), Processing{Full: true, Pause: func() error { steps++; return nil }}); err != nil {
		t.Fatal(err)
	}
	version := func() uint64 {
		t.Helper()
		v := w.View()
		defer v.Close()
		n, err := v.Knowledge.Version()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	stored, n := 0, 0
	before := version()
	out, err := w.Process(t.Context(), Processing{Full: true, Pause: func() error {
		if n++; n%max(1, steps/10) != 0 { // a wait for the lock would never end
			return nil
		}
		stored++
		_, err := w.PutKnowledge(knowledge.Item{Kind: knowledge.Lesson, Title: fmt.Sprint("stored meanwhile ", stored), Content: "It is there."})
		return err
	}})
	if err != nil || stored < 10 || n > 2*steps {
		t.Fatalf("%d stored in %d steps, want them in the %d of one run; %v", stored, n, steps, err)
	}
	v := w.View()
	defer v.Close()
	items, err := v.Knowledge.List(knowledge.Filter{Kind: knowledge.Lesson})
	there := 0
	for _, it := range items {
		there += btoi(strings.HasPrefix(it.Title, "stored meanwhile"))
	}
	if err != nil || there != stored || version() != out.Version || out.Version != before+uint64(stored)+1 {
		t.Errorf("%d of %d are there, version %d of a run that made %d after %d; %v", there, stored, version(), out.Version, before, err)
	}
}

// TestProcessGivesUp checks that a run whose topics a person changes at every attempt reports that,
// and changes nothing.
func TestProcessGivesUp(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w := workspace(t, m)
	for _, id := range []string{"a", "b", "c"} {
		if _, err := w.Append(Addition{Conversation: id, Messages: []dialogue.Message{
			{Role: dialogue.User, Content: "zorbex is our routing service"}, {Role: dialogue.User, Content: "zorbex drops parcels"},
		}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Process(t.Context(), Processing{}); err != nil {
		t.Fatal(err)
	}
	topic := subjects(t, w).Topics[0].ID
	tries := 0
	share := 1.
	_, err := w.Process(t.Context(), Processing{Progress: func(p knowledge.Progress) {
		if p.Share < share { // it begins
			tries++
			if err := w.Steer(subject.Steering{Act: subject.Rename, ID: topic, Label: fmt.Sprint("label ", tries)}); err != nil {
				t.Error(err)
			}
		}
		share = p.Share
	}})
	if !errors.Is(err, ErrRestless) || tries != processTries {
		t.Errorf("%d tries, %v", tries, err)
	}
	if got := subjects(t, w).Topics[0].Label; got != fmt.Sprint("label ", processTries) {
		t.Errorf("the topic is called %q", got)
	}
	if _, err := w.Process(t.Context(), Processing{}); err != nil || subjects(t, w).Topics[0].Label != fmt.Sprint("label ", processTries) {
		t.Errorf("later: %q, %v", subjects(t, w).Topics[0].Label, err)
	}
}
