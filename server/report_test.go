package server_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/servertest"
)

// many is a tree of n files.
func many(t *testing.T, n int) string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("d%d/f%d.go", i%10, i)] = source(fmt.Sprintf("function%d", i))
	}
	return servertest.Tree(t, files)
}

var canProgress = map[string]any{"window": map[string]any{"workDoneProgress": true}}

func TestProgress(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{many(t, 400)}, Capabilities: canProgress})
	e.Await("progress ends", func(s *servertest.State) servertest.Verdict {
		n := len(s.Progress)
		return servertest.If(n > 0 && s.Progress[n-1].Value.Kind == "end")
	})
	s := e.State()
	percent := 0
	for i, p := range s.Progress {
		if p.Token != s.Progress[0].Token {
			t.Fatalf("progress %d is of another token: %+v", i, s.Progress)
		}
		switch {
		case i == 0 && (p.Value.Kind != "begin" || p.Value.Title == ""), i > 0 && i < len(s.Progress)-1 && p.Value.Kind != "report":
			t.Errorf("progress %d is %+v", i, p)
		case p.Value.Percentage < percent && p.Value.Kind != "end", p.Value.Percentage > 100:
			t.Errorf("progress falls from %d to %d", percent, p.Value.Percentage)
		}
		percent = max(percent, p.Value.Percentage)
	}
}

func TestProgressRefused(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{many(t, 50)}, Capabilities: canProgress, RefuseProgress: true})
	e.AwaitIdle()
	if s := e.State(); len(s.Progress) > 0 {
		t.Errorf("progress %+v", s.Progress)
	}
}

// TestStatusNotifications checks that there are at most four a second and none without a change,
// and that the last state is sent.
func TestStatusNotifications(t *testing.T) {
	root, begun := many(t, 400), time.Now()
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	for i := range 5 {
		servertest.WriteFile(t, filepath.Join(root, "d0", fmt.Sprintf("new%d.go", i)), source(fmt.Sprintf("late%d", i)))
	}
	e.Await("the last state is told", func(s *servertest.State) servertest.Verdict {
		return servertest.If(s.Last().Idle() && s.Last().Files == 405)
	})
	s := e.State()
	if most := 1 + int(4*time.Since(begun)/time.Second); len(s.Statuses) > most {
		t.Errorf("%d notifications, want at most %d", len(s.Statuses), most)
	}
	for i := 1; i < len(s.Statuses); i++ {
		if s.Wholes[i] == s.Wholes[i-1] {
			t.Errorf("told twice: %s", s.Wholes[i])
		}
	}
	var now servertest.Status
	e.MustExecute("contexture.index.status", nil, &now)
	if now != s.Last() && now.Embedder == s.Last().Embedder {
		t.Errorf("told %+v, is %+v", s.Last(), now)
	}
}
