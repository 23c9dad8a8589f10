package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestPersonalOnce checks that a text of rules comes once, whether it is linked to or copied, and
// that a long one comes in whole sections.
func TestPersonalOnce(t *testing.T) {
	rules := "# Shop\n\n## Money\n\nAmounts are integers in cents.\n\n## History\n\n" + strings.Repeat("The shop was rewritten once more. ", 600) + "\n\n## Words\n\nAn order is called order.\n"
	root := servertest.Tree(t, map[string]string{
		"docs/rules.md": rules, ".cursorrules": strings.ReplaceAll(rules, "\n", "\r\n"), ".contexture/preferences.md": "Be brief.\n",
		"shop.go": "package shop\n",
	})
	for link, to := range map[string]string{"AGENTS.md": "CLAUDE.md", "CLAUDE.md": "docs/rules.md"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	b := bundleOf(t, e, args{"prompt": "the shop", "budget": 8000})
	var names []string
	for _, it := range b.Items {
		if it.Kind == "preference" {
			names = append(names, it.ID+" "+it.Format)
		}
	}
	if got := strings.Join(names, ", "); got != "preference:.contexture/preferences.md full, preference:AGENTS.md summary" {
		t.Errorf("the bundle has %s", got)
	}
	if want := "# Shop\n\n## Money\nAmounts are integers in cents.\n\n## Words\nAn order is called order.\n\n[left out for lack of room: History]\n"; !strings.Contains(b.Text, want) {
		t.Errorf("the bundle lacks %q:\n%s", want, b.Text)
	}
	for _, budget := range []int{64, 200, 400} {
		r := ask[command.RecallResult](t, e, "contexture.recall", args{"expand": "preference:AGENTS.md", "budget": budget})
		if len(r.Items) != 1 || r.Tokens > budget || !strings.Contains(r.Text, "left out for lack of room: ") {
			t.Errorf("recall within %d tokens: %+v", budget, r)
		}
	}
}

// TestPersonalImports checks that a text which only imports files that are there is left out.
func TestPersonalImports(t *testing.T) {
	for claude, want := range map[string]string{
		"@AGENTS.md\n":                 "preference:AGENTS.md",
		"@./AGENTS.md @docs/more.md\n": "preference:AGENTS.md, preference:CLAUDE.md",
		"@AGENTS.md\n\nBe brief.\n":    "preference:AGENTS.md, preference:CLAUDE.md",
	} {
		root := servertest.Tree(t, map[string]string{"AGENTS.md": "Amounts are integers in cents.\n", "CLAUDE.md": claude, "shop.go": "package shop\n"})
		e := servertest.Start(t, servertest.Options{Roots: []string{root}})
		e.AwaitIdle()
		var names []string
		for _, it := range bundleOf(t, e, args{"prompt": "the shop"}).Items {
			if it.Kind == "preference" {
				names = append(names, it.ID)
			}
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("with %q the bundle has %s, want %s", claude, got, want)
		}
	}
}

// TestRecallCutsALongLine checks that a text of one line that does not fit is cut inside the line.
func TestRecallCutsALongLine(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"AGENTS.md": strings.Repeat("never push <main> and ", 200)})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	r := ask[command.RecallResult](t, e, "contexture.recall", args{"expand": "preference:AGENTS.md", "budget": 64})
	if len(r.Items) != 1 || r.Tokens > 64 || !strings.Contains(r.Text, "never push") || !strings.Contains(r.Text, "[…]") {
		t.Errorf("recall answers %+v", r)
	}
}
