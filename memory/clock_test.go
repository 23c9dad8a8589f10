package memory

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/board"
	"github.com/contexture-dev/contexture/memory/cabinet"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/usage"
	"github.com/contexture-dev/contexture/memory/work"
)

const year = 365 * 24 * time.Hour

// TestClockJumps runs a day on which the clock goes back a year, ahead ten years and is right
// again: turns keep their order, lifetimes count turns, tasks keep their order in the log, and a
// saved text is found when the clock is right.
func TestClockJumps(t *testing.T) {
	var mu sync.Mutex
	right := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	now := right
	set := func(at time.Time) {
		mu.Lock()
		defer mu.Unlock()
		now = at
	}
	tick := make(chan time.Time)
	m := openedWith(t, t.TempDir(), func(o *Options) {
		o.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return now
		}
		o.tend = func(time.Duration) <-chan time.Time { return tick }
	})
	defer m.Close()
	w := workspace(t, m)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	tellAll(t, w, "c", dialogue.Message{Role: dialogue.User, Content: "turn 1"})
	key, err := w.Desk().PutText(cabinet.New{Title: "t", Content: "text"})
	must(err)
	_, err = w.Desk().PutOnBoard("c", board.New{Title: "for five turns"})
	must(err)
	for i, at := range []time.Time{right.Add(-year), right.Add(10 * year), right.Add(10*year + time.Hour), right.Add(-year), right.Add(time.Hour)} {
		set(at)
		tick <- at // the store's maintenance runs
		turn := i + 2
		_, err := w.Append(Addition{Conversation: "c", Learn: true, Messages: []dialogue.Message{
			{Role: dialogue.User, ID: fmt.Sprint("m", turn), Content: fmt.Sprint("From now on, always use tool", turn, " for tests.")},
		}})
		must(err)
		_, err = w.Desk().CompleteTask(work.Completion{TaskID: fmt.Sprint("task", turn)})
		must(err)
		_, err = w.Desk().PutText(cabinet.New{Title: fmt.Sprint("file", turn)})
		must(err)
		w.RememberBundle(fmt.Sprint("b", turn), []usage.ShownItem{{ID: "item", Text: "tool for tests"}})
		_, err = w.Feedback(fmt.Sprint("b", turn), "the tool for tests", nil)
		must(err)
		_, err = w.Process(t.Context(), Processing{Full: turn%2 == 0})
		must(err)
		m.worker.quiet()
		v := w.View()
		info, err := v.Conversations.Find("c")
		must(err)
		if info.Turns != turn {
			t.Errorf("%d turns after %d", info.Turns, turn)
		}
		last, err := v.Conversations.Turn(info, turn)
		must(err)
		if len(last.Messages) != 1 || !last.Messages[0].At.Equal(at) {
			t.Errorf("turn %d is %v", turn, last)
		}
		items, err := v.Board(info)
		must(err)
		if want := turn <= 5; (len(items) == 1) != want {
			t.Errorf("turn %d: on the board %v", turn, items)
		}
		if hits, err := v.Messages.Search(t.Context(), nil, fmt.Sprint("tool", turn), 1, 3); err != nil || len(hits) == 0 {
			t.Errorf("turn %d is not found: %v", turn, err)
		}
		if rules, _, err := v.Knowledge.Rules(nil); err != nil || len(rules) == 0 {
			t.Errorf("turn %d: rules %v, %v", turn, rules, err)
		}
		told(t, w, "c")
		v.Close()
	}
	if f, err := w.Desk().Text(key); err != nil || f.Content != "text" {
		t.Errorf("what was filed before: %v, %v", f, err)
	}
	if names := numbered(exported(t, w), `"taskId":"task`); !slices.IsSorted(names) || len(names) == 0 {
		t.Errorf("the log is %v", names)
	}
}

// numbered returns the text after a mark on each line of the log.
func numbered(export, mark string) (out []string) {
	for line := range strings.Lines(export) {
		if _, rest, ok := strings.Cut(line, mark); ok && strings.Contains(line, `"type":"audit"`) {
			out = append(out, rest[:1])
		}
	}
	return out
}

