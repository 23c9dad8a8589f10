package source

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hard are the cases that ignore libraries get wrong. Each is compared with git and with the list
// of files (folders end in a slash) that are ignored.
var hard = []struct {
	name    string
	rules   map[string]string
	paths   string
	ignored string
}{
	{"a parent's exclusion is final", map[string]string{".gitignore": "/d/\n!/d/keep\n"}, "d/keep d/x", "d/ d/keep d/x"},
	{"contents excluded, one brought back", map[string]string{".gitignore": "/d/*\n!/d/keep\n"}, "d/keep d/x d/e/y", "d/x d/e/ d/e/y"},
	{"whitelist", map[string]string{".gitignore": "*\n!*/\n!*.go\n"}, "a.go b/c.go b/d.txt e", "b/d.txt e"},
	{"deeper file wins", map[string]string{".gitignore": "*.log\n", "d/.gitignore": "!*.log\n"}, "a.log d/a.log d/e/a.log", "a.log"},
	{"later line wins", map[string]string{".gitignore": "!a\na\nb\n!b\n"}, "a b", "a"},
	{"anchored by a slash inside", map[string]string{".gitignore": "d/f\n"}, "d/f e/d/f", "d/f"},
	{"anchored by a slash in front", map[string]string{".gitignore": "/f\n"}, "f d/f", "f"},
	{"not anchored by a slash behind", map[string]string{".gitignore": "f/\n"}, "f/x d/f/y e/f", "f/ f/x d/f/ d/f/y"},
	{"anchor of a nested file", map[string]string{"d/.gitignore": "/f\ne/g\n"}, "f d/f d/e/f d/e/g e/g", "d/f d/e/g"},
	{"folder pattern and a link to a folder", map[string]string{".gitignore": "l/\n"}, "d/x l@d", ""},
	{"link by name", map[string]string{".gitignore": "l\n"}, "d/x l@d", "l"},
	{"leading two stars", map[string]string{".gitignore": "**/f/g\n"}, "f/g d/f/g d/e/f/g f/h/g", "f/g d/f/g d/e/f/g"},
	{"trailing two stars", map[string]string{".gitignore": "d/**\n"}, "d/x d/e/y f/d/x", "d/x d/e/ d/e/y"},
	{"inner two stars", map[string]string{".gitignore": "a/**/b\n"}, "a/b a/x/b a/x/y/b ab a/xb", "a/b a/x/b a/x/y/b"},
	// Git cuts the literal start off before it searches for "**", so a**/b is a/**/b.
	{"two stars that are not a segment", map[string]string{".gitignore": "a**/b\nc/**d\n"}, "a/b ax/b a/x/b c/d c/xd c/x/d", "a/b ax/b a/x/b c/d c/xd"},
	{"two stars after a literal start", map[string]string{".gitignore": "x/a**/b\n"}, "x/a/c/b x/a/b", "x/a/b x/a/c/b"},
	{"star stops at a slash", map[string]string{".gitignore": "d/*.c\n"}, "d/a.c d/e/a.c", "d/a.c"},
	{"star matches a leading dot", map[string]string{".gitignore": "*rc\n"}, ".bashrc rc", ".bashrc rc"},
	{"question mark is one byte", map[string]string{".gitignore": "a?b\nd?e\n"}, "axb ab aéb d/e", "axb"},
	{"classes", map[string]string{".gitignore": "[a-c]1\n[!a-c]2\n[^x]3\n[]]4\n[a\\]]5\n"}, "a1 d1 a2 d2 x3 y3 ]4 a4 ]5 a5", "a1 d2 y3 ]4 a5 ]5"},
	{"named classes", map[string]string{".gitignore": "[[:alpha:]]1\n[[:space:][:digit:]]2\n[[:nope:]]3\n[[:upper:]-]4\n"}, "a1 11 32 a2 n3 A4 -4 a4", "a1 32 A4 -4"},
	{"class never matches a slash", map[string]string{".gitignore": "a[/x]b\na[!q]c\n"}, "a/b axb a/c", "axb"},
	{"open class matches nothing", map[string]string{".gitignore": "[ab\n[z-\n"}, "[ab a b", ""},
	{"escapes", map[string]string{".gitignore": "\\#a\n\\!b\n\\*c\nd\\e\nf\\\n"}, "#a !b *c xc de f", "!b #a *c de"},
	{"comment and blank lines", map[string]string{".gitignore": "#a\n\n  \n b\n"}, "#a a b", ""},
	{"trailing blanks", map[string]string{".gitignore": "a   \nb\\ \nc \\ \nd\t\n"}, "a d", "a"},
	{"carriage returns", map[string]string{".gitignore": "a\r\n/d/\r\n*.o\r\n"}, "a d/x y.o b", "a d/ d/x y.o"},
	{"carriage return inside stays", map[string]string{".gitignore": "a\r \nb\n"}, "a b", "b"},
	{"byte order mark", map[string]string{".gitignore": "\ufeffa\n"}, "a b", "a"},
	{"no newline at the end", map[string]string{".gitignore": "a\nb"}, "a b", "a b"},
	{"lone marks", map[string]string{".gitignore": "/\n!\n//\n!/\n"}, "a d/b", ""},
	{"everything", map[string]string{".gitignore": "*\n"}, "a d/b", "a d/ d/b"},
	{"everything at the top", map[string]string{".gitignore": "/*\n!/d\n"}, "a d/b", "a"},
	{"bytes beyond ASCII", map[string]string{".gitignore": "é\n*ß\n[é]x\n"}, "é aß éx", "aß é"},
	{"double slash matches nothing", map[string]string{".gitignore": "d//f\nd//\n"}, "d/f", ""},
	{"dot segments match nothing", map[string]string{".gitignore": "./a\nd/../b\n"}, "a b d/x", ""},
	{"rule file in an excluded folder is not read", map[string]string{".gitignore": "d/\n", "d/.gitignore": "!f\n!/\n"}, "d/f", "d/ d/f"},
	{"exclude file below rule files", map[string]string{".git/info/exclude": "*.o\n!k.c\n", ".gitignore": "!a.o\nk.c\n"}, "a.o b.o k.c", "b.o k.c"},
	{"negation of a folder only", map[string]string{".gitignore": "x*\n!xd/\n"}, "xd/f xf", "xf"},
	{"rules ignore themselves", map[string]string{".gitignore": ".*\n!.gitignore\n"}, ".a b", ".a"},
	{"many stars", map[string]string{".gitignore": "*a*a*a*a*a*a*a*a*a*b\n"}, strings.Repeat("a", 200) + " " + strings.Repeat("a", 30) + "b", strings.Repeat("a", 30) + "b"},
	{"star before an escaped slash", map[string]string{".gitignore": "a/**\\/c\nd/*\\/e\n"}, "a/b/c a/c d/x/e", "a/b/c d/x/e"},
}

