package server_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// setting returns the value and source of a setting.
func setting(e *servertest.Editor, key string) (value any, source string) {
	var r command.ConfigResult
	e.MustExecute("contexture.config", nil, &r)
	for _, s := range r.Settings {
		if s.Key == key {
			return s.Value, s.Source
		}
	}
	return nil, ""
}

func TestSettingsInLayers(t *testing.T) {
	config, root := t.TempDir(), servertest.Tree(t, map[string]string{"a.go": source("a")})
	e := servertest.Start(t, servertest.Options{ConfigDir: config, Roots: []string{root}})
	check := func(what string, want float64, from string) {
		t.Helper()
		e.Eventually(what, func() bool {
			value, source := setting(e, "budget.default")
			return value == want && (source == from || filepath.Base(source) == from)
		})
	}
	check("the default", 12000, "default")
	servertest.WriteFile(t, filepath.Join(config, "config.toml"), "[budget]\ndefault = 1000\n")
	check("the person's file", 1000, "config.toml")
	servertest.WriteFile(t, filepath.Join(root, ".contexture.toml"), "budget.default = 2000\n")
	e.Save(servertest.URI(filepath.Join(root, ".contexture.toml")))
	if value, _ := setting(e, "budget.default"); value != 2000.0 {
		t.Errorf("a saved settings file does not hold for the next request: %v", value)
	}
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"contexture": map[string]any{"budget": map[string]any{"default": 3000}}, "python": map[string]any{}}})
	check("the editor's section", 3000, "editor")
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"budget.default": 4000}})
	check("the bare section", 4000, "editor")
	var b command.BundleResult
	e.MustExecute("contexture.bundle", map[string]any{"prompt": "x"}, &b)
	if b.Budget != 4000 {
		t.Errorf("the bundle's budget is %d", b.Budget)
	}
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"contexture": map[string]any{}}})
	check("the workspace's file again", 2000, ".contexture.toml")
	if s := e.State(); len(s.Messages) > 0 {
		t.Errorf("shown: %q", s.Messages)
	}
}

func TestInitializationOptions(t *testing.T) {
	for name, options := range map[string]any{
		"section": map[string]any{"budget": map[string]any{"default": 999}}, "named": map[string]any{"contexture": map[string]any{"budget.default": 999}},
	} {
		e := servertest.Start(t, servertest.Options{InitOptions: options})
		if value, source := setting(e, "budget.default"); value != 999.0 || source != "editor" {
			t.Errorf("%s: %v from %s", name, value, source)
		}
		e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
		if value, _ := setting(e, "budget.default"); value != 999.0 {
			t.Errorf("%s: a change without settings leaves %v", name, value)
		}
	}
}

func TestWorkspaceConfiguration(t *testing.T) {
	var budget atomic.Int64
	budget.Store(500)
	e := servertest.Start(t, servertest.Options{
		Capabilities: map[string]any{"workspace": map[string]any{
			"configuration": true, "didChangeConfiguration": map[string]any{"dynamicRegistration": true}, "didChangeWatchedFiles": map[string]any{"dynamicRegistration": true},
		}},
		Configuration: func() any { return map[string]any{"budget": map[string]any{"default": budget.Load()}} },
	})
	is := func(want float64) func() bool {
		return func() bool { value, _ := setting(e, "budget.default"); return value == want }
	}
	e.Eventually("the client's settings are asked for", is(500))
	budget.Store(600)
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	e.Eventually("they are asked for again", is(600))
	asked := strings.Join(e.State().Asked, " ")
	if !strings.Contains(asked, "client/registerCapability") {
		t.Errorf("asked: %s", asked)
	}
}

// TestNoRequestsWithoutCapability checks that a client without capabilities receives no requests.
func TestNoRequestsWithoutCapability(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": source("a")})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}, Configuration: func() any { return nil }})
	e.AwaitIdle()
	if s := e.State(); len(s.Asked) > 0 || len(s.Progress) > 0 {
		t.Errorf("asked %v, progress %v", s.Asked, s.Progress)
	}
}

