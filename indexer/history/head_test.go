package history

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHead(t *testing.T) {
	cases := []struct {
		name  string
		shape func(r repo)
	}{
		{"loose branch", func(repo) {}},
		{"packed", func(r repo) { r.git("pack-refs", "--all", "--prune") }},
		{"packed, then moved on", func(r repo) {
			r.git("pack-refs", "--all", "--prune")
			r.commit("two", "a", "2")
		}},
		{"packed, beside a folder of its name", func(r repo) {
			r.git("checkout", "-q", "-b", "a/b")
			r.git("pack-refs", "--all", "--prune")
			if err := os.MkdirAll(r.sub(".git/refs/heads/a/b/c"), 0o755); err != nil {
				r.Fatal(err)
			}
		}},
		{"detached", func(r repo) { r.git("checkout", "-q", "--detach") }},
		{"branch with slashes", func(r repo) { r.git("checkout", "-q", "-b", "feature/x/ü") }},
		{"symbolic twice", func(r repo) {
			r.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
			r.git("symbolic-ref", "HEAD", "refs/heads/alias")
		}},
		{"HEAD is a link", func(r repo) {
			if err := os.Remove(r.sub(".git/HEAD")); err != nil {
				r.Fatal(err)
			}
			if err := os.Symlink("refs/heads/main", r.sub(".git/HEAD")); err != nil {
				r.Fatal(err)
			}
		}},
		{"HEAD is a link and packed", func(r repo) {
			r.git("pack-refs", "--all", "--prune")
			if err := os.Remove(r.sub(".git/HEAD")); err != nil {
				r.Fatal(err)
			}
			if err := os.Symlink("refs/heads/main", r.sub(".git/HEAD")); err != nil {
				r.Fatal(err)
			}
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := newRepo(t)
			r.commit("one", "a", "1", "sub/b", "1")
			c.shape(r)
			want := r.head()
			if got, err := Head(t.Context(), r.sub("sub")); got != want || err != nil {
				t.Errorf("from a sub-folder: %q, %v", got, err)
			}
			if hashes := mustList(t, r.dir, 9); len(hashes) == 0 || hashes[0] != want {
				t.Errorf("List begins with %q, HEAD is %s", hashes, want)
			}
		})
	}
}

func TestHeadOfLinkedWorkingTree(t *testing.T) {
	r := newRepo(t)
	r.commit("one", "a", "1")
	other := filepath.Join(t.TempDir(), "other")
	r.git("worktree", "add", "-q", "-b", "side", other)
	w := repo{t, other}
	side := w.commit("two", "sub/b", "2")
	if w.head() != side || r.head() == side {
		t.Error("the working trees have one HEAD")
	}
	gitDir, commonDir, ok := GitDirs(filepath.Join(other, "sub"))
	if !ok || gitDir != r.sub(".git/worktrees/other") || commonDir != r.sub(".git") {
		t.Errorf("GitDirs %q %q %v", gitDir, commonDir, ok)
	}
	if hashes := mustList(t, filepath.Join(other, "sub"), 9); len(hashes) != 1 || hashes[0] != side {
		t.Errorf("List %q", hashes)
	}
	w.git("pack-refs", "--all", "--prune")
	w.head()
}

func TestSubmodule(t *testing.T) {
	inner, r := newRepo(t), newRepo(t)
	inner.commit("inner", "in.go", "1")
	r.commit("one", "a", "1")
	r.git("submodule", "--quiet", "add", inner.dir, "mod")
	top := r.commit("adds a submodule")
	m := repo{t, r.sub("mod")}
	if got, err := Head(t.Context(), m.dir); err != nil || got != inner.head() {
		t.Errorf("HEAD %q %v", got, err)
	}
	if files := mustLoad(t, r.dir, top)[0].Files; strings.Join(files, " ") != ".gitmodules" {
		t.Errorf("a submodule is no file: %q", files)
	}
	if commits := mustLoad(t, m.dir, mustList(t, m.dir, 9)...); len(commits) != 1 || commits[0].Files[0] != "in.go" {
		t.Errorf("%+v", commits)
	}
}

func TestNoCommitYet(t *testing.T) {
	r := newRepo(t)
	cases := map[string]string{
		"unborn branch":   r.dir,
		"no repository":   t.TempDir(),
		"no such folder":  filepath.Join(t.TempDir(), "no"),
		"broken link":     t.TempDir(),
		"empty .git":      t.TempDir(),
		".git to nowhere": t.TempDir(),
		"bare in disguise": func() string {
			dir := t.TempDir()
			r.git("init", "-q", "--bare", dir)
			return dir
		}(),
	}
	for name, text := range map[string]string{"broken link": "gitdir: /nowhere/at/all\n", ".git to nowhere": "no such line\n"} {
		if err := os.WriteFile(filepath.Join(cases[name], ".git"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(cases["empty .git"], ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, root := range cases {
		t.Run(name, func(t *testing.T) {
			if got, err := Head(t.Context(), root); got != "" || err != nil {
				t.Errorf("Head %q, %v", got, err)
			}
			if hashes := mustList(t, root, 9); len(hashes) != 0 {
				t.Errorf("List %q", hashes)
			}
			if commits := mustLoad(t, root, strings.Repeat("1", 40)); len(commits) != 0 {
				t.Errorf("Load %+v", commits)
			}
		})
	}
}

func TestHeadIsDamaged(t *testing.T) {
	for _, text := range []string{"", "nonsense", "ref: ../../../etc/passwd", "ref: refs/heads/../../config", "ref: refs/heads/loop"} {
		r := newRepo(t)
		r.commit("one", "a", "1")
		if err := os.WriteFile(r.sub(".git/refs/heads/loop"), []byte("ref: refs/heads/loop\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r.sub(".git/HEAD"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := Head(t.Context(), r.dir); got != "" || (err == nil) != (text == "") {
			t.Errorf("%q: Head %q, %v", text, got, err)
		}
	}
}
