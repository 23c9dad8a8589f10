package bundle

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

// itemOf returns the item with an id, or nil.
func itemOf(b *Bundle, id string) *item.Item {
	for i := range b.Items {
		if b.Items[i].ID == id {
			return &b.Items[i]
		}
	}
	return nil
}

// reasonsOf lists the reasons for which an id was left out.
func reasonsOf(b *Bundle, id string) (out []string) {
	for _, d := range b.Dropped {
		if d.ID == id {
			out = append(out, string(d.Reason))
		}
	}
	return out
}

// TestIncludeCode checks that an omitted item is included by its id, whatever the reason, within
// the budget, however often requested, and that it is in the bundle once.
func TestIncludeCode(t *testing.T) {
	w := newWorkspace(t, shop())
	src := Sources{Snapshot: w.index(), Count: counter.Count, Now: at}
	for _, prompt := range []string{"how is a refund sent?", "hello!"} {
		req := request(prompt, 1500)
		req.Fill = ""
		all := made(t, request("order cart invoice refund customer stock price discount", 1500), src)
		var wanted []string
		for _, d := range all.Dropped {
			if d.Reason == "budget" && d.Kind == "code" && len(wanted) < 2 {
				wanted = append(wanted, d.ID)
			}
		}
		if len(wanted) < 2 {
			t.Fatalf("nothing is left out: %+v", all.Dropped)
		}
		req.Include = append(slices.Clone(wanted), wanted[0])
		b := made(t, req, src)
		check(t, req, b)
		for _, id := range wanted {
			it := itemOf(b, id)
			if it == nil || it.Format != "full" || it.Layer != item.L5JIT || it.Reason != "requested by its id" || !strings.Contains(b.Text[it.Span.Start:it.Span.End], it.Path) {
				t.Fatalf("%q: %s is %+v", prompt, id, it)
			}
			if len(reasonsOf(b, id)) > 0 {
				t.Errorf("%q: %s is taken and left out for %v", prompt, id, reasonsOf(b, id))
			}
			times := 0
			for _, other := range b.Items {
				if other.Path == it.Path && other.StartLine <= it.EndLine && it.StartLine <= other.EndLine {
					times++
				}
			}
			if times != 1 {
				t.Errorf("%q: the lines of %s stand in the bundle %d times", prompt, id, times)
			}
		}
		if again := made(t, req, src); again.Text != b.Text || !reflect.DeepEqual(again.Dropped, b.Dropped) {
			t.Errorf("%q: a second time the bundle is another one", prompt)
		}
	}
}

// TestIncludeIsRefused checks the reasons for ids that may not be included, do not fit or do not
// exist.
func TestIncludeIsRefused(t *testing.T) {
	w := newWorkspace(t, shop())
	src := Sources{Snapshot: w.index(), Count: counter.Count, Now: at}
	req := request("how is an order of the cart cancelled?", 4000)
	free := made(t, req, src)
	byFile := map[string]string{}
	for _, it := range free.Items {
		if it.Kind == "code" && byFile[it.Path] == "" {
			byFile[it.Path] = it.ID
		}
	}
	order, cart := byFile["shop/order.go"], byFile["shop/cart.go"]
	if order == "" || cart == "" {
		t.Fatalf("found are %v", byFile)
	}

	excluded := req
	excluded.Include = []string{order}
	excluded.Keep = func(path, _ string) bool { return path != "shop/order.go" }
	if b := made(t, excluded, src); itemOf(b, order) != nil || !slices.Equal(reasonsOf(b, order), []string{"excluded"}) {
		t.Errorf("of an excluded file: %v", reasonsOf(b, order))
	}

	both := req
	both.Include, both.Omit = []string{order}, []string{order}
	if b := made(t, both, src); itemOf(b, order) != nil || !slices.Equal(reasonsOf(b, order), []string{"excluded"}) {
		t.Errorf("in both lists: %v", reasonsOf(b, order))
	}

	small := req
	small.Include, small.Budget = []string{cart}, counter.Count(req.Prompt)+60
	b := made(t, small, src)
	if itemOf(b, cart) != nil || !slices.Equal(reasonsOf(b, cart), []string{"budget"}) {
		t.Errorf("too large: %v", reasonsOf(b, cart))
	}

	unknown := req
	unknown.Include = []string{"c-0123456789abcdef", "knowledge:none", "prompt"}
	b = made(t, unknown, src)
	if i := slices.IndexFunc(b.Degraded, func(d item.Degradation) bool {
		return strings.Contains(d.Detail, "c-0123456789abcdef, knowledge:none") && d.Reason == "stale"
	}); i < 0 || b.Text != free.Text {
		t.Errorf("what is not there: %+v", b.Degraded)
	}

	changed := req
	changed.Include = []string{order}
	w.write("shop/order.go", "package shop\n\nfunc "+itemOf(free, order).Symbols[0]+"() {} // has changed\n")
	if it := itemOf(made(t, changed, src), order); it == nil || it.EndLine > 2 {
		t.Errorf("of a file that changed: %+v", it)
	}
	if err := os.Remove(filepath.Join(w.root, "shop/order.go")); err != nil {
		t.Fatal(err)
	}
	if b := made(t, changed, src); itemOf(b, order) != nil || !slices.Equal(reasonsOf(b, order), []string{"stale"}) {
		t.Errorf("of a file that is gone: %v", reasonsOf(b, order))
	}
}

