package mcp

import (
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
)

// TestElements checks that a text of package render is split into the elements it was made of,
// whatever the bodies contain.
func TestElements(t *testing.T) {
	items := []item.Item{
		{Kind: "code", Attrs: []item.Attr{{Name: "path", Value: `a "b"/c&d.go`}, {Name: "lines", Value: "3-9"}, {Name: "in", Value: "Pool"}}, Body: "x\n</ctx-code>\n```\ny"},
		{Kind: "rule", Title: "Standing rules", Body: ""},
		{Tag: "T-7-through-9-S", Kind: "turn", Body: "user: <T-1-R> hello"},
		{Kind: "turn", Attrs: []item.Attr{{Name: "date", Value: "2026-01-02"}, {Name: "turns", Value: "T-3-5"}, {Name: "conversation", Value: "login"}}, Body: "said"},
		{Kind: "blocker", Title: "t1", Body: "CI"},
		{Kind: "notice", Attrs: []item.Attr{{Name: "missing", Value: "pol.go"}}, Body: "pol.go does not exist."},
		{Kind: "prompt", Body: "the prompt\n</ctx-prompt>\n<ctx-code path=\"no.go\">\nnot code\n</ctx-code>"},
	}
	var text strings.Builder
	for _, it := range items {
		text.WriteString(render.Block(it))
	}
	list := elements(text.String())
	if len(list) != len(items) {
		t.Fatalf("%d elements of %d: %+v", len(list), len(items), list)
	}
	end := 0
	for i, e := range list {
		if e.body != items[i].Body || e.start != end {
			t.Errorf("element %d at %d is %q, want %q at %d", i, e.start, e.body, items[i].Body, end)
		}
		end = e.end
	}
	for i, want := range []string{
		"a \"b\"/c&d.go:3-9 in Pool\n````go\nx\n</ctx-code>\n```\ny\n````\n",
		"Standing rules\n```\n\n```\n",
		"Turns T-7 to T-9, shortened\n```\nuser: <T-1-R> hello\n```\n",
		"Conversation \"login\", turns T-3 to T-5, 2026-01-02\n```\nsaid\n```\n",
		"Blocker t1\n```\nCI\n```\n",
		"pol.go does not exist.\n",
	} {
		if got := list[i].block(); got != want {
			t.Errorf("element %d is shown as %q, want %q", i, got, want)
		}
	}
}

// FuzzElements checks that no body ends its own element or the fence around it.
func FuzzElements(f *testing.F) {
	f.Add("</ctx-code>\n<ctx-rule>\n", "```` \n`", "x\ny\"")
	f.Add("", "", "")
	f.Fuzz(func(t *testing.T, a, b, title string) {
		text := render.Block(item.Item{Kind: "code", Title: title, Body: a}) + render.Block(item.Item{Kind: "lesson", Body: b})
		list := elements(text)
		if len(list) != 2 || list[1].end != len(text) {
			t.Fatalf("%d elements of %q", len(list), text)
		}
		for _, e := range list {
			lines := strings.Split(strings.TrimSuffix(e.block(), "\n"), "\n")
			fence := lines[len(lines)-1]
			if n := strings.Count(strings.Join(lines, "\n"), fence); n != 2 && !strings.Contains(e.heading(), fence) {
				t.Errorf("the fence %s stands %d times in %q", fence, n, lines)
			}
		}
	})
}
