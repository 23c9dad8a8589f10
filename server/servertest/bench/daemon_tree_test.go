//go:build linux

package bench

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// grown is a repository of made-up files in several languages, with bursts of every kind of change.
// Each file has a unique word, which shows what of it is searchable. It is for one goroutine at a
// time.
type grown struct {
	*tree
	rand    *rand.Rand
	talk    *speaker
	words   map[string]string // of each existing file, by its path
	gone    []string          // words that no file contains any more
	branch  []string          // files that differ between the branches; nothing else changes them
	changed bool              // the branch that is checked out
	bursts  int
	files   int // files made so far
}

// grow makes a repository of n files, two fifths of which differ on the branch `changed`.
func grow(root string, n int) (*grown, error) {
	g := &grown{tree: &tree{root: root}, rand: rand.New(rand.NewPCG(5, 20)), talk: newSpeaker(5), words: map[string]string{}}
	for i := range n {
		folder := "area"
		if i%5 < 2 {
			folder = "branch"
		}
		file, err := g.create(folder)
		if err != nil {
			return nil, err
		}
		if folder == "branch" {
			g.branch = append(g.branch, file)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "all"}, {"checkout", "-q", "-b", "changed"}} {
		if err := g.git(args...); err != nil {
			return nil, err
		}
	}
	for _, file := range g.branch {
		if err := g.addWord(file, g.words[file]+"changed"); err != nil {
			return nil, err
		}
	}
	for _, args := range [][]string{{"commit", "-q", "-a", "-m", "changed"}, {"checkout", "-q", "main"}} {
		if err := g.git(args...); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// languages have a comment, a definition and a use; %[1]s is a name, %[2]s the comment's text.
var languages = []struct{ ext, head, unit string }{
	{".go", "package made\n\n", "// %[1]s %[2]s\nfunc %[1]s(n int) int {\n\tif n == 0 {\n\t\treturn 1\n\t}\n\treturn n * 2\n}\n\n"},
	{".py", "import os\n\n", "def %[1]s(n):\n    \"\"\"%[2]s\"\"\"\n    return os.path.join(str(n), \"%[1]s\")\n\n\n"},
	{".ts", "", "/** %[2]s */\nexport function %[1]s(n: number): number {\n  return n === 0 ? 1 : n * 2;\n}\n\n"},
	{".java", "package made;\n\n", "/** %[2]s */\nclass %[1]s {\n    int apply(int n) {\n        return n == 0 ? 1 : n * 2;\n    }\n}\n\n"},
	{".rs", "", "/// %[2]s\npub fn %[1]s(n: u64) -> u64 {\n    if n == 0 { 1 } else { n * 2 }\n}\n\n"},
	{".c", "#include <stdlib.h>\n\n", "/* %[2]s */\nint %[1]s(int n) {\n    return n == 0 ? 1 : n * 2;\n}\n\n"},
	{".rb", "", "# %[2]s\ndef %[1]s(n)\n  n.zero? ? 1 : n * 2\nend\n\n"},
	{".md", "# Notes\n\n", "## %[1]s\n\n%[2]s\n\n"},
}

// create makes a file below a folder.
func (g *grown) create(folder string) (file string, err error) {
	g.files++
	language := languages[g.rand.IntN(len(languages))]
	file = fmt.Sprintf("%s/part%02d/%s%d%s", folder, g.rand.IntN(40), g.talk.rare(), g.files, language.ext)
	return file, g.write(file)
}

// write gives a file a new text with a new word.
func (g *grown) write(file string) error {
	var b strings.Builder
	for _, language := range languages {
		if language.ext != path.Ext(file) {
			continue
		}
		b.WriteString(language.head)
		word := g.word()
		if old, ok := g.words[file]; ok {
			g.gone = append(g.gone, old)
		}
		g.words[file] = word
		fmt.Fprintf(&b, language.unit, word, g.talk.sentence("."))
		for range 3 + g.rand.IntN(8) {
			name := g.talk.rare() + "Of" + g.talk.rare()
			fmt.Fprintf(&b, language.unit, name, g.talk.text(2, "."))
		}
	}
	name := g.path(file)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(b.String()), 0o644)
}

// some picks n of the files that are equal on both branches.
func (g *grown) some(n int) []string {
	var all []string
	for file := range g.words {
		if strings.HasPrefix(file, "area") {
			all = append(all, file)
		}
	}
	slices.Sort(all)
	g.rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// burst changes about n files at once: in turn it edits files; makes, deletes and renames files;
// and switches the branch.
func (g *grown) burst(n int) (what string, err error) {
	g.bursts++
	switch g.bursts % 3 {
	case 1:
		for _, file := range g.some(n) {
			if err := g.write(file); err != nil {
				return "", err
			}
		}
		return "edited", nil
	case 2:
		return "made, deleted and renamed", g.shuffle(n / 3)
	}
	to := "changed"
	if g.changed {
		to = "main"
	}
	g.changed = !g.changed
	return "branch " + to, g.git("checkout", "-q", to)
}

// shuffle makes, deletes and renames n files each; a file is renamed with its folder if possible.
func (g *grown) shuffle(n int) error {
	for range n {
		if _, err := g.create("area"); err != nil {
			return err
		}
	}
	for _, file := range g.some(n) {
		if err := os.Remove(g.path(file)); err != nil {
			return err
		}
		g.gone = append(g.gone, g.words[file])
		delete(g.words, file)
	}
	for renamed := 0; renamed < n; {
		files := g.some(1)
		if len(files) == 0 {
			return nil
		}
		from := path.Dir(files[0])
		to := fmt.Sprintf("area/moved%d", g.files)
		g.files++
		if err := os.Rename(g.path(from), g.path(to)); err != nil {
			return err
		}
		for file, word := range g.words {
			if path.Dir(file) == from {
				delete(g.words, file)
				g.words[to+"/"+path.Base(file)] = word
				renamed++
			}
		}
	}
	return nil
}

// verify searches through a client for words that files contain and for some that no file contains
// any more.
func (g *grown) verify(c *client, n int) error {
	var files []string
	for file := range g.words {
		files = append(files, file)
	}
	slices.Sort(files)
	g.rand.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	for _, file := range files[:min(n, len(files))] {
		if ok, err := c.finds(g.words[file], file); err != nil || !ok {
			return errors.Join(err, fmt.Errorf("%s is not found by its word %s", file, g.words[file]))
		}
	}
	for _, file := range g.branch[:min(n, len(g.branch))] {
		if ok, err := c.finds(g.words[file]+"changed", file); err != nil || ok != g.changed {
			return errors.Join(err, fmt.Errorf("%s is found by the other branch's word, or not by its own", file))
		}
	}
	g.rand.Shuffle(len(g.gone), func(i, j int) { g.gone[i], g.gone[j] = g.gone[j], g.gone[i] })
	for _, word := range g.gone[:min(n, len(g.gone))] {
		hits, err := c.search(word, "lexical", 5)
		if err != nil || len(hits) > 0 {
			return errors.Join(err, fmt.Errorf("%s stands nowhere and is found in %v", word, hits))
		}
	}
	return nil
}

func TestGrownKnowsItsFiles(t *testing.T) {
	g, err := grow(t.TempDir(), 60)
	if err != nil {
		t.Fatal(err)
	}
	for range 7 {
		if _, err := g.burst(20); err != nil {
			t.Fatal(err)
		}
		for file, word := range g.words {
			text, err := os.ReadFile(g.path(file))
			if err != nil || !strings.Contains(string(text), word) {
				t.Fatalf("%s: %v, and no %s in it", file, err, word)
			}
			if other := strings.Contains(string(text), word+"changed"); other != (g.changed && slices.Contains(g.branch, file)) {
				t.Fatalf("%s: of the other branch: %t", file, other)
			}
		}
	}
	if len(g.gone) == 0 || len(g.words) < 40 {
		t.Errorf("%d files, %d words gone", len(g.words), len(g.gone))
	}
}
