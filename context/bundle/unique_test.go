package bundle

import (
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
)

// TestCopiesAreRedundant checks that of two files with almost the same text one is shown, and the
// other is reported as redundant.
func TestCopiesAreRedundant(t *testing.T) {
	texts := shop()
	texts["store/order.go"] = strings.Replace(texts["shop/order.go"], "step 3", "phase 3", -1) + "\nvar made = 1\n"
	req := request("where is an order cancelled? cancelOrder", 12000)
	req.Fill = retrieve.Full
	b := made(t, req, sources(newWorkspace(t, texts).index()))
	check(t, req, b)
	if n := strings.Count(b.Text, "\nfunc cancelOrder("); n != 1 {
		t.Errorf("the function is shown %d times", n)
	}
	if !slices.ContainsFunc(b.Dropped, func(d item.Omission) bool { return d.Reason == "redundant" || d.Reason == "duplicate" }) {
		t.Errorf("dropped: %v", b.Dropped)
	}
}

// TestRepeated checks that a piece is a near-duplicate if most of it is in better ones.
func TestRepeated(t *testing.T) {
	lines := func(words ...string) string {
		var out strings.Builder
		for _, w := range words {
			out.WriteString("\tcall(" + w + w + ")\n")
		}
		return out.String()
	}
	whole := lines("aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh")
	for _, tt := range []struct {
		name, shown, text string
		want              bool
	}{
		{"others", whole, lines("xx", "yy", "zz"), false},
		{"half", whole, lines("aa", "bb", "xx", "yy"), false},
		{"a part of it", whole, lines("aa", "bb", "cc"), true},
		{"more than it", lines("aa", "bb", "cc", "dd"), whole, false},
		{"a near-duplicate", whole, lines("aa", "bb", "cc", "dd", "ee", "ff", "gg", "xx"), true},
		{"nothing that tells", whole, "}\n)\n", false},
	} {
		shown := map[uint64]bool{}
		for hash := range linesOf(tt.shown) {
			shown[hash] = true
		}
		if got := repeated(tt.text, shown); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
