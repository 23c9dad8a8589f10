package bundle

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

// The same text in two files is shown once, and the other is reported as dropped.
func TestDuplicateText(t *testing.T) {
	texts := shop()
	twin := "package twin\n\n// reconcileTwin compares both ledgers.\nfunc reconcileTwin(a, b int) bool {\n\treturn a == b\n}\n"
	texts["one/twin.go"], texts["two/twin.go"] = twin, twin
	b := made(t, request("where does reconcileTwin compare both ledgers", 8000), sources(newWorkspace(t, texts).index()))
	if n := strings.Count(b.Text, "func reconcileTwin("); n != 1 {
		t.Errorf("the text stands there %d times", n)
	}
	if !slices.ContainsFunc(b.Dropped, func(d item.Omission) bool { return d.Reason == "duplicate" }) {
		t.Errorf("dropped %v", b.Dropped)
	}
}

// Code that has the words of a question only in strings comes after code that implements what is
// asked about.
func TestMentionsInStrings(t *testing.T) {
	texts := shop()
	texts["post/scale.go"] = "package post\n\n// handle weighs, and puts a stamp on each of the parcels that came since the last round of the day.\nfunc handle(p thing) int {\n\treturn p.mass()\n}\n"
	texts["words/list.go"] = "package words\n\n// Nouns is a list.\nvar Nouns = []string{\"parcel\", \"stamp\", \"stamps\", \"a stamped parcel\", `parcels\nstamps`}\n\nvar handled = true\n"
	b := made(t, request("where are stamps of parcels handled?", 8000), sources(newWorkspace(t, texts).index()))
	score := map[string]float64{}
	for _, it := range b.Items {
		score[it.Path] = it.Score
	}
	if score["words/list.go"] >= score["post/scale.go"] {
		t.Errorf("scores are %v", score)
	}
}

func TestParted(t *testing.T) {
	for _, tt := range []struct{ text, code, literals string }{
		{`a := "b c" + d`, `a := " + d`, "b c "},
		{`don't 'x' "it\"s" f`, `don't ' " f`, `x it\"s `},
		{"`a\nb` c \"open\nd", "` c \"open\nd", "a\nb "},
		{"no quotes", "no quotes", ""},
	} {
		code, literals := parted([]byte(tt.text))
		if got := strings.Join(strings.Fields(string(code)), " "); got != strings.Join(strings.Fields(tt.code), " ") || string(literals) != tt.literals {
			t.Errorf("%q is %q and %q", tt.text, got, literals)
		}
	}
}

// Adjacent pieces of a file are joined, and no two overlap.
func TestNeighboursAreJoined(t *testing.T) {
	texts := shop()
	b := made(t, request("explain everything in shop/order.go: open, close, count, send, cancel and check an order", 20_000), sources(newWorkspace(t, texts).index()))
	var items []item.Item
	for _, it := range b.Items {
		if it.Path != "" && it.Layer == item.L5JIT {
			items = append(items, it)
		}
	}
	found := false
	for i, x := range items {
		found = found || x.Path == "shop/order.go" && len(x.Symbols) >= 4
		for _, y := range items[i+1:] {
			if x.Path != y.Path {
				continue
			}
			if x.StartLine > y.StartLine {
				x, y = y, x
			}
			if y.StartLine <= x.EndLine {
				t.Errorf("%s: lines %d–%d and %d–%d overlap", x.Path, x.StartLine, x.EndLine, y.StartLine, y.EndLine)
			}
		}
	}
	if !found {
		t.Errorf("no piece of the file has several of its functions: %+v", items)
	}
}

// A file that changed, disappeared or became binary since it was indexed is shown in its current
// state, or not at all.
func TestChangedSinceIndexed(t *testing.T) {
	w := newWorkspace(t, shop())
	s := w.index()
	w.write("shop/order.go", strings.Replace(shop()["shop/order.go"], "package shop\n", "package shop\n\n// NewerText came after the index.\nvar NewerText = 1\n", 1))
	w.write("shop/refund.go", "\x7fELF\x00\x00\x00"+strings.Repeat("\x00", 50))
	req := request("where are orders and refunds cancelled and sent", 8000)
	b := made(t, req, sources(s))
	check(t, req, b)
	for _, it := range b.Items {
		if it.Path == "shop/refund.go" {
			t.Errorf("a binary is shown: %+v", it)
		}
	}
	reasons := map[string]bool{}
	for _, d := range b.Dropped {
		reasons[string(d.Reason)] = true
	}
	if !reasons["binary"] {
		t.Errorf("dropped %v", b.Dropped)
	}
}

func TestKeepHolds(t *testing.T) {
	s := newWorkspace(t, shop()).index()
	for _, p := range prompts {
		req := request(p, 6000)
		req.Keep = func(path, _ string) bool { return path == "shop/price.go" }
		for _, it := range made(t, req, sources(s)).Items {
			if it.Path != "" && it.Path != "shop/price.go" {
				t.Errorf("%q: %s (%s) is shown", p, it.Path, it.Kind)
			}
		}
	}
}

// A request whose time is over is still answered.
func TestNoTime(t *testing.T) {
	s := newWorkspace(t, shop()).index()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b, err := Build(ctx, request("where is an order cancelled?", 4000), sources(s))
	if err != nil || len(b.Items) == 0 || len(b.Degraded) == 0 || !strings.Contains(b.Text, "where is an order cancelled?") {
		t.Errorf("error %v, bundle %+v", err, b)
	}
}

func TestPersonalLayers(t *testing.T) {
	var long strings.Builder
	for i := range 30 {
		fmt.Fprintf(&long, "# Heading %d\n\n%s\n\n", i, strings.Repeat("A rule that is long enough to matter. ", 20))
	}
	b := made(t, request("cancelOrder", 12_000), sources(newWorkspace(t, shop()).index(),
		Personal{Identity: true, Name: "identity.md", URI: "file:///home/me/identity.md", Text: "I keep a shop."},
		Personal{Name: "AGENTS.md", Text: long.String()}, Personal{Name: "blank.md", Text: " \n"}))
	layers := map[string]item.Item{}
	for _, it := range b.Items {
		layers[it.Layer.String()] = it
	}
	identity, rules := layers["L0_identity"], layers["L1_global_prefs"]
	if identity.Kind != "identity" || identity.Format != "full" || identity.URI == "" || !strings.Contains(b.Text, "I keep a shop.") {
		t.Errorf("identity %+v", identity)
	}
	if rules.Kind != "preference" || rules.Format != "summary" || rules.Tokens > 600 {
		t.Errorf("rules %+v", rules)
	}
	if strings.Contains(b.Text, "blank.md") {
		t.Error("a blank text is shown")
	}
	stable := b.Text[:b.StablePrefix]
	if !strings.Contains(stable, "I keep a shop.") || strings.Contains(stable, "<ctx-code") {
		t.Errorf("the stable prefix is %q", stable)
	}
}