func TestProblemsAreShownOnce(t *testing.T) {
	root := servertest.Tree(t, map[string]string{".contexture.toml": "budget.defualt = 1\nticklers.max = \"many\"\norder = \"primed\"\n"})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}, InitOptions: map[string]any{"colour": 1}})
	for _, key := range []string{"budget.defualt", "ticklers.max", "colour"} {
		e.Await(key+" is named", func(s *servertest.State) servertest.Verdict {
			return servertest.If(strings.Contains(strings.Join(s.Messages, "\n"), key))
		})
	}
	for i := range 3 {
		e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"contexture": map[string]any{"budget": map[string]any{"default": 1000 + i}}}})
	}
	if value, _ := setting(e, "order"); value != "primed" {
		t.Errorf("the rest of the file does not hold: %v", value)
	}
	if s := e.State(); len(s.Messages) != 3 {
		t.Errorf("shown: %q", s.Messages)
	}
}

func TestIndexSettingsApplyLive(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": source("keptWord"), "gen/b.go": source("goneWord")})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	gone := servertest.URI(filepath.Join(root, "gen", "b.go"))
	if !has(e, "goneWord", gone) {
		t.Fatal("not there before")
	}
	configure := func(section map[string]any) {
		e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"contexture": section}})
	}
	configure(map[string]any{"index": map[string]any{"exclude": []string{"gen"}}})
	e.Eventually("an excluded folder goes", func() bool {
		return !has(e, "goneWord", gone) && has(e, "keptWord", servertest.URI(filepath.Join(root, "a.go")))
	})
	configure(map[string]any{})
	e.Eventually("and comes back", func() bool { return has(e, "goneWord", gone) })

	configure(map[string]any{"enabled": false})
	var got *servertest.Error
	for _, name := range []string{"contexture.index.status", "contexture.index.rebuild"} {
		if err := e.Execute(name, nil, nil); !errors.As(err, &got) || got.Data.Code != "unavailable" {
			t.Errorf("switched off, %s answers %v", name, err)
		}
	}
	if err := e.Execute("contexture.bundle", map[string]any{"prompt": "x"}, nil); !errors.As(err, &got) || got.Data.Code != "unavailable" {
		t.Errorf("switched off, a bundle answers %v", err)
	}
	e.MustExecute("contexture.config", nil, nil)
	configure(map[string]any{"enabled": true})
	e.Eventually("switched on again it answers", func() bool { return has(e, "goneWord", gone) })

	configure(map[string]any{"index": map[string]any{"paused": true}})
	configure(map[string]any{"index": map[string]any{"paused": false}})
	servertest.WriteFile(t, filepath.Join(root, "a.go"), source("laterWord"))
	e.Save(servertest.URI(filepath.Join(root, "a.go")))
	e.Eventually("a save is followed", func() bool { return has(e, "laterWord", servertest.URI(filepath.Join(root, "a.go"))) })
}

func TestSwitchedOffWithoutRoot(t *testing.T) {
	e := servertest.Start(t, servertest.Options{InitOptions: map[string]any{"enabled": false}})
	var got *servertest.Error
	if err := e.Execute("contexture.bundle", map[string]any{"prompt": "x"}, nil); !errors.As(err, &got) || got.Data.Code != "unavailable" {
		t.Errorf("answers %v", err)
	}
}

