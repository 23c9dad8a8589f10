package source

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLinkedWorktrees checks that a linked work tree is left out where its original is in the
// workspace, and nowhere else.
func TestLinkedWorktrees(t *testing.T) {
	home, top := t.TempDir(), t.TempDir()
	for dir, config := range map[string]string{"lib/.git": "bare = false", "bare/.bare": "bare = true", "p/.git/modules/lib": "worktree = ../../../third/lib"} {
		write(t, top, map[string]string{dir + "/HEAD": "ref: refs/heads/main\n", dir + "/objects/": "", dir + "/refs/": "", dir + "/config": "[core]\n\t" + config + "\n"})
	}
	write(t, top, map[string]string{"p/src/a.go": text})
	git(t, filepath.Join(top, "p"), home, "init", "-q")
	git(t, filepath.Join(top, "p"), home, "add", "src")
	git(t, filepath.Join(top, "p"), home, "commit", "-qm", "x")
	git(t, filepath.Join(top, "p"), home, "worktree", "add", "-q", ".claude/worktrees/feat")
	// What git worktree add and git submodule add write.
	linked := func(repository, dir string) {
		name := filepath.Base(dir)
		gitDir := filepath.Join(top, repository, "worktrees", name)
		write(t, gitDir, map[string]string{"commondir": "../..\n", "HEAD": "ref: refs/heads/" + name + "\n"})
		write(t, filepath.Join(top, dir), map[string]string{".git": "gitdir: " + gitDir + "\n", "src/a.go": text})
	}
	write(t, top, map[string]string{
		"lib/src/a.go": text, "bare/.git": "gitdir: ./.bare\n",
		"p/third/lib/.git": "gitdir: ../../.git/modules/lib\n", "p/third/lib/src/a.go": text,
	})
	linked("p/.git", "p/src/fix")
	linked("p/.git", "p-side")
	linked("p/.git/modules/lib", "p/third/lib-side")
	linked("lib/.git", "p/elsewhere")
	linked("p/.git", "p/moved")
	write(t, top, map[string]string{"p/moved/.git": "gitdir: /another/machine/p/.git/worktrees/moved\n"})
	linked("bare/.bare", "bare/one")
	linked("bare/.bare", "bare/one/wt/two")
	p := filepath.Join(top, "p")

	for _, c := range []struct {
		root    string
		include []string
		want    string // folders that hold src/a.go and are indexed
		left    string // folders that are left out
	}{
		{"p", nil, ". elsewhere third/lib", ".claude/worktrees/feat moved src/fix third/lib-side"},
		{"p", []string{"src/fix"}, ". elsewhere src/fix third/lib", ".claude/worktrees/feat moved third/lib-side"},
		{"p/src", nil, "", "fix"},
		{"p/.claude/worktrees/feat", nil, ".", ""},
		{"p-side", nil, ".", ""},
		{".", nil, "bare/one lib p p/third/lib", "bare/one/wt/two p-side p/.claude/worktrees/feat p/elsewhere p/moved p/src/fix p/third/lib-side"},
		{"bare", nil, "one", "one/wt/two"},
		{"bare/one", nil, ".", "wt/two"},
	} {
		tree := open(t, Options{Root: filepath.Join(top, c.root), Home: home, Include: c.include})
		files, skipped := walkAll(t, tree)
		var got, left []string
		for _, f := range files {
			if dir, ok := strings.CutSuffix("./"+f, "src/a.go"); ok {
				got = append(got, filepath.Clean(dir))
			}
		}
		for _, dir := range strings.Fields(c.left) {
			d := tree.Decide(dir + "/src/a.go")
			if skipped[dir+"/"] != Excluded || d.Reason != Excluded || !strings.Contains(d.Rule.Pattern, "(a linked worktree") || tree.Admit(dir+"/src/new.go") {
				t.Errorf("%s: %s: walked %q, decided %+v", c.root, dir, skipped[dir+"/"], d)
			}
		}
		for dir, reason := range skipped {
			if reason == Excluded {
				left = append(left, dir)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want || len(left) != len(strings.Fields(c.left)) {
			t.Errorf("%s: indexed %q, want %q; left out %q", c.root, got, c.want, left)
		}
	}
	if err := os.Remove(filepath.Join(p, "src/fix/.git")); err != nil {
		t.Fatal(err)
	}
	if files, _ := walkAll(t, open(t, Options{Root: p, Home: home})); !strings.Contains(strings.Join(files, " "), "src/fix/src/a.go") {
		t.Error("a folder that is no work tree any more stays left out")
	}
}
