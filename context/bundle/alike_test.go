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
	if !slices.ContainsFunc(b.Dropped, func(d item.Dropped) bool { return d.Reason == "redundant" || d.Reason == "duplicate" }) {
		t.Errorf("dropped: %v", b.Dropped)
	}
}

func TestAlike(t *testing.T) {
	lines := func(words ...string) string {
		var out strings.Builder
		for _, w := range words {
			out.WriteString("\tcall(" + w + w + ")\n")
		}
		return out.String()
	}
	piece := func(score float64, text string) *foundPlace {
		return &foundPlace{Candidate: retrieve.Candidate{Score: score}, text: text}
	}
	whole := lines("aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh")
	for _, tt := range []struct {
		name string
		x, y *foundPlace
		want float64
	}{
		{"others", piece(.9, whole), piece(.8, lines("xx", "yy", "zz")), 0},
		{"one line of many", piece(.9, whole), piece(.8, lines("xx", "yy", "zz", "aa")), 0},
		{"half", piece(.9, whole), piece(.8, lines("aa", "bb", "xx", "yy")), .5},
		{"a part of it", piece(.9, whole), piece(.8, lines("aa", "bb", "cc")), 1},
		{"more than it", piece(.9, lines("aa", "bb", "cc", "dd")), piece(.8, whole), .5},
		{"a near-duplicate", piece(.9, whole), piece(.8, lines("aa", "bb", "cc", "dd", "ee", "ff", "gg", "xx")), 1},
	} {
		for _, places := range [][]*foundPlace{{tt.x, tt.y}, {tt.y, tt.x}} {
			if got := newAlike(places).pairs[pair{0, 1}]; got != tt.want {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			}
		}
	}
}
