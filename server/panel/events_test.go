package panel

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// opened serves a page, fills in missing options, and returns the client of a person who has logged
// in.
func opened(t *testing.T, opts Options) (c *http.Client, base, origin string) {
	t.Helper()
	opts.Logger = slog.New(slog.DiscardHandler)
	p, err := Listen(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	c = browser(t)
	base, _, _ = strings.Cut(p.URL(), "?")
	ask(t, c, http.MethodGet, p.URL(), "")
	return c, base, strings.TrimSuffix(base, "/")
}

// TestEvents checks that a page receives the events published, the latest of each kind and
// workspace, and that a client without its cookie receives nothing.
func TestEvents(t *testing.T) {
	events := new(Events)
	c, base, _ := opened(t, Options{Events: events})
	if status, _, _ := ask(t, browser(t), http.MethodGet, base+"events", ""); status != http.StatusUnauthorized {
		t.Errorf("a stranger: %d", status)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"events", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("content type %q", kind)
	}
	lines := bufio.NewScanner(answer.Body)
	next := func() string {
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return text
			}
		}
		t.Fatal(lines.Err())
		return ""
	}
	if !lines.Scan() { // the stream has begun: events published from here on arrive
		t.Fatal(lines.Err())
	}
	publish := func(method, params string) { events.Publish(method, json.RawMessage(params)) }
	publish("contexture/unknown", `{}`)
	publish("contexture/status", `{"workspace":"file:///a","files":1}`)
	if got, want := next(), `{"kind":"status","status":{"workspace":"file:///a","files":1}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	publish("contexture/memory", `{"version":7}`)
	if got, want := next(), `{"kind":"memory","version":7}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestEventsReplaceEachOther checks that a slow page receives the latest events, not all.
func TestEventsReplaceEachOther(t *testing.T) {
	events := new(Events)
	_, take, stop := events.follow()
	defer stop()
	for _, files := range []string{"1", "2", "3"} {
		events.Publish("contexture/status", json.RawMessage(`{"workspace":"file:///a","files":`+files+`}`))
	}
	events.Publish("contexture/status", json.RawMessage(`{"workspace":"file:///b","files":9}`))
	var got []string
	for _, body := range take() {
		got = append(got, string(body))
	}
	want := `{"kind":"status","status":{"workspace":"file:///a","files":3}} {"kind":"status","status":{"workspace":"file:///b","files":9}}`
	if strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if left := take(); len(left) > 0 {
		t.Errorf("told twice: %s", left)
	}
}

// TestOpen checks that the person's editor opens files of the workspace and no others.
func TestOpen(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	for _, file := range []string{filepath.Join(root, "a b.go"), filepath.Join(elsewhere, "secret")} {
		if err := os.WriteFile(file, []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(elsewhere, "secret"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	uri := func(parts ...string) string {
		return (&url.URL{Scheme: "file", Path: filepath.Join(parts...)}).String()
	}
	var at string
	var line int
	opts := Options{Roots: []string{uri(root)}, Open: func(_ context.Context, path string, l int) error {
		at, line = filepath.Base(path), l
		return nil
	}}
	c, base, origin := opened(t, opts)
	body := func(uri string, line int) string {
		text, err := json.Marshal(map[string]any{"uri": uri, "line": line})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if status, text, _ := ask(t, c, http.MethodPost, base+"open", body(uri(root, "a b.go"), 12), "Origin", origin); status != http.StatusOK || at != "a b.go" || line != 12 {
		t.Errorf("a file of the workspace: %d %s, opened %q at %d", status, text, at, line)
	}
	at = ""
	for name, test := range map[string]struct{ uri, text string }{
		"outside":         {uri(elsewhere, "secret"), "not a file of the workspace"},
		"a link outside":  {uri(root, "link"), "not a file of the workspace"},
		"a way out":       {"file://" + root + "/../" + filepath.Base(elsewhere) + "/secret", "not a file of the workspace"},
		"a folder":        {uri(root), "not a file of the workspace"},
		"a missing file":  {uri(root, "gone.go"), "notFound"},
		"no file at all":  {"untitled:1", "URI of a file"},
		"a file's flags":  {"-c", "URI of a file"},
		"another machine": {"file://host/etc/hosts", "URI of a file"},
	} {
		if status, text, _ := ask(t, c, http.MethodPost, base+"open", body(test.uri, 1), "Origin", origin); status != http.StatusUnprocessableEntity || !strings.Contains(text, test.text) || at != "" {
			t.Errorf("%s: %d %s, opened %q", name, status, text, at)
		}
	}
	if status, _, _ := ask(t, c, http.MethodPost, base+"open", body(uri(root, "a b.go"), 1), "Origin", "http://box"); status != http.StatusForbidden {
		t.Errorf("another origin: %d", status)
	}

	c, base, origin = opened(t, Options{Roots: opts.Roots})
	if status, text, _ := ask(t, c, http.MethodPost, base+"open", body(uri(root, "a b.go"), 1), "Origin", origin); status != http.StatusUnprocessableEntity || !strings.Contains(text, "EDITOR") {
		t.Errorf("without an editor: %d %s", status, text)
	}
}
