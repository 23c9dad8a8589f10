package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMatches: a repository's comments, names and commits become pairs of words and code.
func TestMatches(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "retry.go")
	write := func(body string) {
		text := "package retry\n\n// waitLonger doubles the pause between attempts.\nfunc waitLonger(pause int) int {\n" + body +
			strings.Repeat("\tpause = stretched(pause, rand.Intn(pause), time.Since(started))\n", 40) + "}\n" // a short one would be joined with others
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	write("\treturn pause + pause\n")
	git("add", ".")
	git("commit", "-qm", "first attempt")
	write("\tif pause > ceiling {\n\t\treturn ceiling\n\t}\n\treturn pause + pause\n")
	git("commit", "-qam", "bound how long anybody waits\n\nSigned-off-by: Someone")
	m, err := matchesOf(filepath.Join(dir, ".git"), "a/b", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	words := func(list []termCount) map[string]bool {
		out := map[string]bool{}
		for _, w := range list {
			out[m.Terms[w.Term]] = true
		}
		return out
	}
	found := map[byte]int{}
	for _, x := range m.Matches {
		asked, code := words(x.Asked), words(x.Found)
		switch found[x.Kind]++; {
		case x.Kind == 'd' && (!asked["attempt"] || code["attempt"] || !code["ceil"]):
			t.Errorf("the comment's pair is %v and %v", asked, code)
		case asked["sign"]:
			t.Errorf("a message has its trailer: %v", asked)
		}
	}
	if found['d'] != 1 || found['n'] == 0 || found['c'] == 0 {
		t.Errorf("%v pairs", found)
	}
}

// TestContrast: words that occur in pairs with the same other words get similar vectors.
func TestContrast(t *testing.T) {
	c := contrast{dims: 16, terms: 100, batch: 16, epochs: 20, rate: .1, heat: .07, calm: 1e-4}
	m := &repositoryPairs{Repo: "a/b"}
	for i := range 64 {
		topic := i % 8
		term := func(side string, n int) termCount {
			m.Terms = append(m.Terms, fmt.Sprintf("%s%d-%d", side, topic, n))
			return termCount{uint32(len(m.Terms) - 1), 2}
		}
		m.Matches = append(m.Matches, match{'d', []termCount{term("said", i/8%2), term("said", 2)}, []termCount{term("code", i/16%2), term("code", 2)}})
	}
	table := newTable([]*repositoryPairs{m, m}, c)
	p := []corpus{table.read(m)}
	r := rand.New(rand.NewPCG(1, 2))
	for e := range c.epochs {
		table.epoch(p, r, c, float64(e)/float64(c.epochs))
	}
	unit := func(term string) []float32 {
		out := make([]float32, c.dims)
		table.embed(out, []termWeight{{table.ids[term], 1}})
		return out
	}
	for topic := range 8 {
		said := unit(fmt.Sprintf("said%d-0", topic))
		near, far := dot(said, unit(fmt.Sprintf("code%d-1", topic))), dot(said, unit(fmt.Sprintf("code%d-1", (topic+3)%8)))
		if near < far+.1 {
			t.Errorf("topic %d: %.2f to its code, %.2f to another's", topic, near, far)
		}
	}
}
