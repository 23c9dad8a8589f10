package server_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// lens is a code lens as an editor decodes it.
type lens struct {
	Range   command.Range
	Command struct {
		Title, Command string
		Arguments      []map[string]any
	}
}

func lenses(t *testing.T, e *servertest.Editor, uri string) []lens {
	t.Helper()
	var list []lens
	if err := e.Request("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": uri}}, &list); err != nil {
		t.Fatal(err)
	}
	if list == nil {
		t.Error("the list is null")
	}
	return list
}

// shown returns the lines and turns of lenses.
func shown(list []lens) string {
	var out []string
	for _, l := range list {
		out = append(out, fmt.Sprintf("%d:%v", l.Range.Start.Line, l.Command.Arguments[0]["turnId"]))
	}
	return strings.Join(out, " ")
}

// set changes the editor's settings.
func set(e *servertest.Editor, settings map[string]any) {
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"contexture": settings}})
}

func TestCodeLens(t *testing.T) {
	e, root := talked(t, servertest.Options{})
	uri := func(name string) string { return servertest.URI(filepath.Join(root, name)) }
	list := lenses(t, e, uri("store/pool.go"))
	if shown(list) != "6:T-1 13:T-3" {
		t.Fatalf("lenses %s", shown(list))
	}
	c := list[0].Command
	if !strings.HasPrefix(c.Title, "Turn 1 · 2026-10-30 · ") || c.Command != "contexture.conversation.turn" {
		t.Errorf("lens %+v", c)
	}
	if sentence := strings.SplitN(c.Title, " · ", 3)[2]; len([]rune(sentence)) > 80 {
		t.Errorf("a sentence of %d characters", len([]rune(sentence)))
	}
	e.MustExecute(c.Command, c.Arguments[0], nil)

	for _, other := range []string{uri("web/lock.go"), uri("gen/pool.go"), uri("none.go"), "file:///elsewhere/pool.go", "untitled:x", "http://x/pool.go"} {
		if got := lenses(t, e, other); len(got) != 0 {
			t.Errorf("%s has %s", other, shown(got))
		}
	}
	tell(e, "shop", "2026-11-04T09:00:00Z", "Look at `main` in main.go, please.", "It makes a pool of three.")
	if got := lenses(t, e, uri("main.go")); shown(got) != "2:T-5" {
		t.Errorf("an ordinary name beside its file: %s", shown(got))
	}
	tell(e, "shop", "2026-11-05T09:00:00Z", "docs/README.md needs a section on limits.", "I added one.")
	if got := lenses(t, e, uri("docs/README.md")); shown(got) != "0:T-6" {
		t.Errorf("the file itself: %s", shown(got))
	}
	e.Open(uri("store/pool.go"), "package pool\n\n\nfunc drainQueue() {}\n")
	if got := lenses(t, e, uri("store/pool.go")); shown(got) != "0:T-1 3:T-3" {
		t.Errorf("unsaved text: %s", shown(got))
	}
	set(e, map[string]any{"ticklers": map[string]any{"codeLens": false}})
	if got := lenses(t, e, uri("store/pool.go")); len(got) != 0 {
		t.Errorf("switched off: %s", shown(got))
	}
	set(e, map[string]any{"memory": map[string]any{"enabled": false}})
	if got := lenses(t, e, uri("store/pool.go")); len(got) != 0 {
		t.Errorf("without memory: %s", shown(got))
	}
}

func TestCodeLensBounds(t *testing.T) {
	var code strings.Builder
	code.WriteString("package many\n")
	for i := range 26 {
		fmt.Fprintf(&code, "\nfunc stepNumber%c() {}\n", 'A'+i)
	}
	root := servertest.Tree(t, map[string]string{"many.go": code.String()})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	for i := range 26 {
		tell(e, "c", "2026-10-30T09:00:00Z", fmt.Sprintf("What does `stepNumber%c` do?", 'A'+i), "It steps.")
	}
	list := lenses(t, e, servertest.URI(filepath.Join(root, "many.go")))
	if len(list) != 20 {
		t.Errorf("%d lenses", len(list))
	}
	for i := 1; i < len(list); i++ {
		if list[i].Range.Start.Line < list[i-1].Range.Start.Line {
			t.Fatalf("not in order: %s", shown(list))
		}
	}
}

