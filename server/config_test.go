package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// learnedOf returns the learned values in config's answer, by key.
func learnedOf(t *testing.T, e *servertest.Editor) map[string]any {
	t.Helper()
	out := map[string]any{}
	for _, s := range ask[command.ConfigResult](t, e, "contexture.config", args{}).Settings {
		if s.Source == "learned" {
			out[s.Key] = s.Value
		}
	}
	return out
}

// TestBudgetsAdapt checks that a layer whose items nobody uses slowly loses some of its ideal
// budget, down to a bound, unless that is switched off, and that this can be undone.
func TestBudgetsAdapt(t *testing.T) {
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("part%d/part.go", i)] = fmt.Sprintf("// Package part%d parses orders of shop %d.\n// It knows every price there is, and every rebate too.\npackage part%d\n\n// ParseOrder%d parses an order.\nfunc ParseOrder%d(text string) int {\n%s\treturn %d\n}\n", i, i, i, i, i, strings.Repeat("\tprintln(text)\n", 20), i)
	}
	root := servertest.Tree(t, files)
	v := servertest.NewServer(t, servertest.Options{})
	e := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	e.AwaitIdle()
	off := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}, InitOptions: args{"budget": args{"adaptive": false}}})
	off.AwaitIdle()
	prompt := args{"prompt": "how does `ParseOrder3` parse orders?", "budget": 3000, "fill": "full"}
	ideal := func(who *servertest.Editor, layer string) int {
		for _, l := range bundleOf(t, who, prompt).Layers {
			if l.Layer == layer {
				return l.Ideal
			}
		}
		return 0
	}
	first := ideal(e, "L3_entity")
	if first == 0 || len(learnedOf(t, e)) > 0 {
		t.Fatalf("before any feedback the ideal is %d, learned is %v", first, learnedOf(t, e))
	}
	use := func(times int) {
		for range times {
			b := bundleOf(t, e, prompt)
			ask[command.FeedbackResult](t, e, "contexture.feedback", args{"bundleId": b.ID, "response": "ParseOrder3 does it."})
		}
	}
	use(9)
	if got := learnedOf(t, e); len(got) > 0 {
		t.Errorf("after nine bundles it has learned %v", got)
	}
	use(11)
	factor, _ := learnedOf(t, e)["budget.learned.L3_entity"].(float64)
	if factor <= 1 || factor > 1.2 {
		t.Errorf("after twenty bundles of which the definition was used its factor is %v: %v", factor, learnedOf(t, e))
	}
	if got := ideal(off, "L3_entity"); got != first {
		t.Errorf("switched off, the ideal is %d, not %d", got, first)
	}
	refused(t, e, "contexture.learned.reset", args{"what": "everything"}, "what", "")
	if r := ask[command.LearnedResetResult](t, e, "contexture.learned.reset", args{"what": "budgets"}); len(r.Reset) != 1 || r.Reset[0] != "budgets" {
		t.Errorf("reset: %+v", r)
	}
	if got := learnedOf(t, e); len(got) > 0 {
		t.Errorf("after it was taken back, %v is learned", got)
	}
	if got := ideal(e, "L3_entity"); got != first {
		t.Errorf("after it was taken back the ideal is %d, not %d", got, first)
	}
}
