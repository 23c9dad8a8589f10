package server_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestNormalForms checks that a word with an accent is the same word in composed and decomposed
// form, in texts, names of files and symbols, buffers, messages, globs and queries.
func TestNormalForms(t *testing.T) {
	forms := map[string]norm.Form{"composed": norm.NFC, "decomposed": norm.NFD}
	for kept, form := range forms {
		t.Run(kept, func(t *testing.T) {
			root := servertest.Tree(t, map[string]string{
				form.String("überblick/résumé.go"): form.String("package resume\n\n// Größe says how large a Müsli is.\nfunc ZähleMüsli() int { return 1 }\n"),
				form.String("caller.go"):           form.String("package main\n\nfunc main() { resume.ZähleMüsli() }\n"),
				"other.go":                         source("unrelated"),
			})
			file := servertest.URI(filepath.Join(root, form.String("überblick/résumé.go")))
			e := servertest.Start(t, servertest.Options{Roots: []string{root}})
			e.AwaitIdle()
			e.Open("untitled:Untitled-1", form.String("ein Entwurf über die Königin"))
			say(t, e, "c", user(form.String("Prüfe `ZähleMüsli` in überblick/résumé.go, das Übermaß stört.")))
			for asked, other := range forms {
				finds := func(what, uri string, a args) {
					a["query"] = other.String(a["query"].(string))
					if hits := e.Search(a); !slices.ContainsFunc(hits, func(h servertest.Hit) bool { return h.URI == uri }) {
						t.Errorf("%s %s: %v finds %+v", asked, what, a, hits)
					}
				}
				finds("word", file, args{"query": "Größe"})
				finds("path", file, args{"query": "Überblick résumé"})
				finds("symbol", file, args{"query": "zählemüs", "mode": "symbol"})
				finds("glob", file, args{"query": "Müsli", "paths": []string{other.String("überblick/**")}})
				finds("buffer", "untitled:Untitled-1", args{"query": "königin"})
				r := ask[command.SearchResult](t, e, "contexture.search", args{"query": other.String("übermaß"), "kinds": []string{"message"}})
				if len(r.Hits) != 1 {
					t.Errorf("%s message: %+v", asked, r.Hits)
				}
				for _, prompt := range []string{"what does ZähleMüsli do?", "explain überblick/résumé.go"} {
					b := ask[command.BundleResult](t, e, "contexture.bundle", args{"prompt": other.String(prompt), "deadlineMs": 20000})
					if !slices.ContainsFunc(b.Items, func(it command.Item) bool { return it.URI == file }) || !strings.Contains(b.Text, other.String(prompt)) {
						t.Errorf("%s bundle for %q: %s", asked, prompt, b.Text)
					}
				}
				k := ask[command.TicklersResult](t, e, "contexture.ticklers", args{"prompt": other.String("change ZähleMüsli()")})
				if len(k.Ticklers) != 1 || !slices.Contains(k.Ticklers[0].URIs, file) {
					t.Errorf("%s reminders: %+v, want one of %s", asked, k.Ticklers, file)
				}
			}
			k := ask[command.TicklersResult](t, e, "contexture.ticklers", args{
				"textDocument": args{"uri": servertest.URI(filepath.Join(root, "caller.go"))}, "position": args{"line": 2, "character": 24}})
			if len(k.Ticklers) != 1 {
				t.Errorf("reminders of a place: %+v", k.Ticklers)
			}
		})
	}
}
