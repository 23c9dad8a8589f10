package source

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// compare compares the tree's Git rules with git itself, for every path of the repository around it
// and for some that do not exist.
func compare(t *testing.T, top string, tree *Tree) {
	t.Helper()
	r := tree.rules.Load()
	r.plain = true
	defer tree.Reload() // with a Tree's rules beyond Git's
	prefix, ok := below(top, tree.root.path)
	if !ok {
		t.Fatalf("%s is not in %s", tree.root.path, top)
	}
	var paths []string // relative to the tree's root
	var dirs []bool
	err := filepath.WalkDir(tree.root.path, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := below(tree.root.path, path)
		switch {
		case rel == "":
			return nil
		case d.Name() == ".git":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		paths, dirs = append(paths, rel), append(dirs, d.IsDir())
		if d.IsDir() {
			paths, dirs = append(paths, rel+"/absent.o"), append(dirs, false)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	asked := make([]string, len(paths))
	for i := range paths {
		asked[i] = join(prefix, paths[i])
	}
	for i, want := range checkIgnore(t, top, tree.opts.Home, asked) {
		v := r.verdict(paths[i], dirs[i])
		got := v.rule
		if got != nil && !filepath.IsAbs(got.Source) {
			got = &Rule{Source: join(prefix, got.Source), Line: got.Line, Pattern: got.Pattern}
		}
		if got != nil && filepath.IsAbs(got.Source) {
			if rel, ok := below(top, got.Source); ok {
				got = &Rule{Source: rel, Line: got.Line, Pattern: got.Pattern}
			}
		}
		ignored := want != nil && !strings.HasPrefix(want.Pattern, "!")
		if (v.reason == Ignored) != ignored || (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%q (folder %t) in %s:\n  git  %s\n  ours %s, %s", paths[i], dirs[i], top, show(want), show(got), v.reason)
		}
	}
}

func show(r *Rule) string {
	if r == nil {
		return "no rule"
	}
	return fmt.Sprintf("%s:%d:%q", r.Source, r.Line, r.Pattern)
}

// generator makes trees and rule files from few names, so that patterns match.
type generator struct{ *rand.Rand }

func (g generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g generator) name() string {
	return g.pick("a", "b", "ab", "abc", "foo", "Foo", "bar.c", "foo.o", "x.O", "a-b", "a.b", ".h", "x y", "t ", "#c", "!n", "é", "a[b", `b\c`, "a\nb", "\xff", "1", "a]b")
}

func (g generator) segment() string {
	switch g.IntN(12) {
	case 0:
		return g.pick("*", "**", "?", "??", "***", "*?", "?*")
	case 1:
		return g.pick("*.o", "*.c", "*.?", "*o", "*.*", "*.O", "*b", "a*", "f*o", "**b", "a**", "a**b", "*a*")
	case 2:
		return g.pick("[ab]", "[!a]", "[^a]", "[a-c]", "[a-c]*", "[[:alpha:]]", "[[:upper:]]oo", "[[:digit:][:punct:]]*", "[]a]", "[!]a]b", "[a-]", `[\]]`, `[a\-c]`, "[[:space:]]")
	case 3:
		return g.pick("[a", "[[:foo:]]", "[[:alpha:]", `a\`, "[", "[]", "[!]", "[[:]", "[[]*", `[\`, "[a-", "a[[]b")
	case 4:
		return g.pick(`\a`, `\#c`, `\!n`, `\*`, `f\oo`, `\F*`, `b\\c`, `x\ y`, `t\ `, "a[[]b", "a[]]b", "*\xff", "?\x80*", "a?b")
	case 5:
		return strings.Replace(g.name(), "o", "?", 1)
	}
	return g.name()
}

func (g generator) line() string {
	switch g.IntN(20) {
	case 0:
		return g.pick("", "#a", "# comment", " ", "/", "!", "//", "!/", "\t", "**/", "/**", "/*", "!*", "*/", "!*/", `\`, "a//b", "/**/", "**/**")
	}
	n := 1
	if g.IntN(2) == 0 {
		n += g.IntN(3)
	}
	segs := make([]string, n)
	for i := range segs {
		segs[i] = g.segment()
	}
	line := strings.Join(segs, "/")
	if g.IntN(4) == 0 {
		line = "/" + line
	}
	if g.IntN(4) == 0 {
		line = "!" + line
	}
	if g.IntN(4) == 0 {
		line += "/"
	}
	if g.IntN(12) == 0 {
		line += g.pick(" ", "  ", `\ `, `\  `, "\t", " \t", "\r", " \r", "\x00x")
	}
	return line
}

func (g generator) rules() string {
	end := "\n"
	if g.IntN(6) == 0 {
		end = "\r\n"
	}
	var b strings.Builder
	if g.IntN(10) == 0 {
		b.WriteString("\ufeff")
	}
	for range 1 + g.IntN(7) {
		b.WriteString(g.line() + end)
	}
	text := b.String()
	if g.IntN(5) == 0 {
		text = strings.TrimSuffix(text, end)
	}
	return text
}

// fill makes a folder's entries, recursively.
func (g generator) fill(t *testing.T, dir string, depth int) {
	for range 2 + g.IntN(4) {
		path := filepath.Join(dir, g.name())
		var err error
		switch kind := g.IntN(8); {
		case kind < 3 && depth > 0:
			if err = os.Mkdir(path, 0o755); err == nil {
				g.fill(t, path, depth-1)
			}
		case kind == 3:
			err = os.Symlink(g.pick("a", "foo", ".", "nowhere"), path)
		default:
			var f *os.File
			if f, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o644); err == nil {
				f.Close()
			}
		}
		if err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
	if g.IntN(3) == 0 {
		write(t, dir, map[string]string{".gitignore": g.rules()})
	}
}

func TestLikeGit(t *testing.T) {
	isolate(t)
	trees := 250
	if testing.Short() {
		trees = 50
	}
	base := t.TempDir()
	for seed := range uint64(trees) {
		g := generator{rand.New(rand.NewPCG(seed, 1))}
		top := filepath.Join(base, fmt.Sprint(seed))
		home := filepath.Join(base, fmt.Sprint("home", seed))
		write(t, top, bareGit)
		write(t, home, map[string]string{"unused": ""})
		g.fill(t, top, 3)
		write(t, top, map[string]string{".gitignore": g.rules()})
		if g.IntN(3) == 0 {
			write(t, top, map[string]string{".git/info/exclude": g.rules()})
		}
		switch g.IntN(4) {
		case 0:
			write(t, home, map[string]string{".config/git/ignore": g.rules()})
		case 1:
			write(t, home, map[string]string{"my ignore": g.rules(), ".gitconfig": "[core]\n\texcludesFile = \"~/my ignore\"\n"})
		}
		if g.IntN(4) == 0 {
			write(t, top, map[string]string{".git/config": bareGit[".git/config"] + "\tignorecase = true\n"})
		}
		tree, err := Open(Options{Root: top, Home: home})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, tree.Root(), tree)
		compareBelow(t, g, tree, home)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// compareBelow opens a folder inside the repository as a root.
func compareBelow(t *testing.T, g generator, whole *Tree, home string) {
	t.Helper()
	var dirs []string
	err := whole.Folders(context.Background(), func(path string) error {
		if path != "" {
			dirs = append(dirs, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(dirs) == 0 {
		return
	}
	sub, err := Open(Options{Root: filepath.Join(whole.root.path, g.pick(dirs...)), Home: home})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, whole.root.path, sub)
}
