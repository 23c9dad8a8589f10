package retrieve

import (
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

// TestTraceBringsItsPlace checks that a prompt that is little more than a trace or a location
// brings the place of that line, wherever the file lay when it failed, and neither the rest of the
// file nor what has the trace's words.
func TestTraceBringsItsPlace(t *testing.T) {
	files := market()
	var long strings.Builder
	long.WriteString("package store\n")
	for _, name := range []string{"open", "close", "count", "audit"} {
		long.WriteString("\n// " + name + "Till handles the till of the store.\nfunc " + name + "Till(n int) int {\n")
		for range 30 {
			long.WriteString("\tn += till(n)\n")
		}
		long.WriteString("\treturn n\n}\n")
	}
	files["store/till.go"] = long.String()
	s := index(t, files)
	for _, prompt := range []string{
		"panic: runtime error: index out of range [3] with length 2\n\ngoroutine 1 [running]:\nexample.com/store.countTill(0x3)\n\t/home/ann/src/store/till.go:80 +0x1d",
		"Traceback (most recent call last):\n  File \"/opt/lib/site-packages/store/till.go\", line 80, in countTill\nIndexError: list index out of range",
		"store/till.go:80: why?",
	} {
		r := ask(s, prompt)
		kept, _, _ := r.Filter(Relevant)
		i := slices.IndexFunc(kept, func(c *item.Item) bool {
			k := s.Chunk(c.Chunk)
			return k.Path == "store/till.go" && k.StartLine <= 79 && 79 <= k.EndLine
		})
		if !r.Located || i < 0 || len(kept) > 2 {
			t.Errorf("%q: located %v, found %v", prompt, r.Located, places(s, Result{Candidates: kept}))
		}
	}
	if r := ask(s, "store/till.go:80 fails since the ledger books amounts of orders from the checkout twice, where are amounts booked?"); r.Located {
		t.Error("a prompt that says more is taken for a location")
	}
}

// TestCommandIsNoMessage checks that a command in backticks does not make the places that mention
// it holders of the prompt's message.
func TestCommandIsNoMessage(t *testing.T) {
	files := market()
	files["docs/run.go"] = "package docs\n\nconst hint = \"run `store audit now` first\"\n"
	s := index(t, files)
	for _, c := range ask(s, "no till was found. Please use `store audit now`\n\nwhy do I get this?").Candidates {
		if slices.ContainsFunc(c.Reasons, func(why string) bool { return strings.Contains(why, "message") }) {
			t.Errorf("%s: %q", s.Chunk(c.Chunk).Path, c.Reasons)
		}
	}
}
