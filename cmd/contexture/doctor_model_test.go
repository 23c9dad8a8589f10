package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/settings"
)

func TestModelServerAddress(t *testing.T) {
	for _, c := range []struct{ host, want string }{
		{"", "http://127.0.0.1:11434"},
		{"0.0.0.0", "http://127.0.0.1:11434"},
		{"0.0.0.0:8080", "http://127.0.0.1:8080"},
		{":8080", "http://127.0.0.1:8080"},
		{"[::1]:8080", "http://[::1]:8080"},
		{"[::1]", "http://[::1]:11434"},
		{"models", "http://models:11434"},
		{" 'models:1' ", "http://models:1"},
		{"https://models", "https://models"},
		{"https://models:8443/ollama/", "https://models:8443/ollama"},
		{"http://user:secret@models:1/", "http://models:1"},
	} {
		getenv := func(name string) string {
			if name == "OLLAMA_HOST" {
				return c.host
			}
			return ""
		}
		u, named, err := modelServer(settings.Defaults(), getenv)
		if err != nil || u.String() != c.want || (named != "") != (c.host != "") {
			t.Errorf("OLLAMA_HOST=%q: %v, named %q, %v, want %s", c.host, u, named, err, c.want)
		}
	}
	if u, err := parseModelURL("ftp://models"); err == nil {
		t.Errorf("ftp was taken: %v", u)
	}
	if u, err := parseModelURL("http://mod els:x"); err == nil {
		t.Errorf("nonsense was taken: %v", u)
	}
}

func TestModelVersion(t *testing.T) {
	asked := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer elsewhere.Close()
	var path string
	answer := func(w http.ResponseWriter) { fmt.Fprint(w, `{"version":"0.17.4"}`) }
	models := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.Method + " " + r.URL.Path
		answer(w)
	}))
	defer models.Close()
	base, err := url.Parse(models.URL)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := modelVersion(context.Background(), base); err != nil || v != "0.17.4" || path != "GET /api/version" {
		t.Errorf("%q, %v, asked for %s", v, err, path)
	}
	for name, bad := range map[string]func(http.ResponseWriter){
		"its answer has no version": func(w http.ResponseWriter) { fmt.Fprint(w, "<html>") },
		"404":                       func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) },
		"302": func(w http.ResponseWriter) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(http.StatusFound)
		},
	} {
		answer = bad
		if _, err := modelVersion(context.Background(), base); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q", err, name)
		}
	}
	if asked != 0 {
		t.Error("a redirection was followed to another address")
	}
}
