package learning

import (
	"path/filepath"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/engine"
)

var learnNoon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestLearnReason(t *testing.T) {
	for _, tt := range []struct {
		name     string
		last     knowledge.Run
		messages int
		want     string
	}{
		{"never ran", knowledge.Run{}, 3, "first run"},
		{"lately", knowledge.Run{Began: learnNoon.Add(-time.Hour), Messages: 3}, 4, ""},
		{"half a day ago", knowledge.Run{Began: learnNoon.Add(-learnPeriod), Messages: 3}, 4, "twice a day"},
		{"the clock was set back", knowledge.Run{Began: learnNoon.Add(time.Hour), Messages: 3}, 4, "twice a day"},
		{"an import", knowledge.Run{Began: learnNoon.Add(-time.Hour), Messages: 3}, 3 + largeImport, "large import"},
		{"an import that goes on", knowledge.Run{Began: learnNoon.Add(-time.Minute), Messages: 3}, 3 + largeImport, ""},
		{"forgotten", knowledge.Run{Began: learnNoon.Add(-time.Hour), Messages: 3, Forgotten: true}, 2, "something was forgotten"},
	} {
		if got := learnReason(tt.last, tt.messages, learnNoon); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestLearningSchedule checks that a run starts once there was no request for a while and there is
// mains power, and the next one only if there is something new.
func TestLearningSchedule(t *testing.T) {
	// The memory's own goroutines may ask the time while it is set forward.
	var passed atomic.Int64
	now := func() time.Time { return learnNoon.Add(time.Duration(passed.Load())) }
	supply := fstest.MapFS{"BAT0/type": {Data: []byte("Battery\n")}, "BAT0/status": {Data: []byte("Discharging\n")}}
	e, err := engine.New(engine.Options{StateDir: t.TempDir(), Power: supply, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	l := New(e)
	defer l.Close()
	w, err := e.Memory(t.Context(), filepath.Join(t.TempDir(), "gone")) // no folder and so no index
	if err != nil {
		t.Fatal(err)
	}
	say := func(text string) {
		t.Helper()
		if _, err := w.Append(memory.Addition{Conversation: "c", Messages: []dialogue.Message{{Role: dialogue.User, Content: text, At: now()}}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"zorbex is our routing service", "zorbex drops parcels", "restart zorbex", "zorbex is fine"} {
		say(text)
	}
	last := func() knowledge.Run {
		t.Helper()
		state := w.View()
		defer state.Close()
		run, _, err := state.Knowledge.Learned()
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	looks := func(n int) {
		for range n {
			l.look(t.Context())
		}
	}
	looks(idleLooks + 1)
	if got := last(); !got.Began.IsZero() {
		t.Errorf("on battery: %+v", got)
	}
	if st, err := l.Status(w); err != nil || st.State != "waiting" || st.Waits != "mains power" {
		t.Errorf("status %+v, %v", st, err)
	}
	supply["BAT0/status"] = &fstest.MapFile{Data: []byte("Charging\n")}
	passed.Add(int64(time.Minute))

	leave, err := e.Scheduler.NewQueue().Enter(t.Context(), engine.Interactive, 1)
	if err != nil {
		t.Fatal(err)
	}
	looks(idleLooks + 1)
	leave()
	looks(1)
	if got := last(); !got.Began.IsZero() {
		t.Errorf("while somebody asks: %+v", got)
	}
	looks(idleLooks)
	if got := last(); got.Reason != "first run" || got.Turns != 4 || got.Changes.NewTopics == 0 || got.Messages != 4 {
		t.Errorf("first run: %+v", got)
	}
	if st, err := l.Status(w); err != nil || st.State != "idle" || st.Topics == 0 {
		t.Errorf("status %+v, %v", st, err)
	}
	passed.Add(int64(learnPeriod))
	before := last()
	looks(1)
	if got := last(); !reflect.DeepEqual(got, before) {
		t.Errorf("nothing is new, but it ran: %+v", got)
	}
	say("zorbex has a queue")
	looks(1)
	if got := last(); got.Reason != "twice a day" || got.Turns != 1 {
		t.Errorf("second run: %+v", got)
	}
}

// TestRunPausesForRequests checks that a run pauses between its steps while a request is answered,
// and ends with its context.
func TestRunPausesForRequests(t *testing.T) {
	e, err := engine.New(engine.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	l := New(e)
	defer l.Close()
	w, err := e.Memory(t.Context(), filepath.Join(t.TempDir(), "gone")) // no folder and so no index
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Append(memory.Addition{Conversation: "c", Messages: []dialogue.Message{{Role: dialogue.User, Content: "zorbex drops parcels"}}}); err != nil {
		t.Fatal(err)
	}
	leave, err := e.Scheduler.NewQueue().Enter(t.Context(), engine.Interactive, 1)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := l.Run(t.Context(), w, memory.Processing{Reason: "test"})
		done <- err
	}()
	for { // until the run waits for the request
		st, err := l.Status(w)
		if err != nil {
			t.Fatal(err)
		}
		if st.Progress != nil && st.Progress.Waits != "" {
			break
		}
		select {
		case err := <-done:
			t.Fatalf("it did not wait: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	if st, err := l.Status(w); err != nil || st.State != "running" || st.Progress == nil || st.Progress.Waits == "" || st.Progress.Reason != "test" {
		t.Errorf("status %+v, %v", st, err)
	}
	leave()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestCommentsAndHiddenFolders checks what counts as a comment above a definition and as a hidden
// folder.
func TestCommentsAndHiddenFolders(t *testing.T) {
	if isComment("x = 1") || !isComment("  // a") || !isComment("# b") || isHidden("docs/a.md") || !isHidden(".github/a.md") || !isHidden("a/.b/c.md") {
		t.Error("comments or hidden folders are mistaken")
	}
}

// TestGoneFiles checks that a removed file is told from one that exists and from one that was never
// in the workspace, also by paths of other machines.
func TestGoneFiles(t *testing.T) {
	files := []string{"pkg/cmd/list.go", "main.go"}
	k := &knownFiles{folders: map[string]bool{}, has: func(file string) bool { return slices.Contains(files, file) }}
	for _, f := range files {
		k.add(f)
	}
	for path, want := range map[string]bool{
		"pkg/cmd/list.go": false, "/home/ann/work/pkg/cmd/list.go": false, `C:\work\pkg\cmd\list.go`: false, "/home/ann/work/main.go": false,
		"pkg/cmd/gone.go": true, "/home/ann/work/pkg/cmd/gone.go": true, "/home/ann/.notes/x.md": false, "": false,
	} {
		if got := k.gone(path); got != want {
			t.Errorf("gone(%q) = %v", path, got)
		}
	}
}