func TestHardCases(t *testing.T) {
	for _, c := range hard {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, bareGit)
			for _, path := range strings.Fields(c.paths) {
				if name, target, isLink := strings.Cut(path, "@"); isLink {
					if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
						t.Fatal(err)
					}
					continue
				}
				write(t, dir, map[string]string{path: ""})
			}
			write(t, dir, c.rules)
			tree := open(t, Options{Root: dir})
			compare(t, tree.Root(), tree)
			if got := ignoredBy(t, tree); !slices.Equal(got, sorted(c.ignored)) {
				t.Errorf("ignored %q, want %q", got, sorted(c.ignored))
			}
		})
	}
}

func sorted(words string) []string { return slices.Sorted(slices.Values(strings.Fields(words))) }

// ignoredBy lists everything that Git's rules exclude, except the rule files themselves.
func ignoredBy(t *testing.T, tree *Tree) []string {
	t.Helper()
	r := tree.rules.Load()
	var out []string
	var visit func(dir string)
	visit = func(dir string) {
		for _, name := range tree.root.names(dir) {
			rel := join(dir, name)
			st, err := tree.root.lstat(rel)
			if err != nil {
				t.Fatal(err)
			}
			if name == ".git" || name == ".gitignore" {
				continue
			}
			mark := ""
			if st.isDir() {
				mark = "/"
				visit(rel)
			}
			if r.verdict(rel, st.isDir()).reason == Ignored {
				out = append(out, rel+mark)
			}
		}
	}
	visit("")
	slices.Sort(out)
	return out
}

// The same rules apply without a repository.
func TestWithoutGit(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{".gitignore": "*.log\n", "d/.gitignore": "/x\n", "a.log": "", "b.txt": "", "d/x": "", "d/e/x": ""})
	home := t.TempDir()
	write(t, home, map[string]string{".config/git/ignore": "b.*\n"})
	tree := open(t, Options{Root: dir, Home: home})
	if got, want := ignoredBy(t, tree), sorted("a.log b.txt d/x"); !slices.Equal(got, want) {
		t.Errorf("ignored %q, want %q", got, want)
	}
}

func TestLinkedWorkTree(t *testing.T) {
	base, home := t.TempDir(), t.TempDir()
	isolate(t)
	main, linked := filepath.Join(base, "main"), filepath.Join(base, "linked")
	write(t, main, map[string]string{"a": ""})
	git(t, main, home, "init", "-q")
	git(t, main, home, "commit", "-q", "--allow-empty", "-m", "x")
	git(t, main, home, "worktree", "add", "-q", linked)
	write(t, main, map[string]string{".git/info/exclude": "*.o\n"})
	write(t, linked, map[string]string{"x.o": "", "y.c": ""})
	tree := open(t, Options{Root: linked, Home: home})
	compare(t, tree.Root(), tree)
	d := tree.Decide("x.o")
	if d.Reason != Ignored || d.Rule.Source != filepath.Join(main, ".git/info/exclude") || d.Rule.Line != 1 {
		t.Errorf("x.o: %+v %+v", d, d.Rule)
	}
	if !tree.RulesFile(filepath.Join(main, ".git/info/exclude")) {
		t.Error("the common exclude file is a rule file")
	}
	if d := tree.Decide(".git"); d.Indexed {
		t.Error("the pointer file .git must not be indexed")
	}
}

