package server_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// project is a small workspace with code, prose, rules and preferences.
func project(t *testing.T) string {
	return servertest.Tree(t, map[string]string{
		"retry.go":       "package p\n\n// Backoff waits longer after each failure.\nfunc Backoff(n int) int {\n\treturn 1 << n\n}\n",
		"cache/lru.go":   "package cache\n\n// Evict throws out what was used longest ago.\nfunc Evict() {}\n",
		"web/app.ts":     "// renderPage draws the backoff page\nexport function renderPage(): string {\n  return 'backoff'\n}\n",
		"docs/guide.md":  "# Guide\n\nThe backoff grows with each failure.\n",
		"AGENTS.md":      "# Rules\n\nAlways write tests.\n",
		".gitignore":     "# nothing built\nout/\n",
		"out/gen.go":     "package out\n",
		"data.bin":       "\x00\x01\x02",
		"docs/image.png": "\x89PNG\x00",
	})
}

func bundleOf(t *testing.T, e *servertest.Editor, args map[string]any) *command.BundleResult {
	t.Helper()
	if args["deadlineMs"] == nil {
		args["deadlineMs"] = 30000
	}
	var raw json.RawMessage
	e.MustExecute("contexture.bundle", args, &raw)
	var b command.BundleResult
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), ":null") {
		t.Errorf("a null in %s", raw)
	}
	return &b
}

// checkBundle checks the guarantees that hold for every bundle.
func checkBundle(t *testing.T, b *command.BundleResult, prompt string) {
	t.Helper()
	counter, err := tokens.For(tokens.Encoding(b.Encoding))
	if err != nil {
		t.Fatal(err)
	}
	if got := counter.Count(b.Text); got != b.Tokens || b.Tokens > b.Budget {
		t.Errorf("%d tokens are said, %d counted, %d allowed", b.Tokens, got, b.Budget)
	}
	if !strings.Contains(b.Text, prompt) {
		t.Error("the prompt is not in the text")
	}
	if len(b.Layers) != 8 {
		t.Fatalf("%d layers", len(b.Layers))
	}
	sum := 0
	for _, l := range b.Layers {
		if sum += l.Allocated; l.Used > l.Allocated || l.Allocated > l.Max {
			t.Errorf("layer %+v", l)
		}
	}
	if sum > b.Budget {
		t.Errorf("%d tokens allocated of %d", sum, b.Budget)
	}
	at := 0
	for _, it := range b.Items {
		if it.Span == nil || it.Span.Start < at || it.Span.End <= it.Span.Start || it.Span.End > len(b.Text) {
			t.Fatalf("span of %+v", it)
		}
		at = it.Span.End
		if slices.ContainsFunc(b.Dropped, func(d command.Dropped) bool { return d.ID == it.ID }) {
			t.Errorf("%s is shown and dropped", it.ID)
		}
	}
}

func TestBundle(t *testing.T) {
	root := project(t)
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	const prompt = "how does Backoff work?"
	b := bundleOf(t, e, map[string]any{"prompt": prompt, "budget": 2000})
	checkBundle(t, b, prompt)
	i := slices.IndexFunc(b.Items, func(it command.Item) bool { return it.URI == servertest.URI(filepath.Join(root, "retry.go")) })
	if i < 0 {
		t.Fatalf("retry.go is not in %+v", b.Items)
	}
	it := b.Items[i]
	if want := (command.Range{Start: command.Position{}, End: command.Position{Line: 5, Character: 1}}); it.Range == nil || *it.Range != want {
		t.Errorf("its range is %+v, want %+v", it.Range, want)
	}
	if !slices.Contains(it.Symbols, "Backoff") || it.Reason == "" {
		t.Errorf("symbols %v, reason %q", it.Symbols, it.Reason)
	}
	if !slices.ContainsFunc(b.Items, func(it command.Item) bool { return it.Kind == "preference" && strings.HasSuffix(it.URI, "/AGENTS.md") }) {
		t.Error("AGENTS.md is not there")
	}
	if !b.Intent.Question || b.Frame != "question" || !slices.Contains(b.Intent.Entities, "Backoff") {
		t.Errorf("frame %s, intent %+v", b.Frame, b.Intent)
	}

	again := bundleOf(t, e, map[string]any{"prompt": prompt, "budget": 2000})
	if again.ID == b.ID || again.Text != b.Text || again.Tokens != b.Tokens {
		t.Error("the same input gives another bundle, or the same id")
	}
	short := bundleOf(t, e, map[string]any{"prompt": prompt, "budget": 2000, "includeText": false})
	if short.Text != "" || short.Tokens != b.Tokens || len(short.Items) != len(b.Items) {
		t.Errorf("without text: %d bytes, %d tokens, %d items", len(short.Text), short.Tokens, len(short.Items))
	}
	other := bundleOf(t, e, map[string]any{"prompt": prompt, "budget": 500, "encoding": "cl100k_base", "order": "primed", "frame": "debug"})
	checkBundle(t, other, prompt)
	if other.Encoding != "cl100k_base" || other.Order != "primed" || other.Frame != "debug" {
		t.Errorf("%s, %s, %s", other.Encoding, other.Order, other.Frame)
	}
}

