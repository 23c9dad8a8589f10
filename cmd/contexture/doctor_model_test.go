package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/ollama"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest/gguf"
	"github.com/contexture-dev/contexture/server/settings"
)

// said returns what the doctor prints for an empty workspace, with OLLAMA_HOST and with user
// settings, which a workspace may not contain.
func said(t *testing.T, host, config string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "config.toml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HOME": dir, "OLLAMA_HOST": host}
	var out, errs bytes.Buffer
	root := newRoot(&environment{getenv: func(name string) string { return env[name] }, stdout: closing{&out}, stderr: &errs})
	root.SetArgs(append([]string{"doctor", "--state-dir", filepath.Join(dir, "state"), "--config", file, "--root", t.TempDir()}, args...))
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%v: %s%s", err, &out, &errs)
	}
	return out.String()
}

// visit returns what the doctor prints as JSON.
func visit(t *testing.T, host, config string, args ...string) (d diagnosis) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(said(t, host, config, append(args, "--json")...)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		t.Fatal(err)
	}
	return d
}

// closing makes a buffer usable as standard output.
type closing struct{ *bytes.Buffer }

func (closing) Close() error { return nil }

// models formats the findings about the model server as lines: "check status: detail → action".
func (d diagnosis) models() string {
	var b strings.Builder
	for _, f := range d.Findings {
		if strings.Contains(f.Check, "model") || strings.HasPrefix(f.Check, "embedding") {
			fmt.Fprintf(&b, "%s %s: %s → %s\n", f.Check, f.Status, f.Detail, f.Action)
		}
	}
	return b.String()
}

func holds(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in\n%s", w, text)
		}
	}
}

func TestDoctorReportsModels(t *testing.T) {
	s := ollamatest.Start(t)
	s.Embedder(t, "nomic-embed-text", gguf.Embedder{Dims: 64})
	s.Decoder(t, "small-chat", "ready")
	d := visit(t, s.URL, "")
	if !d.OK || d.Model == nil || d.Model.Embed == nil || d.Model.Chat == nil {
		t.Fatalf("%+v", d)
	}
	e := d.Model.Embed
	if e.Name != "nomic-embed-text:latest" || e.Dimensions != 64 || e.Query != "search_query: " || e.Document != "search_document: " ||
		e.Context == 0 || len(e.Identity) != 16 || e.PerSecond <= 0 || e.QueryMs <= 0 || e.LowerCased || !strings.HasPrefix(e.Weights, "sha256-") {
		t.Errorf("%+v", e)
	}
	if c := d.Model.Chat; c.Name != "small-chat:latest" || c.AnswerMs <= 0 {
		t.Errorf("%+v", c)
	}
	holds(t, d.models(), "model server ok: "+s.URL+" answers, version ", "models ok: 2 models: nomic-embed-text:latest, small-chat:latest",
		"embedding model ok: nomic-embed-text:latest (chosen automatically): 64 dimensions", `"search_query: " before queries`, "texts a second",
		"chat model ok: small-chat:latest (chosen automatically)", "answers in ")
	holds(t, said(t, s.URL, ""), "✓ embedding model", "✓ chat model", s.URL+"  reachable")
	if strings.Contains(d.models(), "warning") {
		t.Errorf("a server in order is warned of:\n%s", d.models())
	}
}

