package history

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repo is a small repository that a test builds with the git command.
type repo struct {
	*testing.T
	dir string
}

func newRepo(t *testing.T, initArgs ...string) repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := repo{t, dir}
	r.git(append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	return r
}

// git runs git on this repository as a person would, without the person's configuration.
func (r repo) git(args ...string) string {
	r.Helper()
	fixed := []string{"-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false",
		"-c", "protocol.file.allow=always"}
	cmd := exec.Command("git", append(fixed, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes the files (name, text, …) and commits all; it returns the hash.
func (r repo) commit(message string, files ...string) string {
	r.Helper()
	for i := 0; i+1 < len(files); i += 2 {
		file := filepath.Join(r.dir, files[i])
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			r.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(files[i+1]), 0o644); err != nil {
			r.Fatal(err)
		}
	}
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

func (r repo) sub(name string) string { return filepath.Join(r.dir, name) }

// head calls Head, which must not fail and must agree with git.
func (r repo) head() string {
	r.Helper()
	got, err := Head(r.Context(), r.dir)
	if err != nil {
		r.Fatal(err)
	}
	if want := r.git("rev-parse", "HEAD"); got != want {
		r.Fatalf("HEAD is %q, git says %q", got, want)
	}
	return got
}

// mustList calls List, which must not fail.
func mustList(t *testing.T, root string, limit int) []string {
	t.Helper()
	got, err := List(context.Background(), root, limit)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// load calls Load and collects the commits.
func load(root string, hashes []string) ([]Commit, error) {
	var commits []Commit
	err := Load(context.Background(), root, hashes, func(c Commit) error {
		commits = append(commits, c)
		return nil
	})
	return commits, err
}

// mustLoad calls load, which must not fail.
func mustLoad(t *testing.T, root string, hashes ...string) []Commit {
	t.Helper()
	commits, err := load(root, hashes)
	if err != nil {
		t.Fatal(err)
	}
	return commits
}
