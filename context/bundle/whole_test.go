package bundle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
)

// long returns a function with n steps, of which only one mentions refunds.
func long(name string, steps, special int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "func %s(id int) error {\n", name)
	for i := range steps {
		if i == special {
			b.WriteString("\t// the voucher is refunded in the currency of the purchase\n\tif err := refundVoucher(id, purchaseCurrency(id)); err != nil {\n\t\treturn err\n\t}\n")
		}
		fmt.Fprintf(&b, "\tif err := purchaseStep%d(id, %d); err != nil {\n\t\treturn fmt.Errorf(\"step %d: %%w\", err)\n\t}\n", i, i*i, i)
	}
	b.WriteString("\treturn nil\n}\n")
	return b.String()
}

// TestAFunctionIsShownWhole checks that if the best match is a piece of a function that fits, the
// function is shown, once and under the piece's id, and that a function that is too long is shown
// in pieces.
func TestAFunctionIsShownWhole(t *testing.T) {
	for _, tt := range []struct {
		steps int
		whole bool
	}{{30, true}, {200, false}} {
		texts := shop()
		code := long("checkout", tt.steps, tt.steps/2)
		texts["shop/checkout.go"] = "package shop\n\n" + code
		s := newWorkspace(t, texts).index()
		pieces := 0
		file, _ := s.File("shop/checkout.go")
		ids := map[string]bool{}
		for c, end := s.FileChunks(file); c < end; c++ {
			if _, _, n := piece(s.Chunk(c).Title); n > 1 {
				pieces++
				ids[CodeID(s.Chunk(c))] = true
			}
		}
		if pieces < 2 {
			t.Fatalf("%d steps make %d pieces", tt.steps, pieces)
		}
		req := request("where is a voucher refunded in the currency of the purchase?", 8000)
		req.Fill = retrieve.Full
		b := made(t, req, sources(s))
		check(t, req, b)
		if got := strings.Contains(b.Text, strings.TrimSpace(code)); got != tt.whole {
			t.Errorf("%d steps: whole = %v, want %v", tt.steps, got, tt.whole)
		}
		if n := strings.Count(b.Text, "the voucher is refunded"); n != 1 {
			t.Errorf("%d steps: the place is shown %d times", tt.steps, n)
		}
		if !tt.whole {
			continue
		}
		at := slices.IndexFunc(b.Items, func(it item.Item) bool { return it.Path == "shop/checkout.go" })
		it := b.Items[at]
		if !ids[it.ID] || it.Title != "func checkout" || it.StartLine > 2 || it.EndLine != 2+strings.Count(strings.TrimSpace(code), "\n") {
			t.Errorf("the item is %+v", it)
		}
		if i := slices.IndexFunc(b.Dropped, func(d item.Omission) bool { return ids[d.ID] }); i >= 0 {
			t.Errorf("a piece of what is shown is dropped: %+v", b.Dropped[i])
		}
	}
}

func TestPiece(t *testing.T) {
	for _, tt := range []struct {
		title, name string
		k, n        int
	}{
		{"func (c *Client) Do (2/7)", "func (c *Client) Do", 2, 7},
		{"func Do", "", 0, 0},
		{"func Do (x)", "", 0, 0},
		{"func Do (1/y)", "", 0, 0},
		{"", "", 0, 0},
	} {
		if name, k, n := piece(tt.title); name != tt.name || k != tt.k || n != tt.n {
			t.Errorf("%q: %q %d %d", tt.title, name, k, n)
		}
	}
}