// The settings choose the models, and for a missing one the advice is how to install it.
func TestDoctorReportsModelChoice(t *testing.T) {
	s := ollamatest.Start(t)
	holds(t, said(t, s.URL, ""), "✓ models", "none is installed", "! embedding model", "ollama pull embeddinggemma", "! chat model", "ollama pull qwen3:1.7b")
	s.Embedder(t, "nomic-embed-text", gguf.Embedder{})
	s.Embedder(t, "other-embedder", gguf.Embedder{})
	config := func(more string) string { return fmt.Sprintf("ollama.url = %q\n%s", s.URL, more) }
	d := visit(t, "127.0.0.1:1", config(`ollama.embedModel = "other-embedder"
[ollama.prefixes]
other-embedder = { query = "ask: ", document = "" }
`))
	holds(t, d.models(), "other-embedder:latest (named in the settings)", `"ask: " before queries, "" before documents`)
	d = visit(t, "", config("ollama.embedModel = \"absent\"\nollama.chatModel = \"nomic-embed-text\"\n"))
	holds(t, d.models(), "embedding model warning: absent, named by ollama.embedModel, is not installed; the built-in embedder is used → ollama pull absent",
		"chat model warning: nomic-embed-text:latest, named by ollama.chatModel: the model cannot do this")
	if d.Model.Embed != nil || d.Model.Chat != nil || !d.OK {
		t.Errorf("%+v", d.Model)
	}
}

// A model that runs on another machine is reported and rejected.
func TestDoctorRefusesRemoteModels(t *testing.T) {
	s := ollamatest.Start(t)
	p := ollamatest.NewProxy(t, s.URL)
	p.Set(ollamatest.Fault{Kind: ollamatest.Rewritten, Path: "/api/tags", Rewrite: func([]byte) []byte {
		return []byte(`{"models":[{"name":"large:cloud","digest":"1","remote_host":"https://models.example"}]}`)
	}})
	d := visit(t, p.URL, "ollama.chatModel = \"large:cloud\"\n")
	holds(t, d.models(), "models ok: refused, since texts would leave the server: large:cloud (https://models.example)",
		"chat model warning: large:cloud, named by ollama.chatModel: the model runs on https://models.example")
	if n := p.Calls("/api/show") + p.Calls("/api/embed") + p.Calls("/api/chat"); n != 0 {
		t.Errorf("%d calls beside the list", n)
	}
}

func TestDoctorReportsUpperCaseDefect(t *testing.T) {
	s := ollamatest.Start(t)
	s.Embedder(t, "nomic-embed-text", gguf.Embedder{Architecture: "nomic-bert"})
	d := visit(t, s.URL, "")
	holds(t, d.models(), "embedding model warning: this version of the server spoils words with capitals", "0.30")
	if d.Model.Embed == nil || !d.Model.Embed.LowerCased {
		t.Errorf("%+v", d.Model)
	}
}

// Whatever a server does, the doctor ends in time and reports it.
func TestDoctorHandlesServerFaults(t *testing.T) {
	t.Parallel()
	s := ollamatest.Start(t)
	s.Embedder(t, "nomic-embed-text", gguf.Embedder{})
	p := ollamatest.NewProxy(t, s.URL)
	other := ollamatest.NewProxy(t, s.URL)
	t.Cleanup(func() { // once the parallel cases are over
		if p.Calls("") != 0 || other.Calls("") != 0 {
			t.Error("somebody else was asked")
		}
	})
	for _, c := range []struct {
		name  string
		fault ollamatest.Fault
		want  string
	}{
		{"version hangs", ollamatest.Fault{Kind: ollamatest.Hang}, "does not answer: the model server did not answer in time"},
		{"version fails", ollamatest.Fault{Kind: ollamatest.Error}, "does not answer as a model server"},
		{"a page", ollamatest.Fault{Kind: ollamatest.Garbage}, "does not answer as a model server: the answer is not the JSON it should be"},
		{"sent elsewhere", ollamatest.Fault{Kind: ollamatest.Redirect, Location: other.URL}, "it redirects (status 307)"},
		{"no version", ollamatest.Fault{Kind: ollamatest.Rewritten, Rewrite: func([]byte) []byte { return []byte("{}") }}, "its answer has no version"},
		{"dropped", ollamatest.Fault{Kind: ollamatest.Drop}, "does not answer"},
		{"the list hangs", ollamatest.Fault{Kind: ollamatest.Hang, Path: "/api/tags"}, "models warning: they cannot be listed"},
		{"no list", ollamatest.Fault{Kind: ollamatest.Truncated, Path: "/api/tags"}, "models warning: they cannot be listed"},
		{"embedding hangs", ollamatest.Fault{Kind: ollamatest.Hang, Path: "/api/embed"}, "cannot be used: the model server did not answer in time"},
		{"no numbers", ollamatest.Fault{Kind: ollamatest.NotANumber, Path: "/api/embed"}, "cannot be used"},
		{"overloaded", ollamatest.Fault{Kind: ollamatest.Error, Status: 503, Path: "/api/embed"}, "run contexture doctor again"},
		{"a text fails", ollamatest.Fault{Kind: ollamatest.Error, Path: "/api/embed", Holding: "read7"}, "embedding speed warning: not measured"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := ollamatest.NewProxy(t, s.URL)
			p.Set(c.fault)
			begin := time.Now()
			d := visit(t, p.URL, "")
			if took := time.Since(begin); took > modelPatience+4*time.Second {
				t.Errorf("it took %v", took)
			}
			holds(t, d.models(), c.want)
			if !d.OK || !strings.Contains(d.models(), "warning") {
				t.Errorf("a server that was named and fails is to be warned of, and is no fault:\n%s", d.models())
			}
			if len(d.Endpoints) != 1 || d.Endpoints[0].URL != p.URL {
				t.Errorf("%+v", d.Endpoints)
			}
		})
	}
}

