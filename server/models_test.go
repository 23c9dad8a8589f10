package server_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest/gguf"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// modelWorkspace is a workspace with one function that is about credentials but does not use the
// word.
func modelWorkspace(t testing.TB) string {
	t.Helper()
	files := map[string]string{
		"auth/check.go": "package auth\n\n// checkPassword compares what was typed with what is kept.\nfunc checkPassword(typed, kept string) bool { return typed == kept }\n",
	}
	for i, topic := range []string{"pixels of the picture", "colour of the border", "height of the mountain", "taste of the soup", "sound of the bell", "weight of the parcel"} {
		files[fmt.Sprintf("other/part%d.go", i)] = fmt.Sprintf("package other\n\n// Part%d measures the %s.\nfunc Part%d(x int) int { return x * %d }\n", i, topic, i, i+2)
	}
	return servertest.Tree(t, files)
}

// awaitModel waits until the named model has embedded everything.
func awaitModel(t testing.TB, e *servertest.Editor, name string) command.IndexStatusResult {
	t.Helper()
	var st command.IndexStatusResult
	e.Eventually("all is embedded by "+name, func() bool {
		e.MustExecute("contexture.index.status", nil, &st)
		return st.Embedder.Source == "ollama" && strings.HasPrefix(st.Embedder.Name, name) && st.Embedder.Pending == 0
	})
	return st
}

func semantic(t testing.TB, e *servertest.Editor, query string) command.SearchResult {
	t.Helper()
	return ask[command.SearchResult](t, e, "contexture.search", args{"query": query, "mode": "semantic", "limit": 3})
}

// texts returns the texts that the proxy received since the last call, without queries and probes.
func texts(p *ollamatest.Proxy) []string {
	list := slices.DeleteFunc(p.Texts(), func(s string) bool { return !strings.Contains(s, "package ") && !strings.Contains(s, "func ") })
	p.Forget()
	return list
}

func TestEmbeddingModel(t *testing.T) {
	ollama := ollamatest.Start(t)
	ollama.Embedder(t, "nomic-embed-text", gguf.Embedder{})
	proxy := ollamatest.NewProxy(t, ollama.URL)
	root, state := modelWorkspace(t), t.TempDir()
	process := func(name, root string, f func(t *testing.T, e *servertest.Editor)) {
		t.Run(name, func(t *testing.T) {
			e := servertest.Start(t, servertest.Options{StateDir: state, ModelHost: proxy.URL, Roots: []string{root}})
			e.AwaitIdle()
			awaitModel(t, e, "nomic-embed-text")
			f(t, e)
		})
	}
	process("first", root, func(t *testing.T, e *servertest.Editor) {
		if st := awaitModel(t, e, "nomic-embed-text"); st.Embedder.Dimensions == 0 || st.Embedder.Digest == "" {
			t.Errorf("%+v", st.Embedder)
		}
		if n := len(texts(proxy)); n != 7 {
			t.Errorf("%d texts were embedded", n)
		}
		r := semantic(t, e, "login credentials")
		if len(r.Hits) == 0 || !strings.HasSuffix(r.Hits[0].URI, "auth/check.go") || len(r.Degraded) != 0 {
			t.Errorf("%+v %+v", r.Hits, r.Degraded)
		}
		old, moved := filepath.Join(root, "auth/check.go"), filepath.Join(root, "auth/moved.go")
		if err := errors.Join(os.Chtimes(old, time.Now(), time.Now()), os.Rename(old, moved)); err != nil {
			t.Fatal(err)
		}
		e.Eventually("the renamed file is found", func() bool {
			r := semantic(t, e, "login credentials")
			return len(r.Hits) > 0 && strings.HasSuffix(r.Hits[0].URI, "moved.go")
		})
	})
	second := servertest.Tree(t, nil)
	if err := os.CopyFS(second, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]string{"restart": root, "second worktree": second} {
		process(name, at, func(t *testing.T, e *servertest.Editor) {
			if r := semantic(t, e, "login credentials"); len(r.Hits) == 0 || !strings.HasSuffix(r.Hits[0].URI, "auth/moved.go") {
				t.Errorf("%+v", r)
			}
		})
	}
	if list := texts(proxy); len(list) != 0 {
		t.Errorf("embedded again: %q", list)
	}
	process("hanging", root, func(t *testing.T, e *servertest.Editor) {
		proxy.Set(ollamatest.Fault{Kind: ollamatest.Hang})
		begin := time.Now()
		r := semantic(t, e, "login credentials again")
		if took := time.Since(begin); took > 2*time.Second {
			t.Errorf("took %v", took)
		}
		if len(r.Degraded) == 0 || r.Degraded[0].Stage != "vector" || r.Degraded[0].Reason != "timeout" {
			t.Errorf("%+v", r.Degraded)
		}
		proxy.Clear()
		e.Eventually("the model answers again", func() bool {
			return len(semantic(t, e, fmt.Sprint("credentials ", time.Now().UnixNano())).Degraded) == 0
		})
	})
}

