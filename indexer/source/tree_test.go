package source

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// write creates files under dir; a name that ends in a slash is a folder.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// bareGit returns what Git takes for a repository, without the cost of git init.
var bareGit = map[string]string{
	".git/HEAD": "ref: refs/heads/main\n", ".git/objects/": "", ".git/refs/": "",
	".git/config": "[core]\n\trepositoryformatversion = 0\n",
}

// open opens a root with a home folder without configuration.
func open(t testing.TB, opts Options) *Tree {
	t.Helper()
	isolate(t)
	if opts.Home == "" {
		opts.Home = t.TempDir()
	}
	tree, err := Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// isolate excludes the machine's own Git configuration.
func isolate(t testing.TB) {
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("XDG_CONFIG_HOME", "")
}

// walkAll returns the paths of a walk and the reasons of the others.
func walkAll(t testing.TB, tree *Tree) (files []string, skipped map[string]Reason) {
	t.Helper()
	skipped = map[string]Reason{}
	err := tree.Walk(context.Background(),
		func(e Entry) error { files = append(files, e.Path); return nil },
		func(path string, dir bool, r Reason) {
			if dir {
				path += "/"
			}
			skipped[path] = r
		})
	if err != nil {
		t.Fatal(err)
	}
	return files, skipped
}

// git runs the git program and fails the test if that fails.
func git(t testing.TB, dir, home string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	cmd.Env = gitEnvironment(home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// checkIgnore asks git which rule decides about each path; nil if none does.
func checkIgnore(t testing.TB, dir, home string, paths []string) []*Rule {
	t.Helper()
	cmd := exec.Command("git", "check-ignore", "--stdin", "-z", "-v", "-n", "--no-index")
	cmd.Dir = dir
	cmd.Env = gitEnvironment(home)
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
		t.Fatalf("git check-ignore in %s: %v\n%s", dir, err, stderr.String())
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(fields) != 4*len(paths) {
		t.Fatalf("git check-ignore answered %d fields for %d paths", len(fields), len(paths))
	}
	rules := make([]*Rule, len(paths))
	for i := range paths {
		f := fields[4*i : 4*i+4]
		if f[0] == "" {
			continue
		}
		line, err := strconv.Atoi(f[1])
		if err != nil {
			t.Fatal(err)
		}
		rules[i] = &Rule{Source: f[0], Line: line, Pattern: f[2]}
	}
	return rules
}
