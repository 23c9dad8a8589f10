package repocheck

import (
	"fmt"
	"go/ast"
	"slices"
)

// sleepers are tests that may sleep.
var sleepers = []exception{
	{"indexer/watch/harness_test.go", "polls the disk's state between deadlines; there is no event to wait for"},
}

// Contexts checks that only cmd and tests start a context of their own: all other code receives
// one, so that cancellation reaches it.
func Contexts(t *Tree) []Finding {
	var out []Finding
	for _, f := range t.goFiles() {
		if f.IsTest() || within(f.Dir(), "cmd") || within(f.Dir(), "server/servertest") {
			continue
		}
		for _, u := range t.uses(f) {
			if u.pkg == "context" && (u.name == "Background" || u.name == "TO"+"DO") {
				out = append(out, Finding{f.Path, u.line, fmt.Sprintf("%s calls context.%s: only cmd and tests may; take the caller's, or context.WithoutCancel with the reason", f.Dir(), u.name)})
			}
		}
	}
	return sorted(out)
}

// Sleeps checks that tests wait for conditions and not for a fixed time.
func Sleeps(t *Tree) []Finding {
	var out []Finding
	for _, f := range t.goFiles() {
		if !f.IsTest() && !insideAny(f.Dir(), forTests) {
			continue
		}
		for _, u := range t.uses(f) {
			if u.pkg == "time" && u.name == "Sleep" {
				out = append(out, Finding{f.Path, u.line, "a test sleeps: wait for the condition, with a deadline"})
			}
		}
	}
	return except(t, sorted(out), sleepers)
}

// Skips checks that no test skips itself.
func Skips(t *Tree) []Finding {
	var out []Finding
	for _, f := range t.goFiles() {
		if !f.IsTest() && !insideAny(f.Dir(), forTests) {
			continue
		}
		ast.Inspect(f.Go, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && slices.Contains([]string{"t", "b", "f", "tb"}, x.Name) {
				out = append(out, Finding{f.Path, t.line(sel.Pos()), fmt.Sprintf("a test leaves itself out with %s.%s: use a build constraint, or make what it needs", x.Name, sel.Sel.Name)})
			}
			return true
		})
	}
	return sorted(out)
}
