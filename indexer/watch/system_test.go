package watch

import (
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"
)

// TestSystem counts the users of watches and names what limits their number, without a watcher.
func TestSystem(t *testing.T) {
	full := false
	opts := Options{Budget: 1, refuse: func(string) error {
		if full {
			return limitErrors[0]
		}
		return nil
	}}
	s := newSystem(opts, slog.New(slog.DiscardHandler))
	a, b := t.TempDir(), t.TempDir()
	if s.add(a) {
		t.Error("a watch is set before the system's watcher exists")
	}
	if !s.open() {
		t.Fatal(s.limitErr)
	}
	defer s.close()
	first, again, other := s.add(a), s.add(a), s.add(b)
	if !first || !again || other || s.held[a] != 2 {
		t.Errorf("held %v", s.held)
	}
	if !strings.Contains(s.problem(), "the budget of 1 watches") {
		t.Errorf("beyond the budget: %q", s.problem())
	}
	if s.release(a); s.held[a] != 1 {
		t.Errorf("held %v", s.held)
	}
	if s.release(a); len(s.held) > 0 || s.problem() != "" {
		t.Errorf("held %v: %q", s.held, s.problem())
	}
	full = true
	if s.add(a) || s.limit != 0 || !strings.Contains(s.problem(), "max_user_watches") {
		t.Errorf("refused: limit %d, %q", s.limit, s.problem())
	}
}

// TestExtras reports a file that appears below a folder that does not exist yet, without a tree of
// folders.
func TestExtras(t *testing.T) {
	dir := t.TempDir()
	s := newSystem(Options{Budget: 8, refuse: func(string) error { return nil }}, slog.New(slog.DiscardHandler))
	if !s.open() {
		t.Fatal(s.limitErr)
	}
	defer s.close()
	var reported []string
	x := extras{system: s, report: func(e *extra) bool {
		reported = append(reported, e.given)
		return true
	}}
	given := dir + "/git/HEAD"
	x.set(dir, []string{given, "relative"}, false)
	if len(x.points[dir]) != 1 || x.polled() != 0 {
		t.Fatalf("points %v, %d polled", x.points, x.polled())
	}
	if err := os.Mkdir(dir+"/git", 0o755); err != nil {
		t.Fatal(err)
	}
	x.event(dir+"/other", true, false)
	x.event(dir+"/git", true, false)
	if len(reported) != 1 || reported[0] != given || len(x.points[dir+"/git"]) != 1 {
		t.Errorf("reported %q, points %v", reported, x.points)
	}
}

// TestSchedule sends changes after a quiet time, and does not wait for one forever.
func TestSchedule(t *testing.T) {
	s := newSchedule(50 * time.Millisecond)
	defer s.timer.Stop()
	now := time.Unix(1, 0)
	if s.hurry(); s.due {
		t.Error("due without changes")
	}
	s.touch(now)
	if s.expire(now.Add(40 * time.Millisecond)); s.due {
		t.Error("due before the quiet time")
	}
	if s.expire(now.Add(50 * time.Millisecond)); !s.due {
		t.Error("not due after the quiet time")
	}
	s.clear()
	for i := range 6 {
		s.touch(now.Add(time.Duration(i) * 40 * time.Millisecond))
	}
	if s.expire(now.Add(200 * time.Millisecond)); !s.due {
		t.Error("changes without a pause are not due")
	}
}