// TestOmit checks that an omitted id is not in the bundle, whatever it is, and that its room goes
// to others.
func TestOmit(t *testing.T) {
	w := newWorkspace(t, shop())
	src := Sources{
		Snapshot: w.index(), Count: counter.Count, Now: at,
		Personal: []Personal{{Identity: true, Name: "me.md", Text: "I am Ada."}, {Name: "AGENTS.md", Text: "Write tests."}},
		Past: &memories{
			rules: []item.Item{{ID: "rules", Kind: "rule", Body: "From now on wrap errors.", Score: 1}},
			known: []item.Item{{ID: "knowledge:l1", Kind: "lesson", Title: "Refunds", Body: "A refund takes a week.", Score: 1}},
			says:  []item.Item{{ID: "tickler:a/T-1", Kind: "tickler", Body: "Refunds were discussed at length in May.", Score: 1}},
		},
	}
	req := request("how is a refund sent?", 1500)
	free := made(t, req, src)
	for _, it := range free.Items {
		if it.ID == "prompt" {
			continue
		}
		without := req
		without.Omit = []string{it.ID, "c-nothing"}
		b := made(t, without, src)
		check(t, without, b)
		if itemOf(b, it.ID) != nil || !slices.Equal(reasonsOf(b, it.ID), []string{"excluded"}) {
			t.Errorf("%s: left out for %v, in the bundle as %+v", it.ID, reasonsOf(b, it.ID), itemOf(b, it.ID))
		}
		for _, other := range b.Items {
			parts := other.Passages
			if len(parts) == 0 { // all of it is shown
				parts = []item.Passage{{StartLine: other.StartLine, EndLine: other.EndLine}}
			}
			shown := func(r item.Passage) bool { return r.StartLine <= it.Anchor && it.Anchor <= r.EndLine }
			if it.Kind == "code" && other.Path == it.Path && slices.ContainsFunc(parts, shown) {
				t.Errorf("%s: its beginning stands in %+v", it.ID, other)
			}
		}
	}
	without := req
	without.Omit = []string{"prompt"}
	if b := made(t, without, src); b.Text != free.Text {
		t.Error("without the prompt the bundle is another one")
	}
}

// TestIncludeMemory checks that a memory is included by its id, in the longest of its forms that
// fits, and shown once.
func TestIncludeMemory(t *testing.T) {
	long := strings.Repeat("A refund takes a week, and who asks twice waits longer. ", 60)
	items := map[string][]item.Item{
		"knowledge:l1":  {{ID: "knowledge:l1", Kind: "lesson", Title: "Refunds", Body: "A refund takes a week.", Format: "full", Score: 1}},
		"tickler:a/T-1": {{ID: "turn:a/T-1", Kind: "turn", Tag: "T-1-R", Body: long, Format: "full", Score: 1}, {ID: "turn:a/T-1", Kind: "turn", Tag: "T-1-T", Body: "Refunds.", Format: "summary", Score: 1}},
		"entity:e1":     {{ID: "entity:e1", Kind: "entity", Title: "Ada", Body: "Ada sends refunds.", Format: "full", Score: 1}},
	}
	broken := errors.New("broken")
	src := Sources{
		Count: counter.Count, Now: at, Past: &memories{known: items["knowledge:l1"], says: []item.Item{{ID: "tickler:a/T-1", Kind: "tickler", Body: "Refunds.", Score: 1}}},
		Item: func(_ context.Context, id string) ([]item.Item, error) {
			if id == "knowledge:broken" {
				return nil, broken
			}
			return items[id], nil
		},
	}
	req := request("hello!", 400)
	req.Include = []string{"knowledge:l1", "tickler:a/T-1", "entity:e1"}
	b := made(t, req, src)
	check(t, req, b)
	for id, want := range map[string][2]string{"knowledge:l1": {"L5_jit", "full"}, "tickler:a/T-1": {"L5_jit", "summary"}, "entity:e1": {"L3_entity", "full"}} {
		if it := itemOf(b, id); it == nil || it.Layer.String() != want[0] || it.Format != want[1] {
			t.Errorf("%s is %+v", id, it)
		}
	}
	if strings.Count(b.Text, "A refund takes a week.") != 1 {
		t.Errorf("the lesson is not in the text once: %s", b.Text)
	}
	req.Budget = 4000
	if it := itemOf(made(t, req, src), "tickler:a/T-1"); it == nil || it.Format != "full" {
		t.Errorf("with room the turn is %+v", it)
	}
	req.Include = []string{"knowledge:broken"}
	if b := made(t, req, src); !slices.Equal(b.Degraded, []item.Degradation{{Stage: "memory", Reason: "error", Detail: "broken"}}) {
		t.Errorf("degraded: %+v", b.Degraded)
	}
}

// TestDroppedItemsAreComplete checks that dropped items have the data to be shown without another
// request.
func TestDroppedItemsAreComplete(t *testing.T) {
	w := newWorkspace(t, shop())
	b := made(t, request("order cart invoice refund customer stock price discount", 1500), Sources{
		Snapshot: w.index(), Count: counter.Count, Now: at,
		Past: &memories{known: []item.Item{{ID: "knowledge:old", Kind: "rule", Title: "Old", Body: "Wrap errors.", Dropped: "superseded"}}},
	})
	places := 0
	for _, d := range b.Dropped {
		if d.Title == "" || d.Tokens == 0 {
			t.Errorf("%+v tells too little", d)
		}
		if d.Path != "" {
			places++
			if _, ok := shop()[d.Path]; !ok || d.EndLine < d.StartLine {
				t.Errorf("%+v names no place", d)
			}
		}
	}
	if places == 0 || itemOf(b, "knowledge:old") != nil || len(reasonsOf(b, "knowledge:old")) != 1 {
		t.Errorf("left out are %+v", b.Dropped)
	}
}
