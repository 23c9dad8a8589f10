package bundle

import (
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/retrieve"
)

// A piece too large for a small budget must not keep smaller ones behind it from being shown.
func TestSmallBudgetShowsWhatFits(t *testing.T) {
	var large strings.Builder
	large.WriteString("package shop\n\n// refundOrder refunds an order; refundOrder, refund and order.\nfunc refundOrder() {\n")
	for range 40 {
		large.WriteString("\trefund(order) // refund the order, the whole order and its refund\n")
	}
	large.WriteString("}\n")
	w := newWorkspace(t, map[string]string{
		"large.go": large.String(),
		"small.go": "package shop\n\n// refund gives the money of an order back.\nfunc refund(order int) {}\n",
		"other.go": "package shop\n\n// greet says hello.\nfunc greet() {}\n",
	})
	b := made(t, request("how is the refund of an order made", 256), sources(w.index()))
	for _, it := range b.Items {
		if it.Path == "small.go" {
			return
		}
	}
	t.Errorf("small.go is not shown in %d tokens; items %v", b.Tokens, b.Items)
}

// A workspace without a line of text, with an open file, has nothing to answer.
func TestNothingButEmptyFiles(t *testing.T) {
	w := newWorkspace(t, map[string]string{"empty.go": ""})
	req := request("where is the refund made", 1000)
	req.Open = []string{"empty.go"}
	b := made(t, req, sources(w.index()))
	if len(b.Items) != 1 || b.Items[0].Kind != "prompt" {
		t.Errorf("items %v, want the prompt alone", b.Items)
	}
}

// Of a function at the cursor that is larger than the budget, the beginning is shown; nothing else
// comes before it.
func TestSmallBudgetShowsWhatIsAtTheCursor(t *testing.T) {
	w := newWorkspace(t, shop())
	s := w.index()
	line := strings.Count(shop()["shop/order.go"][:strings.Index(shop()["shop/order.go"], "func cancelOrder")], "\n")
	for _, tokens := range []int{256, 300, 500, 1000, 4000} {
		req := request("what does this do?", tokens)
		req.At = retrieve.Place{Path: "shop/order.go", Known: true, First: line + 2, Last: line + 2}
		b := made(t, req, sources(s))
		check(t, req, b)
		found := false
		for _, it := range b.Items {
			found = found || it.Path == "shop/order.go" && strings.HasPrefix(it.Reason, "the function at the cursor")
		}
		if !found {
			t.Errorf("budget %d: what is at the cursor is not there: %+v", tokens, b.Items)
		}
	}
}
