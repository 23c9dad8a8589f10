package server_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// committed makes a Git repository of files with one commit, and returns the function that runs
// Git in it.
func committed(t *testing.T, files map[string]string) (root string, git func(args ...string)) {
	t.Helper()
	root = servertest.Tree(t, files)
	git = func(args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), "git", append([]string{"-C", root, "-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"}, args...)...)
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "begin")
	return root, git
}

// pointers formats places of an answer: path, line from 1 and reason.
func pointers(list []command.ImpactPlace) string {
	var out []string
	for _, p := range list {
		at := p.Path
		if p.Range != nil {
			at += fmt.Sprintf(":%d", p.Range.Start.Line+1)
		}
		out = append(out, at+" "+p.Why)
	}
	return strings.Join(out, "; ")
}

// TestImpact checks the answer about the working tree, with texts that are only in the editor, and
// about commits.
func TestImpact(t *testing.T) {
	root, git := committed(t, shapes)
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	ask[command.RememberResult](t, e, "contexture.remember", args{"kind": "rule", "text": "pool/pool.go never blocks for longer than a second."})
	ask[command.RememberResult](t, e, "contexture.remember", args{"kind": "decision", "text": "We decided that lock.go stays as small as it is."})

	got := ask[command.ImpactResult](t, e, "contexture.impact", args{})
	if len(got.Files) > 0 || got.From == "" || got.To != "" || len(got.Tests) > 0 {
		t.Fatalf("nothing changed: %+v", got)
	}
	pool := filepath.Join(root, "pool", "pool.go")
	e.Open(servertest.URI(pool), strings.Replace(shapes["pool/pool.go"], "return p.take()", "return p.take() + 1", 1))
	got = ask[command.ImpactResult](t, e, "contexture.impact", args{"deadlineMs": 20_000})
	if len(got.Files) != 1 || got.Files[0] != (command.ImpactFile{Path: "pool/pool.go", Change: "changed"}) {
		t.Errorf("files: %+v", got.Files)
	}
	if text := pointers(got.Definitions); text != "pool/pool.go:13 changed" || got.Definitions[0].Name != "Pool.Acquire" || got.Definitions[0].Kind != "method" {
		t.Errorf("definitions: %s", text)
	}
	if text := pointers(got.Callers); !strings.Contains(text, "pool/pool.go:26 calls Acquire") || !strings.Contains(text, "main.go:5 calls Acquire") || strings.Contains(text, "_test.go") || strings.Contains(text, "lock.go") {
		t.Errorf("callers: %s", text)
	}
	if text := pointers(got.Tests); !strings.HasPrefix(text, "main_test.go:3 ") {
		t.Errorf("tests: %s", text)
	}
	if len(got.Statements) != 1 || got.Statements[0].Path != "pool/pool.go" || got.Statements[0].Kind != "rule" {
		t.Errorf("statements: %+v", got.Statements)
	}

	servertest.WriteFile(t, filepath.Join(root, "lock", "lock.go"), strings.Replace(shapes["lock/lock.go"], "return true", "return false", 1))
	git("add", "-A")
	git("commit", "-q", "-m", "lock")
	e.Eventually("the commit is indexed", func() bool {
		got = ask[command.ImpactResult](t, e, "contexture.impact", args{"revision": "HEAD", "deadlineMs": 20_000})
		return strings.HasPrefix(pointers(got.Callers), "lock/lock.go:9 ")
	})
	if len(got.Files) != 1 || got.Files[0].Path != "lock/lock.go" || got.To == "" || pointers(got.Definitions) != "lock/lock.go:7 changed" {
		t.Errorf("a commit: %+v", got)
	}
	if len(got.Statements) != 1 || got.Statements[0].Kind != "decision" {
		t.Errorf("statements of a commit: %+v", got.Statements)
	}
	got = ask[command.ImpactResult](t, e, "contexture.impact", args{"revision": "HEAD~1..HEAD", "depth": 1})
	if len(got.Files) != 1 || pointers(got.Definitions) != "lock/lock.go:7 changed" {
		t.Errorf("a range: %+v", got)
	}
	all := ask[command.ImpactResult](t, e, "contexture.impact", args{"revision": "HEAD~1", "limit": 1})
	if len(all.Files) != 1 || all.More.Files == 0 || len(all.Definitions) != 1 || all.More.Definitions == 0 || all.From != "" {
		t.Errorf("the first commit, cut: %+v", all)
	}
}

// TestImpactRefused checks that an answer that cannot be says why.
func TestImpactRefused(t *testing.T) {
	root, _ := committed(t, map[string]string{"a.go": source("alpha")})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	refused(t, e, "contexture.impact", args{"revision": "gone"}, "revision", "")
	refused(t, e, "contexture.impact", args{"revision": "--all"}, "revision", "")
	refused(t, e, "contexture.impact", args{"depth": 5}, "depth", "")
	if err := e.Execute("contexture.impact", args{"revision": "HEAD..gone"}, nil); err == nil || !strings.Contains(err.Error(), `no such commit: "HEAD..gone"`) {
		t.Errorf("an unknown commit: %v", err)
	}
	plain := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, map[string]string{"a.go": source("alpha")})}})
	plain.AwaitIdle()
	refused(t, plain, "contexture.impact", args{}, "", command.DataUnavailable)
	if err := plain.Execute("contexture.impact", args{}, nil); err == nil || !strings.Contains(err.Error(), "Git repository") {
		t.Errorf("without Git: %v", err)
	}
	refused(t, servertest.Start(t, servertest.Options{}), "contexture.impact", args{}, "", command.DataUnavailable)
}

// TestImpactOfExcludedFiles checks that of a file that the rules exclude only the path is known.
func TestImpactOfExcludedFiles(t *testing.T) {
	root, _ := committed(t, map[string]string{"a.go": source("alpha"), "hidden/b.go": source("beta"), ".contextureignore": "hidden\n"})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	got := ask[command.ImpactResult](t, e, "contexture.impact", args{"revision": "HEAD", "deadlineMs": 20_000})
	if len(got.Files) != 3 || got.Files[2].Path != "hidden/b.go" {
		t.Errorf("files: %+v", got.Files)
	}
	if text := pointers(got.Definitions); !strings.Contains(text, "a.go") || strings.Contains(text, "hidden") {
		t.Errorf("definitions: %s", text)
	}
}
