package bundle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
)

// kilnFiles is a function that settles a question, with what calls it, what tests it, and what only
// has its name.
func kilnFiles() map[string]string {
	texts := shop()
	texts["kiln/quench.go"] = "package kiln\n\n// QuenchGlaze cools a pot that vitrified.\nfunc QuenchGlaze(degrees int) error {\n\tif degrees > vitrified {\n\t\treturn errShatter\n\t}\n\treturn nil\n}\n"
	texts["kiln/cycle.go"] = "package kiln\n\nfunc RunCycle(steps []int) error {\n\tfor _, s := range steps {\n\t\t_ = QuenchGlaze(s)\n\t}\n\treturn nil\n}\n"
	texts["kiln/quench_test.go"] = "package kiln\n\nimport \"testing\"\n\nfunc TestShatter(t *testing.T) {\n\tif QuenchGlaze(2000) == nil {\n\t\tt.Error(\"no error\")\n\t}\n}\n"
	texts["kiln/names.go"] = "package kiln\n\n// names of what is done, QuenchGlaze among them\nvar names = []string{\"QuenchGlaze\"}\n"
	for i := range 20 { // so that words are rare
		texts[fmt.Sprintf("pot/shape%d.go", i)] = fmt.Sprintf("package pot\n\nfunc shape%d(clay int) int { return clay * %d }\n", i, i)
	}
	return texts
}

// TestUsers checks that callers and a test of the function which settles a prompt are pointed at,
// with what they do, and that what only has its name is not.
func TestUsers(t *testing.T) {
	req := request("when is errShatter returned for what vitrified?", 4000)
	req.Fill = retrieve.Relevant
	b := made(t, req, sources(newWorkspace(t, kilnFiles()).index()))
	for _, want := range []string{"kiln/cycle.go:5  _ = QuenchGlaze(s) — RunCycle calls QuenchGlaze\n", "kiln/quench_test.go:6  if QuenchGlaze(2000) == nil { — TestShatter tests QuenchGlaze\n"} {
		if strings.Count(b.Text, want) != 1 {
			t.Errorf("%q is missing in\n%s", want, b.Text)
		}
	}
	for _, it := range b.Items {
		if it.Format != "pointer" {
			continue
		}
		if it.Path == "kiln/names.go" {
			t.Errorf("what only has the name is pointed at: %+v", it)
		}
		if text := b.Text[it.Span.Start:it.Span.End]; !strings.Contains(text, fmt.Sprintf("%s:%d  ", it.Path, it.Anchor+1)) {
			t.Errorf("the pointer to %s has the text %q", it.Path, text)
		}
	}
}

// TestCompanions checks that for a task the test that is named like the file of what settles it is
// pointed at, and the page that has the name of it, and for a question neither.
func TestCompanions(t *testing.T) {
	texts := kilnFiles()
	texts["kiln/quench_test.go"] = "package kiln\n\nimport \"testing\"\n\nfunc TestCooling(t *testing.T) {\n\tcool(t, 900)\n}\n"
	texts["pot/quench_test.go"] = "package pot\n\nimport \"testing\"\n\nfunc TestGlazes(t *testing.T) {\n\tcheck(t, vitrified)\n}\n"
	texts["kiln/tests/water_quench.go"] = "package tests\n\nfunc limitsOfWater() { check(vitrified) }\n"
	texts["kiln/testdata/quench.json"] = "{\"limits\": \"vitrified\"}\n"
	texts["docs/quench-glaze.md"] = "# Kilns\n\nA pot is cooled by QuenchGlaze.\n"
	texts["docs/glazes.md"] = "# Glazes\n\nAnother limit of QuenchGlaze, like errShatter of what vitrified.\n"
	texts["docs/clay.md"] = "# Clay\n\nClay has to quench before a glaze.\n"
	src := sources(newWorkspace(t, texts).index())
	pointers := []string{"kiln/quench_test.go:5  func TestCooling(t *testing.T) { — tests quench.go\n", "docs/quench-glaze.md:1  # Kilns — tells of QuenchGlaze\n"}
	for prompt, want := range map[string]int{
		"add another limit to QuenchGlaze, like vitrified with errShatter": 1,
		"when is errShatter returned for what vitrified?":                  0,
	} {
		req := request(prompt, 4000)
		req.Fill = retrieve.Relevant
		b := made(t, req, src)
		for _, p := range pointers {
			if strings.Count(b.Text, p) != want {
				t.Errorf("%q: %d of %q in\n%s", prompt, strings.Count(b.Text, p), p, b.Text)
			}
		}
		if n := strings.Count(b.Text, "tests quench.go"); n != want {
			t.Errorf("%q: %d tests are pointed at in\n%s", prompt, n, b.Text)
		}
	}
}

// TestCompanionsAreKept checks that neither a companion nor a user is pointed at that the request
// leaves out.
func TestCompanionsAreKept(t *testing.T) {
	src := sources(newWorkspace(t, kilnFiles()).index())
	req := request("add another limit to QuenchGlaze, like vitrified with errShatter", 4000)
	req.Fill = retrieve.Relevant
	req.Keep = func(path, _ string) bool { return path == "kiln/quench.go" }
	b := made(t, req, src)
	for _, it := range b.Items {
		if it.Path != "" && it.Path != "kiln/quench.go" {
			t.Errorf("%s is in the bundle", it.Path)
		}
	}
	if !strings.Contains(b.Text, "QuenchGlaze") {
		t.Errorf("the place is not shown:\n%s", b.Text)
	}
}

// TestPricesAreTold checks that each passage has a probability above its price where one line of it
// was chosen, and that what is not probable enough says how much it needed.
func TestPricesAreTold(t *testing.T) {
	req := request("when is errShatter returned for what vitrified?", 4000)
	req.Fill = retrieve.Relevant
	b := made(t, req, sources(newWorkspace(t, kilnFiles()).index()))
	told := 0
	for _, it := range b.Items {
		if it.Path == "" || it.Format != "lines" {
			continue
		}
		best := item.Passage{}
		for _, p := range it.Passages {
			if p.Price <= 0 && p.Score > 0 || p.Score < 0 || p.Score > 1 {
				t.Errorf("%s: a passage %+v", it.Path, p)
			}
			if p.Score > best.Score {
				best = p
			}
		}
		if best.Score == 0 {
			t.Errorf("%s: no passage has a probability: %+v", it.Path, it.Passages)
		}
		told++
	}
	if told == 0 {
		t.Errorf("nothing is shown in lines:\n%s", b.Text)
	}
	for _, d := range b.Dropped {
		if d.Reason == item.BelowThreshold && d.Path != "" && d.Needed <= d.Score {
			t.Errorf("%s needed %v and had %v", d.Path, d.Needed, d.Score)
		}
	}
}