func TestBundleExcludes(t *testing.T) {
	root := project(t)
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	b := bundleOf(t, e, map[string]any{"prompt": "backoff after a failure", "exclude": []string{"docs", "**/*.ts", "AGENTS.md"}})
	for _, it := range b.Items {
		for _, name := range []string{"docs/", ".ts", "AGENTS.md"} {
			if strings.Contains(it.URI, name) {
				t.Errorf("%s was excluded", it.URI)
			}
		}
	}
	if len(b.Items) < 2 {
		t.Errorf("nothing is left: %+v", b.Items)
	}
}

func TestBundleLayers(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{project(t)}})
	e.AwaitIdle()
	b := bundleOf(t, e, map[string]any{"prompt": "backoff", "layers": map[string]any{
		"L5_jit": map[string]any{"max": 40}, "L1_global_prefs": map[string]any{"max": 0}, "L3_entity": map[string]any{"priority": 12.5, "elasticity": 0.25, "max": 0},
	}})
	checkBundle(t, b, "backoff")
	if b.Layers[5].Max != 40 || b.Layers[5].Used > 40 || b.Layers[1].Used != 0 || b.Layers[3].Elasticity != 0.25 {
		t.Errorf("layers %+v", b.Layers)
	}
}

func TestCachePrefix(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{project(t)}})
	e.AwaitIdle()
	first := bundleOf(t, e, map[string]any{"prompt": "how does Backoff work?", "conversationId": "c"})
	second := bundleOf(t, e, map[string]any{"prompt": "what does Evict do?", "conversationId": "c"})
	other := bundleOf(t, e, map[string]any{"prompt": "what does Evict do?", "conversationId": "d"})
	if first.Cache.ReusedPrefixTokens != 0 || other.Cache.ReusedPrefixTokens != 0 {
		t.Errorf("first bundles reuse %d and %d tokens", first.Cache.ReusedPrefixTokens, other.Cache.ReusedPrefixTokens)
	}
	if c := second.Cache; c.StablePrefixTokens == 0 || c.ReusedPrefixTokens < c.StablePrefixTokens || c.StablePrefixHash != first.Cache.StablePrefixHash {
		t.Errorf("the second bundle's cache is %+v, the first's %+v", c, first.Cache)
	}
	same := bundleOf(t, e, map[string]any{"prompt": "what does Evict do?", "conversationId": "c"})
	if same.Cache.ReusedPrefixTokens != same.Tokens {
		t.Errorf("an equal bundle reuses %d of %d tokens", same.Cache.ReusedPrefixTokens, same.Tokens)
	}
}