func TestModelNotThere(t *testing.T) {
	proxy := ollamatest.NewProxy(t, "http://127.0.0.1:9")
	config := t.TempDir()
	servertest.WriteFile(t, filepath.Join(config, "config.toml"), "ollama.embedModel = \"nosuch\"\n")
	e := servertest.Start(t, servertest.Options{ConfigDir: config, ModelHost: proxy.URL, Roots: []string{modelWorkspace(t)}})
	e.AwaitIdle()
	e.Eventually("the lack is told", func() bool {
		r := semantic(t, e, "password")
		return slices.ContainsFunc(r.Degraded, func(d command.Degradation) bool { return d.Stage == "vector" })
	})
}

// TestModelNeverAnswers checks that a model server that misbehaves from the start, in any way, is
// reported from the first answer on, and delays no answer.
func TestModelNeverAnswers(t *testing.T) {
	ollama := ollamatest.Start(t)
	ollama.Embedder(t, "nomic-embed-text", gguf.Embedder{})
	ollama.Decoder(t, "small-chat", "{}")
	for _, tt := range []struct {
		name    string
		fault   ollamatest.Fault
		reasons string // allowed reasons
	}{
		{"hangs", ollamatest.Fault{Kind: ollamatest.Hang}, "timeout"},
		{"hangs over texts", ollamatest.Fault{Kind: ollamatest.Hang, Path: "/api/embed"}, "timeout"},
		{"hangs over the workspace's texts", ollamatest.Fault{Kind: ollamatest.Hang, Path: "/api/embed", Holding: "package "}, "timeout indexing"},
		{"drips", ollamatest.Fault{Kind: ollamatest.Drip, Delay: 100 * time.Millisecond}, "timeout"},
		{"is slow", ollamatest.Fault{Kind: ollamatest.Slow, Delay: 5 * time.Second}, "timeout"},
		{"never ends", ollamatest.Fault{Kind: ollamatest.Endless}, "timeout badAnswer"},
		{"never ends its vectors", ollamatest.Fault{Kind: ollamatest.Endless, Path: "/api/embed"}, "timeout badAnswer"},
		{"drops connections", ollamatest.Fault{Kind: ollamatest.Drop}, "timeout unreachable"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			proxy := ollamatest.NewProxy(t, ollama.URL)
			proxy.Set(tt.fault)
			e := servertest.Start(t, servertest.Options{ModelHost: proxy.URL, Roots: []string{modelWorkspace(t)}})
			for i := range 15 {
				query := fmt.Sprintf("how is password %d checked?", i)
				degraded := ask[command.SearchResult](t, e, "contexture.search", args{"query": query}).Degraded
				if i%2 == 0 {
					degraded = ask[command.BundleResult](t, e, "contexture.bundle", args{"prompt": query}).Degraded
				}
				at := slices.IndexFunc(degraded, func(d command.Degradation) bool { return d.Stage == "vector" && strings.Contains(tt.reasons, d.Reason) })
				if at < 0 || degraded[at].Detail == "" {
					t.Errorf("answer %d: %+v, want vector with %s", i, degraded, tt.reasons)
				}
			}
			if m := ask[command.MetricsResult](t, e, "contexture.metrics", args{}); m.Retrieval.Fallbacks == 0 || m.Retrieval.Fallbacks > m.Retrieval.Requests {
				t.Errorf("retrieval: %+v", m.Retrieval)
			}
		})
	}
}

// TestChatModelNeverThere checks that bundles report a configured chat model that is missing.
func TestChatModelNeverThere(t *testing.T) {
	ollama := ollamatest.Start(t)
	config := t.TempDir()
	servertest.WriteFile(t, filepath.Join(config, "config.toml"), "ollama.chatModel = \"nosuch\"\njudge.enabled = false\n")
	e := servertest.Start(t, servertest.Options{ConfigDir: config, ModelHost: ollama.URL, Roots: []string{modelWorkspace(t)}})
	lacks := func() (reasons []string) {
		for _, d := range ask[command.BundleResult](t, e, "contexture.bundle", args{"prompt": "how is the password checked?"}).Degraded {
			if d.Stage == "filter" || d.Stage == "judge" {
				reasons = append(reasons, d.Stage+" "+d.Reason)
			}
		}
		return reasons
	}
	if got := lacks(); len(got) != 1 || got[0] != "filter timeout" && got[0] != "filter modelMissing" {
		t.Errorf("first: %q", got)
	}
	e.Eventually("it is said that the model is missing", func() bool { return slices.Equal(lacks(), []string{"filter modelMissing"}) })
}
