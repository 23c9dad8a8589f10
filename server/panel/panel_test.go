package panel

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
)

// serve opens a page whose commands answer with their arguments.
func serve(t *testing.T) *Page {
	t.Helper()
	p, err := Listen(t.Context(), Options{
		Roots: []string{"file:///ws"}, Logger: slog.New(slog.DiscardHandler),
		Execute: func(_ context.Context, id string, args json.RawMessage) (json.RawMessage, error) {
			switch id {
			case "contexture.search":
				return nil, &command.Error{Code: command.CodeInvalidParams, Field: "query", Message: "is required"}
			case "contexture.metrics":
				return nil, errors.New("the server is gone")
			}
			return args, nil
		},
	})
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
	return p
}

// browser keeps cookies as a browser does.
func browser(t *testing.T) *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

func ask(t *testing.T, c *http.Client, method, url, body string, header ...string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text), answer.Header
}

// TestOnce checks that the address is single-use.
func TestOnce(t *testing.T) {
	p := serve(t)
	url, first := p.URL(), browser(t)
	base, _, _ := strings.Cut(url, "?")
	if status, _, _ := ask(t, browser(t), http.MethodGet, base, ""); status != http.StatusUnauthorized {
		t.Errorf("without a token: %d", status)
	}
	if status, _, _ := ask(t, browser(t), http.MethodGet, base+"?token=wrong", ""); status != http.StatusUnauthorized {
		t.Errorf("with a wrong token: %d", status)
	}
	status, text, header := ask(t, first, http.MethodGet, url, "")
	if status != http.StatusOK || !strings.Contains(text, "workbench.js") || !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("the page: %d %v\n%s", status, header, text)
	}
	if status, _, _ := ask(t, browser(t), http.MethodGet, url, ""); status != http.StatusUnauthorized {
		t.Errorf("the token a second time: %d", status)
	}
	for name, kind := range map[string]string{"workbench.js": "javascript", "workbench.css": "text/css"} {
		if status, _, header := ask(t, first, http.MethodGet, base+name, ""); status != http.StatusOK || !strings.Contains(header.Get("Content-Type"), kind) {
			t.Errorf("%s: %d %s", name, status, header.Get("Content-Type"))
		}
		if status, _, _ := ask(t, browser(t), http.MethodGet, base+name, ""); status != http.StatusUnauthorized {
			t.Errorf("%s for a stranger: %d", name, status)
		}
	}
	if status, _, _ := ask(t, first, http.MethodGet, base+"../panel.go", ""); status != http.StatusNotFound {
		t.Errorf("a file that is no asset: %d", status)
	}
}

// TestCommands checks that commands run for the page and for no other client.
func TestCommands(t *testing.T) {
	p := serve(t)
	c := browser(t)
	base, _, _ := strings.Cut(p.URL(), "?")
	origin := strings.TrimSuffix(base, "/")
	ask(t, c, http.MethodGet, p.URL(), "")
	const bundle = `{"command":"contexture.bundle","args":{"prompt":"<x>"}}`
	if status, text, _ := ask(t, c, http.MethodPost, base+"execute", bundle, "Origin", origin); status != http.StatusOK || !strings.Contains(text, "prompt") {
		t.Errorf("bundle: %d %s", status, text)
	}
	if status, text, _ := ask(t, c, http.MethodPost, base+"session", "{}", "Origin", origin); status != http.StatusOK || !strings.Contains(text, "file:///ws") {
		t.Errorf("session: %d %s", status, text)
	}
	for name, test := range map[string]struct {
		client     *http.Client
		path, body string
		header     []string
		status     int
		text       string
	}{
		"another origin":  {c, "execute", bundle, []string{"Origin", "http://box"}, http.StatusForbidden, "other pages"},
		"no origin":       {c, "execute", bundle, nil, http.StatusForbidden, "other pages"},
		"another host":    {c, "execute", bundle, []string{"Host", "box", "Origin", origin}, http.StatusMisdirectedRequest, "only"},
		"a stranger":      {browser(t), "execute", bundle, []string{"Origin", origin}, http.StatusUnauthorized, "single-use"},
		"no command":      {c, "execute", `{"command":"rm"}`, []string{"Origin", origin}, http.StatusBadRequest, "rm"},
		"no JSON":         {c, "execute", `{`, []string{"Origin", origin}, http.StatusBadRequest, "command"},
		"too large":       {c, "execute", strings.Repeat(" ", maxRequest+1), []string{"Origin", origin}, http.StatusRequestEntityTooLarge, "large"},
		"refused":         {c, "execute", `{"command":"contexture.search"}`, []string{"Origin", origin}, http.StatusUnprocessableEntity, `"field":"query"`},
		"failed":          {c, "execute", `{"command":"contexture.metrics"}`, []string{"Origin", origin}, http.StatusBadGateway, "gone"},
		"no such request": {c, "else", "{}", []string{"Origin", origin}, http.StatusNotFound, ""},
	} {
		status, text, _ := ask(t, test.client, http.MethodPost, base+test.path, test.body, test.header...)
		if status != test.status || !strings.Contains(text, test.text) {
			t.Errorf("%s: %d %q, want %d %q", name, status, text, test.status, test.text)
		}
	}
	if status, _, _ := ask(t, c, http.MethodPut, base+"execute", bundle, "Origin", origin); status != http.StatusMethodNotAllowed {
		t.Errorf("PUT: %d", status)
	}
}