func TestPersonalFiles(t *testing.T) {
	config, root := t.TempDir(), project(t)
	e := servertest.Start(t, servertest.Options{ConfigDir: config, Roots: []string{root}})
	e.AwaitIdle()
	text := func() string { return bundleOf(t, e, map[string]any{"prompt": "backoff"}).Text }
	if !strings.Contains(text(), "Always write tests.") {
		t.Error("AGENTS.md is not there")
	}
	servertest.WriteFile(t, filepath.Join(config, "identity.md"), "I am a careful reviewer.")
	servertest.WriteFile(t, filepath.Join(config, "preferences.md"), "I prefer short answers.")
	servertest.WriteFile(t, filepath.Join(root, "AGENTS.md"), "Never write tests twice.")
	if got := text(); !strings.Contains(got, "careful reviewer") || !strings.Contains(got, "short answers") || !strings.Contains(got, "Never write tests twice.") {
		t.Errorf("what was written meanwhile is not there:\n%s", got)
	}
	e.Open(servertest.URI(filepath.Join(root, "AGENTS.md")), "Unsaved rules hold too.")
	if !strings.Contains(text(), "Unsaved rules hold too.") {
		t.Error("an open buffer of a rules file does not count")
	}
	e.CloseDocument(servertest.URI(filepath.Join(root, "AGENTS.md")))

	outside := filepath.Join(t.TempDir(), "outside.md")
	servertest.WriteFile(t, outside, "This lies outside.")
	for name, make := range map[string]func(path string) error{
		"link out of the root": func(path string) error { return os.Symlink(outside, path) },
		"binary":               func(path string) error { return os.WriteFile(path, []byte("outside\x00"), 0o644) },
		"too large":            func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("outside ", 64<<10)), 0o644) },
		"folder":               func(path string) error { return os.Mkdir(path, 0o755) },
	} {
		path := filepath.Join(root, "CLAUDE.md")
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		b := bundleOf(t, e, map[string]any{"prompt": "backoff"})
		if slices.ContainsFunc(b.Items, func(it command.Item) bool { return it.Kind == "preference" && strings.HasSuffix(it.URI, "CLAUDE.md") }) {
			t.Errorf("%s is taken for preferences", name)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSearch(t *testing.T) {
	root := project(t)
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	files := func(args map[string]any) string {
		args["deadlineMs"] = 30000
		var names []string
		for _, h := range e.Search(args) {
			name := strings.TrimPrefix(h.URI, servertest.URI(root)+"/")
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return strings.Join(names, " ")
	}
	for _, tt := range []struct {
		name string
		args map[string]any
		want string
	}{
		{"everything", map[string]any{"query": "backoff", "mode": "lexical"}, "docs/guide.md retry.go web/app.ts"},
		{"code", map[string]any{"query": "backoff", "mode": "lexical", "kinds": []string{"code"}}, "retry.go web/app.ts"},
		{"documents", map[string]any{"query": "backoff", "mode": "lexical", "kinds": []string{"doc"}}, "docs/guide.md"},
		{"memory alone", map[string]any{"query": "backoff", "kinds": []string{"turn", "lesson"}}, ""},
		{"a language", map[string]any{"query": "backoff", "mode": "lexical", "languages": []string{"Go"}}, "retry.go"},
		{"paths", map[string]any{"query": "backoff", "mode": "lexical", "paths": []string{"web", "docs/*.md"}}, "docs/guide.md web/app.ts"},
		{"an absolute path", map[string]any{"query": "backoff", "mode": "lexical", "paths": []string{filepath.Join(root, "web"), root + "/docs/*.md"}}, "docs/guide.md web/app.ts"},
		{"a URI", map[string]any{"query": "backoff", "mode": "lexical", "paths": []string{servertest.URI(root) + "/web/**"}}, "web/app.ts"},
		{"the root", map[string]any{"query": "backoff", "mode": "lexical", "paths": []string{root + "/"}}, "docs/guide.md retry.go web/app.ts"},
		{"a path from the root", map[string]any{"query": "backoff", "mode": "lexical", "paths": []string{"/web", "/*.go"}}, "retry.go web/app.ts"},
		{"a symbol", map[string]any{"query": "Evict", "mode": "symbol"}, "cache/lru.go"},
		{"a limit", map[string]any{"query": "backoff failure", "mode": "lexical", "limit": 1, "kinds": []string{"doc"}}, "docs/guide.md"},
	} {
		if got := files(tt.args); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	for _, outside := range []string{filepath.Dir(root) + "/other/*.go", servertest.URI(filepath.Dir(root)) + "/other"} {
		if err := e.Execute("contexture.search", map[string]any{"query": "backoff", "paths": []string{"web", outside}}, nil); err == nil || !strings.Contains(err.Error(), "paths[1]: ") || !strings.Contains(err.Error(), "lies outside of "+root) {
			t.Errorf("a search in %s: %v", outside, err)
		}
	}
	var raw json.RawMessage
	e.MustExecute("contexture.search", map[string]any{"query": "Backoff"}, &raw)
	var r command.SearchResult
	if err := json.Unmarshal(raw, &r); err != nil || strings.Contains(string(raw), ":null") {
		t.Fatalf("%v: %s", err, raw)
	}
	if h := r.Hits[0]; h.Snippet == "" || len(h.Signals) == 0 || h.Range == nil || h.ID == "" || h.Score <= 0 {
		t.Errorf("the first hit is %+v", h)
	}
	if len(r.Stages) == 0 || r.Versions.Index == 0 {
		t.Errorf("stages %+v, versions %+v", r.Stages, r.Versions)
	}
}

func TestWhy(t *testing.T) {
	root := project(t)
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	for _, tt := range []struct {
		path string
		want command.WhyResult
	}{
		{filepath.Join(root, "retry.go"), command.WhyResult{Indexed: true}},
		{filepath.Join(root, "out", "gen.go"), command.WhyResult{Rule: "out/", Source: ".gitignore", Line: 2}},
		{filepath.Join(filepath.Dir(root), "elsewhere.go"), command.WhyResult{Rule: "the file lies outside the workspace", Source: "builtin"}},
	} {
		var got command.WhyResult
		e.MustExecute("contexture.index.why", map[string]any{"textDocument": map[string]any{"uri": servertest.URI(tt.path)}}, &got)
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.path, got, tt.want)
		}
	}
	var got command.WhyResult
	e.MustExecute("contexture.index.why", map[string]any{"textDocument": map[string]any{"uri": servertest.URI(filepath.Join(root, "data.bin"))}}, &got)
	if got.Indexed || got.Rule == "" || got.Source != "builtin" {
		t.Errorf("a binary: %+v", got)
	}
}

func TestRebuild(t *testing.T) {
	root := project(t)
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	told := e.State()
	before := told.Last()
	var st servertest.Status
	for _, scope := range []string{"all", "embeddings"} {
		st = servertest.Status{}
		e.MustExecute("contexture.index.rebuild", map[string]any{"scope": scope}, &st)
		if st.State == "idle" {
			t.Errorf("%s: the answer is %+v", scope, st)
		}
		// The status that was told last may be the one before the command: it is asked for.
		e.Eventually("is idle again", func() bool {
			st = servertest.Status{}
			e.MustExecute("contexture.index.status", nil, &st)
			return st.Idle() && st.Files == before.Files && st.Version >= before.Version
		})
	}
	if !has(e, "Backoff", servertest.URI(filepath.Join(root, "retry.go"))) {
		t.Error("nothing is found after a rebuild")
	}
	if err := servertest.Start(t, servertest.Options{}).Execute("contexture.index.rebuild", nil, nil); err == nil {
		t.Error("nothing was rebuilt without a root")
	} else if got := new(servertest.Error); !errors.As(err, &got) || got.Data.Code != "unavailable" {
		t.Errorf("without a root: %v", err)
	}
}

func TestMetrics(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{project(t)}})
	e.AwaitIdle()
	for range 3 {
		bundleOf(t, e, map[string]any{"prompt": "how does Backoff work?", "conversationId": "c"})
	}
	e.Search(map[string]any{"query": "backoff"})
	_ = e.Execute("contexture.search", map[string]any{}, nil) // counted as an error
	var m command.MetricsResult
	e.MustExecute("contexture.metrics", nil, &m)
	if s := m.Stages["keyword"]; s.Count != 4 || s.Outcomes["ok"] == 0 || s.P50MS > s.P99MS || s.P99MS > s.MaxMS {
		t.Errorf("keyword: %+v", s)
	}
	if i := m.Injection; i.Bundles != 3 || i.TokensByLayer["L7_user_message"] == 0 || i.ReusedPrefixShare <= 0 || i.ReusedPrefixShare > 1 {
		t.Errorf("injection: %+v", i)
	}
	if r := m.Retrieval; r.Requests != 4 || r.Hits != 4 || r.HitRate != 1 || r.Candidates < r.Filtered || r.Fallbacks != 0 || r.FallbackRate != 0 {
		t.Errorf("retrieval: %+v", r)
	}
	if m.Index.Files == 0 || m.Index.Chunks == 0 || m.Index.AgeMS < 0 {
		t.Errorf("index: %+v", m.Index)
	}
	if p := m.Process; p.PID != os.Getpid() || p.Requests < 5 || p.Errors != 1 || p.Goroutines == 0 || p.HeapBytes == 0 || p.UptimeMS <= 0 {
		t.Errorf("process: %+v", p)
	}
}