// TestRepositoryCannotHarm checks that a repository's own settings neither reveal secrets nor send
// texts anywhere, that each refusal is reported once, and that the rest of the file applies.
func TestRepositoryCannotHarm(t *testing.T) {
	p, model := newPlanted(), newTalker(t, "yes")
	p.secret("elsewhere") // kinds alternate, and the second is a GitHub token
	root := servertest.Tree(t, map[string]string{
		"deploy.go": "package deploy\n\n// Quetzal deploys with " + p.secret("file") + " as its token.\nfunc Quetzal() {}\n",
		".contexture.toml": "order = \"primed\"\nmemory.learn = true\nmetrics.listen = \"127.0.0.1:0\"\n[secrets]\nallow = [\".*\"]\n[ollama]\n" +
			"url = \"" + model.URL + "\"\nembedModel = \"nomic-embed-text\"\nchatModel = \"qwen3\"\n",
	})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}, ModelHost: "127.0.0.1:1"})
	e.AwaitIdle()
	for name, a := range map[string]args{
		"search": {"query": "quetzal token"}, "bundle": {"prompt": "Which token does Quetzal deploy with?"}, "recall": {"query": "quetzal token"},
	} {
		var raw json.RawMessage
		e.MustExecute("contexture."+name, a, &raw)
		if got := p.found(raw); len(got) > 0 || !strings.Contains(string(raw), "REDACTED") {
			t.Errorf("%s: secrets of %q in %.600s", name, got, raw)
		}
	}
	if sent, _ := model.told(); len(sent) > 0 {
		t.Errorf("the repository's model server was sent %q", sent)
	}
	if value, _ := setting(e, "order"); value != "primed" {
		t.Errorf("the rest of the file does not hold: %v", value)
	}
	messages := e.State().Messages
	for _, key := range []string{"memory.learn", "metrics.listen", "secrets.allow", "ollama.url", "ollama.embedModel", "ollama.chatModel"} {
		n := 0
		for _, m := range messages {
			if strings.Contains(m, ": "+key+" may not be set by a repository") && strings.Contains(m, filepath.Join(root, ".contexture.toml")) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s is refused %d times in %q", key, n, messages)
		}
	}
}

// TestRepositoryNamesNoIgnoredFile checks that a repository's settings cannot bring an ignored file
// into bundles as identity or preferences, while a file that the rules include is read, also
// through a link within the root.
func TestRepositoryNamesNoIgnoredFile(t *testing.T) {
	root := servertest.Tree(t, map[string]string{
		".gitignore": "*.local\n", "hidden.local": "Quetzal is hidden.\n", "who.local": "I am Quetzal.\n", "rules.md": "Always greet the heron.\n",
		".contexture.toml": "preferences.files = [\"hidden.local\", \"by-link\", \"by-link.md\"]\nidentity.file = \"who.local\"\n",
	})
	for link, to := range map[string]string{"by-link": "hidden.local", "by-link.md": "rules.md"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	e.Open(servertest.URI(filepath.Join(root, "who.local")), "I am Quetzal, unsaved.\n")
	var b command.BundleResult
	e.MustExecute("contexture.bundle", args{"prompt": "hello there, what now?"}, &b)
	if strings.Contains(b.Text, "Quetzal") || !strings.Contains(b.Text, "heron") {
		t.Errorf("the bundle is %s", b.Text)
	}
}

// TestBadGlob checks that an invalid glob is reported once, by its key and text, and that
// everything else continues.
func TestBadGlob(t *testing.T) {
	root := servertest.Tree(t, map[string]string{
		"a.go": source("alpha"), "b.tmp.go": source("beta"), ".contexture.toml": "index.exclude = [\"[\", \"*.tmp.go\"]\nindex.include = [\"x[\"]\n",
	})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	for range 3 {
		if !has(e, "alpha", servertest.URI(filepath.Join(root, "a.go"))) || has(e, "beta", servertest.URI(filepath.Join(root, "b.tmp.go"))) {
			t.Error("the rest does not hold")
		}
	}
	said := map[string]int{}
	for _, m := range e.State().Messages {
		for _, want := range []string{`index.exclude item 1, "["`, `index.include item 1, "x["`} {
			if strings.Contains(m, want) {
				said[want]++
			}
		}
	}
	if len(said) != 2 || len(e.State().Messages) != 2 {
		t.Errorf("shown: %q", e.State().Messages)
	}
}