func TestSubmodule(t *testing.T) {
	base, home := t.TempDir(), t.TempDir()
	isolate(t)
	lib, main := filepath.Join(base, "lib"), filepath.Join(base, "main")
	write(t, lib, map[string]string{"l.c": "int l;\n", "build/gen.sh": "x\n", "build/notes": "y\n"})
	for _, dir := range []string{lib, main} {
		write(t, dir, map[string]string{"f.c": "int f;\n"})
		git(t, dir, home, "init", "-q")
		git(t, dir, home, "add", ".")
		git(t, dir, home, "commit", "-q", "-m", "x")
	}
	git(t, main, home, "submodule", "--quiet", "add", lib, "sub")
	write(t, main, map[string]string{".git/modules/sub/info/exclude": "*.tmp\n", "sub/a.tmp": "", "b.tmp": "x\n", ".gitignore": "*.bak\n", "sub/c.bak": ""})

	tree := open(t, Options{Root: main, Home: home})
	files, skipped := walkAll(t, tree)
	for _, want := range []string{"sub/l.c", "sub/build/notes", "b.tmp", "f.c"} {
		if !slices.Contains(files, want) {
			t.Errorf("%s is not indexed; files %q", want, files)
		}
	}
	for path, want := range map[string]Reason{"sub/a.tmp": Ignored, "sub/c.bak": Ignored, "sub/.git": Vendored, ".git/": Vendored} {
		if skipped[path] != want {
			t.Errorf("%s: %q, want %q", path, skipped[path], want)
		}
	}
	// The submodule as a root uses its own exclude file.
	sub := open(t, Options{Root: filepath.Join(main, "sub"), Home: home})
	compare(t, sub.Root(), sub)
}

func TestRootBelowItsRepository(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, bareGit)
	write(t, dir, map[string]string{
		".gitignore": "*.log\n/p/q/gen\n/scratch/\n", "p/.gitignore": "q/*.tmp\n!q/k.tmp\n",
		"p/q/a.log": "", "p/q/b.tmp": "", "p/q/k.tmp": "", "p/q/gen/x": "", "p/q/c.go": "", "scratch/a.log": "", "scratch/b": "",
	})
	tree := open(t, Options{Root: filepath.Join(dir, "p/q")})
	compare(t, filepath.Dir(filepath.Dir(tree.Root())), tree)
	if got, want := ignoredBy(t, tree), sorted("a.log b.tmp gen/ gen/x"); !slices.Equal(got, want) {
		t.Errorf("ignored %q, want %q", got, want)
	}
	d := tree.Decide("b.tmp")
	if d.Rule == nil || d.Rule.Source != filepath.Join(filepath.Dir(tree.Root()), ".gitignore") {
		t.Errorf("b.tmp: %+v", d.Rule)
	}
	if !tree.RulesFile(d.Rule.Source) || !slices.Contains(tree.RulesFiles(), d.Rule.Source) {
		t.Error("a rule file above the root is one")
	}
	// A root that its repository ignores was still chosen by the person.
	scratch := open(t, Options{Root: filepath.Join(dir, "scratch")})
	if files, _ := walkAll(t, scratch); !slices.Equal(files, sorted("a.log b")) {
		t.Errorf("ignored root: files %q", files)
	}
}

func TestGlobalIgnoreOption(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	write(t, dir, map[string]string{"a.x": "", "b.y": ""})
	write(t, home, map[string]string{"mine": "*.x\n", ".config/git/ignore": "*.y\n"})
	tree := open(t, Options{Root: dir, Home: home, GlobalIgnore: filepath.Join(home, "mine")})
	if got := ignoredBy(t, tree); !slices.Equal(got, []string{"a.x"}) {
		t.Errorf("ignored %q", got)
	}
	if d := tree.Decide("a.x"); d.Rule == nil || d.Rule.Source != filepath.Join(home, "mine") || d.Rule.Line != 1 {
		t.Errorf("a.x: %+v", d.Rule)
	}
}

// Git reads no .gitignore through a link.
func TestLinkedRuleFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, bareGit)
	write(t, dir, map[string]string{"rules": "a\n", "a": "", "d/a": ""})
	if err := os.Symlink("rules", filepath.Join(dir, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	tree := open(t, Options{Root: dir})
	compare(t, tree.Root(), tree)
}
