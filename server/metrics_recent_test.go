package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/server/command"
)

func TestRecentRequests(t *testing.T) {
	r := newRecent()
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range recentRequests + 7 {
		r.request("contexture.config", begin.Add(time.Duration(i)*time.Second), time.Millisecond, nil, nil)
	}
	r.request("secret words", begin, 0, nil, command.InvalidParams("command", "is unknown"))
	r.request("contexture.search", begin, time.Second, nil, command.Cancelled())
	r.request(recentCommand, begin, 0, nil, nil)
	r.request("contexture.bundle", begin, 1500*time.Microsecond, &command.BundleResult{Stages: []command.Stage{
		{Name: "keyword", MS: 1.25, Outcome: "ok"}, {Name: "judge", Outcome: "skipped"},
	}}, nil)
	got := r.result().Requests
	if len(got) != recentRequests {
		t.Fatalf("%d requests", len(got))
	}
	for i, want := range []string{"contexture.bundle ok", "contexture.search cancelled", "unknown error", "contexture.config ok"} {
		if is := got[i].Command + " " + got[i].Outcome; is != want {
			t.Errorf("%d: %s, want %s", i, is, want)
		}
	}
	if b := got[0]; b.MS != 1.5 || len(b.Stages) != 1 || b.Stages[0] != (command.RecentStage{Name: "keyword", MS: 1.25}) {
		t.Errorf("the bundle: %+v", b)
	}
	if last := got[3].At.Sub(got[recentRequests-1].At.Time); last != (recentRequests-4)*time.Second {
		t.Errorf("between the newest and the oldest: %v", last)
	}
}

func TestRecentFaults(t *testing.T) {
	r := newRecent()
	var written bytes.Buffer
	errorsOnly := r.logger(slog.New(slog.NewTextHandler(&written, &slog.HandlerOptions{Level: slog.LevelError})))
	quiet := r.logger(slog.New(slog.DiscardHandler))
	if r.logger(quiet) != quiet || r.logger(quiet.With("pid", 1)).Handler().(*faultHandler).recent != r {
		t.Error("a logger is wrapped twice")
	}
	quiet.Debug("nothing")
	quiet.Info("nothing")
	quiet.With("root", "/x").WithGroup("g").Warn("close index", "path", "/secret/place", "err", errors.New("disk full"))
	errorsOnly.Warn("below the level")
	errorsOnly.Error("above it", "err", errors.New(strings.Repeat("é", maxFaultBytes)))
	got := r.result().Faults
	if len(got) != 3 {
		t.Fatalf("faults %+v", got)
	}
	if f := got[2]; f.Component != "server" || f.Message != "close index: disk full" || f.At.IsZero() {
		t.Errorf("%+v", f)
	}
	if f := got[0]; len(f.Message) > maxFaultBytes+len("…") || !utf8.ValidString(f.Message) || !strings.HasPrefix(f.Message, "above it: é") {
		t.Errorf("a long one has %d bytes: %.40s", len(f.Message), f.Message)
	}
	if text := written.String(); strings.Contains(text, "below") || !strings.Contains(text, "above it") {
		t.Errorf("written: %.200s", text)
	}
	for range 2 * recentFaults {
		quiet.Error("again")
	}
	if got = r.result().Faults; len(got) != recentFaults || got[recentFaults-1].Message != "again" {
		t.Errorf("%d faults", len(got))
	}
}

// BenchmarkRecentRequest measures the cost of recording a request.
func BenchmarkRecentRequest(b *testing.B) {
	r, at := newRecent(), time.Now()
	result := &command.SearchResult{}
	for b.Loop() {
		r.request("contexture.search", at, time.Millisecond, result, context.Canceled)
	}
}