// TestWritersOfTwoWorkspaces checks that two workspaces written concurrently each contain all of
// their own data.
func TestWritersOfTwoWorkspaces(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	each := 60
	if testing.Short() {
		each = 21
	}
	var wait sync.WaitGroup
	roots := []string{"/a", "/b", ""}
	for _, root := range roots {
		w, err := m.Workspace(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		for writer := range 3 {
			wait.Go(func() {
				for i := range each {
					if _, err := w.Append(Addition{Conversation: "c", Messages: []dialogue.Message{{
						Role: dialogue.User, ID: fmt.Sprint(writer, "-", i), Content: fmt.Sprintf("of %q by %d", root, writer),
					}}}); err != nil {
						t.Error(err)
						return
					}
					if i%20 == 0 {
						if _, err := w.Process(t.Context(), Processing{Full: false}); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
	}
	wait.Wait()
	for _, root := range roots {
		w, err := m.Workspace(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		v := w.View()
		defer v.Close()
		info, err := v.Conversations.Find("c")
		if err != nil || info.Messages != 3*each {
			t.Fatalf("%q: %d messages, %v", root, info.Messages, err)
		}
		for n := 1; n <= info.Turns; n++ {
			turn, err := v.Conversations.Turn(info, n)
			if err != nil || !strings.HasPrefix(turn.Messages[0].Content, fmt.Sprintf("of %q by", root)) {
				t.Fatalf("%q: turn %d is %v, %v", root, n, turn, err)
			}
		}
	}
}

// inHand counts the goroutines and, if the system reports them, the descriptors of the process.
func inHand() (goroutines, descriptors int) {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		names = nil // not reported here
	}
	return runtime.NumGoroutine(), len(names)
}

// TestNothingGrows opens and closes a thousand sessions, and memories, and checks that the process
// then holds as many resources as before.
func TestNothingGrows(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	session := func(i int) {
		w := workspace(t, m)
		id := fmt.Sprint("c", i%80)
		tellAll(t, w, id, dialogue.Message{Role: dialogue.User, Content: fmt.Sprint("Let's use tool", i)})
		w.RememberBundle(fmt.Sprint("b", i), []usage.ShownItem{{ID: "item", Text: "tool"}})
		v := w.View()
		defer v.Close()
		info, err := v.Conversations.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Arcs.Of(info, "rich", 200); err != nil {
			t.Fatal(err)
		}
		if _, err := v.Messages.Search(t.Context(), nil, "tool", 0.5, 5); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 100 {
		session(i)
	}
	m.worker.quiet()
	m.reader.quiet()
	goroutines, descriptors := inHand()
	sessions := 1000
	if testing.Short() {
		sessions = 200
	}
	for i := range sessions {
		session(i)
	}
	m.worker.quiet()
	m.reader.quiet()
	if g, d := inHand(); g > goroutines+3 || d > descriptors+5 { // Pebble opens a table, or starts a log, now and then
		t.Errorf("%d goroutines and %d descriptors after %d sessions, %d and %d before", g, d, sessions, goroutines, descriptors)
	}
	w := workspace(t, m)
	kept := m.cache.current.Load()
	if len(m.workspaces) != 1 || len(w.shown.all()) > maxShown || kept.arcs.Len() > maxCachedConversations || kept.told.Len() > maxCachedConversations {
		t.Errorf("%d workspaces, %d bundles, %d and %d arcs", len(m.workspaces), len(w.shown.all()), kept.arcs.Len(), kept.told.Len())
	}
	dir := t.TempDir()
	open := func() {
		m := opened(t, dir)
		tellAll(t, workspace(t, m), "c", talk(3, 2)...)
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	open()
	goroutines, descriptors = inHand()
	for range 20 {
		open()
	}
	if g, d := inHand(); g > goroutines+2 || d > descriptors+2 {
		t.Errorf("%d goroutines and %d descriptors after 20 starts, %d and %d before", g, d, goroutines, descriptors)
	}
}
