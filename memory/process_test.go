package memory

import (
	"fmt"
	"testing"
	"time"
)

// TestProcessBesideChanges: a run does not wait with the lock while it reads, and what comes in between is not lost.
func TestProcessBesideChanges(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w := workspace(t, m)
	if _, err := w.Append(Addition{Conversation: "c", Messages: talk(1, 20)}); err != nil {
		t.Fatal(err)
	}
	m.worker.quiet()
	now, tries := m.now, 0
	m.now = func() time.Time { // a run asks for the time once, after it has taken the state that it reads
		m.now = now
		for range 2 {
			tries++
			if _, err := w.Fork("c", 3, fmt.Sprint("fork", tries)); err != nil {
				t.Error(err)
			}
		}
		return now()
	}
	out, err := w.Process(t.Context(), true)
	if err != nil || tries != 2 {
		t.Fatal(out, err, tries)
	}
	v := w.View()
	defer v.Close()
	if version, err := v.Version(); err != nil || version != out.Version {
		t.Errorf("version %d after run %d, %v", version, out.Version, err)
	}
	if list, _, err := v.List(10, ""); err != nil || len(list) != 3 {
		t.Errorf("%d conversations, %v; want the first and its forks", len(list), err)
	}
}
