package server_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// lineList formats the hits of an exact search: file, line, and the matched parts of its snippet.
func lineList(r command.SearchResult) (out []string) {
	for _, h := range r.Hits {
		text := filepath.Base(h.URI) + ":" + fmt.Sprint(h.Range.Start.Line+1)
		for _, m := range h.Matches {
			text += " " + h.Snippet[m.Start.Character-h.SnippetCharacter:m.End.Character-h.SnippetCharacter]
		}
		out = append(out, text)
	}
	return out
}

// TestExactSearch checks which lines the modes exact and regex list, with their matches, and what
// they count.
func TestExactSearch(t *testing.T) {
	root := servertest.Tree(t, map[string]string{
		"a/open.go": "package a\n\n// Open opens what OpenAll opens.\nfunc Open() {}\n", "b.py": "def reopen():\n    return Open()\n", "README.md": "Open it.\n",
		"ignored/x.go": "package open\n", ".gitignore": "ignored/\n", "big.txt": strings.Repeat("open\n", 1<<19),
		"long.md": strings.Repeat("é, ", 2000) + "open" + strings.Repeat(" x", 500) + "\n",
	})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}, Capabilities: map[string]any{"general": map[string]any{"positionEncodings": []string{"utf-8"}}}})
	e.AwaitIdle()
	for _, tt := range []struct {
		args  args
		want  []string
		lines int
	}{
		{
			args{"query": "open", "mode": "exact"},
			[]string{"README.md:1 Open", "open.go:3 Open open Open open", "open.go:4 Open", "b.py:1 open", "b.py:2 Open", "long.md:1 open"}, 6,
		},
		{args{"query": "open", "mode": "exact", "case": true, "word": true}, []string{"long.md:1 open"}, 1},
		{args{"query": `\bOpen\w*\(`, "mode": "regex", "case": true}, []string{"open.go:4 Open(", "b.py:2 Open("}, 2},
		{args{"query": "Open", "mode": "exact", "languages": []string{"python"}}, []string{"b.py:1 open", "b.py:2 Open"}, 2},
		{args{"query": "Open", "mode": "exact", "paths": []string{"a/**"}, "limit": 1}, []string{"open.go:3 Open open Open open"}, 2},
		{args{"query": "Open", "mode": "exact", "kinds": []string{"doc"}}, []string{"README.md:1 Open", "long.md:1 open"}, 2},
		{args{"query": ".pen(", "mode": "exact"}, nil, 0},
	} {
		tt.args["deadlineMs"] = 20000
		r := ask[command.SearchResult](t, e, "contexture.search", tt.args)
		if got := lineList(r); !slices.Equal(got, tt.want) || r.Matched == nil || r.Matched.Lines != tt.lines || r.Matched.Complete != (len(r.Hits) == tt.lines) {
			t.Errorf("%v: %q, %+v", tt.args, got, r.Matched)
		}
		if !slices.ContainsFunc(r.Matched.NotIndexed, func(s command.SkipCount) bool { return s.Reason == "tooLarge" && s.Count == 1 }) {
			t.Errorf("%v: the file that is too large is not counted: %+v", tt.args, r.Matched.NotIndexed)
		}
		ids := map[string]bool{}
		for _, h := range r.Hits {
			if ids[h.ID] || len(h.Snippet) > 800 || h.SnippetLine == nil || *h.SnippetLine != h.Range.Start.Line {
				t.Errorf("%v: the hit %+v", tt.args, h)
			}
			ids[h.ID] = true
			if x := ask[command.RecallResult](t, e, "contexture.recall", args{"expand": h.ID}); len(x.Items) != 1 || x.Items[0].URI != h.URI {
				t.Errorf("%s is expanded to %+v", h.ID, x.Items)
			}
		}
	}
	for field, wrong := range map[string]args{
		"query": {"query": "a(b", "mode": "regex"}, "case": {"query": "x", "case": true}, "word": {"query": "x", "mode": "symbol", "word": true},
		"limit": {"query": "x", "limit": 201}, "kinds": {"query": "x", "mode": "exact", "kinds": []string{"turn"}},
	} {
		refused(t, e, "contexture.search", wrong, field, "")
	}
}

// TestExactSearchOfBuffers checks that unsaved text stands in place of the file, and where UTF-16
// places its matches.
func TestExactSearchOfBuffers(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": source("onDisk"), ".gitignore": "ignored/\n", "ignored/b.go": source("x")})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	a := servertest.URI(filepath.Join(root, "a.go"))
	e.Open(a, "package p\n\nvar 𝄞é = onlyInBuffer\n")
	e.Open(servertest.URI(filepath.Join(root, "ignored/b.go")), source("onlyInBuffer"))
	e.Open("untitled:note", "onlyInBuffer\n")
	find := func(pattern string) command.SearchResult {
		return ask[command.SearchResult](t, e, "contexture.search", args{"query": pattern, "mode": "exact", "case": true, "deadlineMs": 20000})
	}
	r := find("onlyInBuffer")
	if len(r.Hits) != 2 || r.Hits[0].URI != a || r.Hits[1].URI != "untitled:note" {
		t.Fatalf("found %+v", r.Hits)
	}
	if m := r.Hits[0].Matches[0]; m.Start != (command.Position{Line: 2, Character: 10}) || m.End != (command.Position{Line: 2, Character: 22}) {
		t.Errorf("the match is at %+v", m)
	}
	if r := find("onDisk"); len(r.Hits) != 0 || !r.Matched.Complete {
		t.Errorf("the file on the disk is searched, too: %+v", r)
	}
}
