package main

import (
	"go/ast"
	"strings"
	"testing"
)

func comment(lines string) *ast.CommentGroup {
	g := &ast.CommentGroup{}
	for line := range strings.SplitSeq(lines, "\n") {
		g.List = append(g.List, &ast.Comment{Text: "//" + line})
	}
	return g
}

func TestDirectives(t *testing.T) {
	for lines, want := range map[string]string{
		" Search ranks code.":          `Slot: "interactive"`,
		"contexture:writes memory":     `Writes: "memory", Slot: "write"`,
		"contexture:slot quick itself": `Slot: "quick", OwnSlot: true`,
		"contexture:slot itself":       `Slot: "interactive", OwnSlot: true`,
		"contexture:waits briefly":     `Waits: "briefly", Slot: "interactive"`,
		"contexture:tool none":         `Slot: "interactive", Personal: true`,
		"contexture:writes index\ncontexture:idempotent\ncontexture:once notFound remove\ncontexture:destructive": `Writes: "index", ` +
			`Idempotent: Repeat{Answer: "same"}, Once: Repeat{Answer: "notFound", Field: "remove"}, Destructive: true, Slot: "interactive"`,
		"contexture:writes memory\ncontexture:idempotent messages.id\ncontexture:unordered": `Writes: "memory", ` +
			`Idempotent: Repeat{Answer: "same", Field: "messages.id"}, Unordered: true, Slot: "write"`,
	} {
		d, err := directivesOf(comment(lines))
		if got := d.literal(); err != nil || got != want {
			t.Errorf("%q: %s, %v; want %s", lines, got, err, want)
		}
	}
	for _, lines := range []string{
		"contexture:", "contexture:writes", "contexture:writes disk", "contexture:write memory", "contexture:writes memory\ncontexture:writes index",
		"contexture:slot slow", "contexture:slot quick quick", "contexture:waits", "contexture:tool all", "contexture:destructive", "contexture:idempotent",
		"contexture:writes memory\ncontexture:once never", "contexture:writes memory\ncontexture:destructive much",
	} {
		if d, err := directivesOf(comment(lines)); err == nil {
			t.Errorf("%q is accepted: %s", lines, d.literal())
		}
	}
}
