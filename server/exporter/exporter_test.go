package exporter

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/command"
)

func measured() Figures {
	f := Figures{Durations: map[string]Durations{
		"keyword": {Count: 3, Sum: 40 * time.Millisecond, UpTo: map[time.Duration]uint64{time.Millisecond: 1, 20 * time.Millisecond: 3}},
	}}
	f.Stages = map[string]command.StageMetrics{"keyword": {Outcomes: map[string]int64{"ok": 2, "timeout": 1}}}
	f.Retrieval.Requests, f.Injection.UseRate, f.Index.QueueDepth, f.Index.AgeMS = 5, .25, 7, 1500
	f.Injection.TokensByLayer = map[string]int64{"L5_jit": 900}
	f.Injection.Dropped = map[string]int64{"budget": 4}
	return f
}

// get requests a path at an address, with the host name that a client would use.
func get(t *testing.T, method, address, path, host string) (code int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

func TestText(t *testing.T) {
	e := New(measured, slog.New(slog.DiscardHandler))
	release, err := e.Hold("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	address := e.Address("127.0.0.1:0")
	code, text := get(t, http.MethodGet, address, "/metrics", "")
	if code != http.StatusOK || !IsOurs(text) {
		t.Errorf("%d: %s", code, text)
	}
	for _, line := range []string{
		`contexture_stage_duration_seconds_bucket{stage="keyword",le="0.001"} 1`, `contexture_stage_duration_seconds_bucket{stage="keyword",le="+Inf"} 3`,
		`contexture_stage_duration_seconds_sum{stage="keyword"} 0.04`, `contexture_stage_outcomes_total{outcome="timeout",stage="keyword"} 1`,
		`contexture_retrieval_requests_total 5`, `contexture_injection_use_ratio 0.25`, `contexture_index_queue_depth 7`, `contexture_index_age_seconds 1.5`,
		`contexture_injection_layer_tokens_total{layer="L5_jit"} 900`, `contexture_injection_dropped_total{reason="budget"} 4`,
		`# TYPE contexture_requests_total counter`, `# TYPE go_goroutines gauge`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%s is not in\n%s", line, text)
		}
	}
	for _, tt := range []struct {
		method, path, host string
		code               int
	}{
		{http.MethodGet, "/metrics", "localhost:9477", http.StatusOK},
		{http.MethodGet, "/metrics", "[::1]:9477", http.StatusOK},
		{http.MethodHead, "/metrics", "", http.StatusOK},
		{http.MethodGet, "/metrics", "evil.example", http.StatusForbidden},
		{http.MethodGet, "/metrics", "127.0.0.1.evil.example:9477", http.StatusForbidden},
		{http.MethodPost, "/metrics", "", http.StatusMethodNotAllowed},
		{http.MethodGet, "/", "", http.StatusNotFound},
	} {
		if code, _ := get(t, tt.method, address, tt.path, tt.host); code != tt.code {
			t.Errorf("%s %s of %q: %d, want %d", tt.method, tt.path, tt.host, code, tt.code)
		}
	}
}

// TestHold checks that an address is listened on as long as it is held, and only on this machine.
func TestHold(t *testing.T) {
	e := New(measured, slog.New(slog.DiscardHandler))
	first, err := e.Hold("foo.localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	second, err := e.Hold("foo.localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	address := e.Address("foo.localhost:0")
	if !strings.HasPrefix(address, "127.0.0.1:") {
		t.Errorf("a name leads to %s", address)
	}
	if _, err := New(measured, slog.New(slog.DiscardHandler)).Hold(address); err == nil || !strings.Contains(err.Error(), "another process listens") {
		t.Errorf("an address in use: %v", err)
	}
	first()
	first()
	if code, _ := get(t, http.MethodGet, address, "/metrics", ""); code != http.StatusOK {
		t.Errorf("with one holder left: %d", code)
	}
	second()
	if conn, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("nobody holds it: %v, %v", conn, err)
	}
	if at := e.Address("foo.localhost:0"); at != "" {
		t.Errorf("nobody holds it: %s", at)
	}
	for _, address := range []string{"0.0.0.0:9477", ":9477", "[::]:0", "example.com:80", "192.0.2.1:1", "127.0.0.1", ""} {
		if release, err := e.Hold(address); err == nil {
			t.Errorf("%q is served", address)
			release()
		}
	}
}