// hovered is a hover as an editor decodes it.
type hovered struct {
	Contents struct{ Kind, Value string }
	Range    command.Range
}

func hoverAt(t *testing.T, e *servertest.Editor, uri string, line, character int) *hovered {
	t.Helper()
	var h *hovered
	err := e.Request("textDocument/hover", map[string]any{
		"textDocument": map[string]any{"uri": uri}, "position": map[string]any{"line": line, "character": character},
	}, &h)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHover(t *testing.T) {
	e, root := talked(t, servertest.Options{})
	uri := func(name string) string { return servertest.URI(filepath.Join(root, name)) }
	h := hoverAt(t, e, uri("store/pool.go"), 6, 18)
	want := command.Range{Start: command.Position{Line: 6, Character: 15}, End: command.Position{Line: 6, Character: 22}}
	if h == nil || h.Range != want || h.Contents.Kind != "markdown" || !strings.HasPrefix(h.Contents.Value, "**Turn 1** · 2026-10-30\n\n") {
		t.Fatalf("hover %+v", h)
	}
	if h := hoverAt(t, e, uri("main.go"), 4, 5); h == nil {
		t.Error("nothing at a call in another file")
	}
	for _, tt := range []struct {
		name, uri string
		line, at  int
	}{
		{"the file is mentioned, the symbol is not", uri("store/pool.go"), 3, 6},
		{"another one by the name", uri("web/lock.go"), 4, 18},
		{"no symbol", uri("store/pool.go"), 1, 0},
		{"an ignored file", uri("gen/pool.go"), 6, 18},
		{"outside", "file:///elsewhere/pool.go", 6, 18},
		{"behind the end", uri("store/pool.go"), 1 << 30, 1 << 30},
	} {
		if h := hoverAt(t, e, tt.uri, tt.line, tt.at); h != nil {
			t.Errorf("%s: %+v", tt.name, h)
		}
	}
	e.Open(uri("web/lock.go"), "package web\n\n// 😀 drainQueue\n")
	h = hoverAt(t, e, uri("web/lock.go"), 2, 8)
	if h == nil || h.Range.Start.Character != 6 || h.Range.End.Character != 16 {
		t.Errorf("behind an emoji, in UTF-16: %+v", h)
	}
	set(e, map[string]any{"ticklers": map[string]any{"hover": false}})
	if h := hoverAt(t, e, uri("store/pool.go"), 6, 18); h != nil {
		t.Errorf("switched off: %+v", h)
	}
	set(e, map[string]any{"ticklers": map[string]any{"hover": true}})
	for range 5 {
		tell(e, "shop", "2026-11-06T09:00:00Z", "See [this](command:evil) `Pool.Acquire` <b>again</b>.", "Yes.")
	}
	h = hoverAt(t, e, uri("store/pool.go"), 6, 18)
	if h == nil || strings.Count(h.Contents.Value, "**Turn ") > 3 || strings.Contains(h.Contents.Value, "](") || strings.Contains(h.Contents.Value, "<b>") {
		t.Errorf("hover %+v", h)
	}
}

func TestHoverPlain(t *testing.T) {
	e, root := talked(t, servertest.Options{Capabilities: map[string]any{
		"textDocument": map[string]any{"hover": map[string]any{"contentFormat": []any{"plaintext"}}},
	}})
	h := hoverAt(t, e, servertest.URI(filepath.Join(root, "store/pool.go")), 6, 18)
	if h == nil || h.Contents.Kind != "plaintext" || strings.Contains(h.Contents.Value, "*") {
		t.Errorf("hover %+v", h)
	}
}