// Without a server all is well unless one was configured; offline, and if it is not allowed, no
// request is sent.
func TestDoctorAsksOnlyAllowedServers(t *testing.T) {
	down := ollamatest.Start(t)
	down.Down(t)
	d := visit(t, down.URL, "")
	holds(t, d.models(), "model server warning: "+down.URL+" (OLLAMA_HOST) does not answer: ", "the built-in embedder is used → start it with: ollama serve, or fix OLLAMA_HOST")
	p := ollamatest.NewProxy(t, down.URL)
	d = visit(t, p.URL, "", "--offline")
	if holds(t, d.models(), "model server ok: not asked: --offline"); p.Calls("") != 0 || len(d.Endpoints) != 0 || d.Model != nil {
		t.Errorf("%d calls offline, %+v", p.Calls(""), d)
	}
	d = visit(t, "box", "metrics.listen = \"127.0.0.1:1\"\n")
	holds(t, d.models(), "model server warning: http://box:11434 (OLLAMA_HOST) is another machine and is not asked → allow it with ollama.allowRemote = [\"box\"]")
	if len(d.Endpoints) != 2 || d.Endpoints[0] != (endpoint{"http://box:11434", "model server", "not asked"}) || d.Endpoints[1].State != "does not listen" {
		t.Errorf("%+v", d.Endpoints)
	}
	d = visit(t, "http://me:secret@box:7", "")
	if text := fmt.Sprint(d, d.Model); strings.Contains(text, "secret") {
		t.Error("the password is told: ", text)
	}
	d = visit(t, "ftp://box", "")
	holds(t, d.models(), "model server warning: OLLAMA_HOST: only http and https can be used")
}

// A person without any configured model is told that nothing is missing.
func TestDoctorNeedsNoServer(t *testing.T) {
	down := ollamatest.Start(t)
	down.Down(t)
	for _, c := range []struct {
		embed string
		want  severity
	}{{"", fine}, {"nomic-embed-text", warning}} {
		client, err := ollama.New(ollama.Options{URL: down.URL})
		if err != nil {
			t.Fatal(err)
		}
		d := &modelDoctor{patient: &patient{}, set: settings.Ollama{EmbedModel: c.embed}, client: client, report: &modelReport{Server: down.URL}}
		if d.askVersion(t.Context()) || len(d.Findings) != 1 || d.Findings[0].Status != c.want {
			t.Errorf("%q: %+v", c.embed, d.Findings)
		}
		holds(t, d.Findings[0].Detail, "the built-in embedder is used")
		client.Close()
	}
}
