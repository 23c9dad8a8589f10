package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestSignaturesExpand checks that the item that lists signatures for a piece of code expands to
// that piece, and that feedback lists the piece, not the signatures.
func TestSignaturesExpand(t *testing.T) {
	files := map[string]string{
		"kiln.go":   "package p\n\n// quenchKiln cools it.\nfunc quenchKiln(n int) int {\n\treturn soak(n) + 1\n}\n",
		"basins.go": "package p\n\n// soak waits.\nfunc soak(n int) int {\n" + strings.Repeat("\tn += n % 7\n", 200) + "\treturn n\n}\n",
	}
	for i := range 30 {
		files[fmt.Sprintf("glaze%d.go", i)] = fmt.Sprintf("package p\n\n// glaze%d mixes ash and clay for batch %[1]d.\nfunc glaze%[1]d() int {\n\treturn %[1]d\n}\n", i)
	}
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, files)}})
	e.AwaitIdle()
	b := bundleOf(t, e, args{"prompt": "what does `quenchKiln` do?", "budget": 1500})
	var signed command.Item
	for _, it := range b.Items {
		if strings.HasPrefix(it.ID, "signatures:") {
			signed = it
		}
	}
	if !strings.HasSuffix(signed.URI, "/kiln.go") || !strings.Contains(b.Text, "\nbasins.go:4: func soak(n int) int\n") {
		t.Fatalf("no signatures in %+v:\n%s", b.Items, b.Text)
	}
	r := recall(t, e, args{"expand": signed.ID})
	if len(r.Items) != 1 || r.Items[0].URI != signed.URI || !strings.Contains(r.Text, "return soak(n) + 1") {
		t.Errorf("expanded: %+v\n%s", r.Items, r.Text)
	}
	for _, it := range ask[command.FeedbackResult](t, e, "contexture.feedback", args{"bundleId": b.ID, "response": "soak"}).Items {
		if it.ID == signed.ID {
			t.Errorf("feedback on signatures: %+v", it)
		}
	}
}

// TestSignaturesIncludeTypeFields checks that the signatures of a method include the fields of its
// type, and that the item says so.
func TestSignaturesIncludeTypeFields(t *testing.T) {
	files := map[string]string{
		"oven.go": "package p\n\ntype Oven struct {\n\theat int\n\tdoor string\n}\n\nfunc (o *Oven) burn(n int) {\n" + strings.Repeat("\to.heat += n % 7\n", 250) +
			"}\n\n" + strings.Repeat("// quenchKiln cools it slowly.\n", 30) + "func (o *Oven) quenchKiln(n int) int {\n\treturn o.heat - n\n}\n",
	}
	for i := range 30 {
		files[fmt.Sprintf("glaze%d.go", i)] = fmt.Sprintf("package p\n\n// glaze%d mixes ash and clay for batch %[1]d.\nfunc glaze%[1]d() int {\n\treturn %[1]d\n}\n", i)
	}
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, files)}})
	e.AwaitIdle()
	b := bundleOf(t, e, args{"prompt": "what does `quenchKiln` do?", "budget": 1500})
	for _, it := range b.Items {
		if !strings.HasPrefix(it.ID, "signatures:") {
			continue
		}
		for _, want := range []string{": heat int\n", ": func (o *Oven) burn(n int)\n"} {
			if strings.Count(b.Text, want) != 1 {
				t.Errorf("%q is not there once in\n%s", want, b.Text)
			}
		}
		if !strings.Contains(it.Reason, "the type of the match") || !strings.Contains(it.Reason, "its siblings") {
			t.Errorf("the reason is %q", it.Reason)
		}
		return
	}
	t.Errorf("no signatures in %+v:\n%s", b.Items, b.Text)
}
