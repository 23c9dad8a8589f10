package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestLinesText checks that matching lines are listed below their file, with what is not shown.
func TestLinesText(t *testing.T) {
	hit := func(file string, line, character int, text string) command.Hit {
		return command.Hit{URI: "file:///ws/" + file, Snippet: text, SnippetLine: &line, SnippetCharacter: character}
	}
	f := &fake{answers: map[string][]any{"contexture.search": {
		command.SearchResult{
			Hits: []command.Hit{hit("a.go", 3, 0, "func Open() {}"), hit("a.go", 8, 0, "\tOpen()"), hit("b/c.md", 0, 900, "Open it.")},
			Matched: &command.Matched{
				Lines: 5, Files: 3, Searched: 12, Unread: 1, NotIndexed: []command.SkipCount{{Reason: "tooLarge", Count: 1}, {Reason: "binary", Count: 3}},
			},
		},
		command.SearchResult{Matched: &command.Matched{Searched: 12, Complete: true}},
	}}}
	want := "a.go\n```go\n4: func Open() {}\n9: \tOpen()\n```\n\nb/c.md\n```markdown\n1: …Open it.\n```\n\n" +
		"5 lines in 3 files match, of 12 searched. 2 are not shown: search with a larger limit, or with paths. 1 file could not be searched. " +
		"Not searched: 4 files that are binary, too large or excluded."
	if text, failed := calling(t, f, "search", `{"query":"open","mode":"exact"}`); failed || text != want {
		t.Errorf("found %q, want %q", text, want)
	}
	if text, _ := calling(t, f, "search", `{"query":"(x","mode":"regex","case":"true","limit":3}`); text != "0 lines in 0 files match, of 12 searched." {
		t.Errorf("found %q", text)
	}
	calls := []string{
		`contexture.search {"deadlineMs":5000,"limit":40,"mode":"exact","query":"open","workspace":"file:///ws"}`,
		`contexture.search {"case":true,"deadlineMs":5000,"limit":3,"mode":"regex","query":"(x","workspace":"file:///ws"}`,
	}
	if !slices.Equal(f.asked, calls) {
		t.Errorf("asked %q", f.asked)
	}
}

// TestSearchEverywhere checks that a search without a root is made in each of several open folders,
// and that one with a root is not.
func TestSearchEverywhere(t *testing.T) {
	f := &fake{answers: map[string][]any{"contexture.search": {command.SearchResult{Matched: &command.Matched{Searched: 1}}}}}
	s, err := New(Options{
		Execute: f.execute, Logger: slog.New(slog.DiscardHandler), Roots: func() []string { return []string{"/one", "/two"} },
		Open: func(_ context.Context, root string) (string, error) {
			if root == "" {
				return "", command.InvalidParams("root", "is required, because several folders are open")
			}
			return "file://" + root, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	call := func(tool, args string) (text string, failed bool) {
		i := slices.IndexFunc(modelTools, func(m modelTool) bool { return m.name == tool })
		r, err := s.run(t.Context(), modelTools[i], &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{Name: tool, Arguments: json.RawMessage(args)}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Content {
			text += c.(*sdk.TextContent).Text
		}
		return text, r.IsError
	}
	const found = "0 lines in 0 files match, of 1 searched."
	if text, failed := call("search", `{"query":"x","mode":"exact"}`); failed || text != "In /one:\n"+found+"In /two:\n"+found {
		t.Errorf("everywhere: %q", text)
	}
	if text, failed := call("search", `{"query":"x","root":"/two"}`); failed || text != found {
		t.Errorf("in one: %q", text)
	}
	if text, failed := call("search", `{"mode":"exact"}`); !failed || text != "query: is required" {
		t.Errorf("without a query: %q", text)
	}
	if _, failed := call("symbol", `{"name":"x"}`); !failed {
		t.Error("another tool does not ask which folder is meant")
	}
}
