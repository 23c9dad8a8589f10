package server

import (
	"fmt"
	"testing"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/item"
)

// TestPrefixesAreBounded checks that the least recently used conversation is forgotten.
func TestPrefixesAreBounded(t *testing.T) {
	p := newPrefixes()
	for i := range maxConversations + 1 {
		p.swap(fmt.Sprint(i), []mark{{end: i + 1}})
		p.swap("0", []mark{{end: 1}}) // stays in use
	}
	if len(p.last) != maxConversations || len(p.order) != maxConversations {
		t.Errorf("%d conversations are kept, %d in order", len(p.last), len(p.order))
	}
	if p.swap("0", nil) == nil {
		t.Error("the one in use was forgotten")
	}
	if p.swap("1", nil) != nil {
		t.Error("the one used longest ago is still there")
	}
}

func TestCommonPrefix(t *testing.T) {
	of := func(parts ...string) []mark {
		b := &bundle.Bundle{}
		for _, part := range parts {
			b.Text += part
			b.Items = append(b.Items, item.Item{Span: item.Span{Start: len(b.Text) - len(part), End: len(b.Text)}})
		}
		return marksOf(b)
	}
	for _, tt := range []struct {
		a, b []mark
		want int
	}{
		{of("ab", "cd"), of("ab", "cd"), 4}, {of("ab", "cd"), of("ab", "ce"), 2}, {of("ab"), of("ab", "cd"), 2}, {of("ab"), of("xb"), 0}, {nil, of("a"), 0},
		{of("ab", "cd"), of("abc", "d"), 0},
	} {
		if got := common(tt.a, tt.b); got != tt.want {
			t.Errorf("%v and %v share %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
