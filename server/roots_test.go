package server_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

func TestTwoRoots(t *testing.T) {
	one := servertest.Tree(t, map[string]string{"a.go": source("inOne")})
	two := servertest.Tree(t, map[string]string{"a.go": source("inTwo")})
	e := servertest.Start(t, servertest.Options{Roots: []string{one, two}})
	e.AwaitIdle()
	for _, st := range e.State().Statuses {
		if st.Workspace != servertest.URI(one) && st.Workspace != servertest.URI(two) || st.Files > 1 {
			t.Errorf("told of no root, or of both: %+v", st)
		}
	}
	for _, root := range []string{one, two} {
		var st servertest.Status
		e.MustExecute("contexture.index.status", map[string]any{"workspace": servertest.URI(root) + "/"}, &st)
		if st.Workspace != servertest.URI(root) {
			t.Errorf("the status names %q, want %q", st.Workspace, servertest.URI(root))
		}
	}
	for _, name := range []string{"contexture.index.status", "contexture.index.rebuild"} {
		var got *servertest.Error
		if err := e.Execute(name, nil, nil); !errors.As(err, &got) || got.Code != command.CodeInvalidParams || got.Data.Field != "workspace" {
			t.Errorf("%s without a workspace answers %v", name, err)
		}
	}
	var got *servertest.Error
	if err := e.Execute("contexture.search", map[string]any{"query": "x"}, nil); !errors.As(err, &got) || got.Data.Field != "workspace" {
		t.Errorf("a search without a workspace answers %v", err)
	}
	for root, want := range map[string]string{one: "inOne", two: "inTwo"} {
		hits := e.Search(map[string]any{"query": want, "workspace": servertest.URI(root) + "/"})
		if len(hits) == 0 || hits[0].URI != servertest.URI(filepath.Join(root, "a.go")) {
			t.Errorf("%s is found at %+v", want, hits)
		}
		other := strings.Replace("inOneinTwo", want, "", 1)
		if slices.ContainsFunc(e.Search(map[string]any{"query": other, "workspace": servertest.URI(root)}), func(h servertest.Hit) bool { return strings.Contains(h.Snippet, other) }) {
			t.Errorf("%s is found in the wrong root", other)
		}
	}
	for _, name := range []string{"contexture.metrics", "contexture.config"} {
		e.MustExecute(name, nil, nil)
	}

	e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": []any{}, "removed": []any{servertest.Folder(one)}}})
	if hits := e.Search(map[string]any{"query": "inTwo"}); len(hits) == 0 {
		t.Error("with one root left its name is still needed")
	}
	if err := e.Execute("contexture.search", map[string]any{"query": "x", "workspace": servertest.URI(one)}, nil); !errors.As(err, &got) || got.Data.Code != "notFound" {
		t.Errorf("a root that was removed answers %v", err)
	}
	e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": []any{servertest.Folder(one)}, "removed": []any{}}})
	e.Eventually("the root that came back is searched", func() bool {
		return len(e.Search(map[string]any{"query": "inOne", "workspace": servertest.URI(one)})) > 0
	})
}

func TestFolderAddedLater(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": source("addedLater")})
	e := servertest.Start(t, servertest.Options{})
	e.Open("untitled:a", "addedLater")
	e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": []any{servertest.Folder(root)}, "removed": []any{}}})
	e.AwaitIdle()
	if !has(e, "addedLater", servertest.URI(filepath.Join(root, "a.go"))) || !has(e, "addedLater", "untitled:a") {
		t.Error("a folder that was added later is not searched")
	}
}

func TestRootsThatCannotBeOpened(t *testing.T) {
	good := servertest.Tree(t, map[string]string{"a.go": source("stillHere")})
	file := filepath.Join(good, "a.go")
	for name, bad := range map[string]string{"missing": filepath.Join(good, "missing"), "a file": file, "the root of the file system": "/"} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat("/.git"); err == nil && bad == "/" {
				t.Fatal("this machine has a project at /")
			}
			e := servertest.Start(t, servertest.Options{Roots: []string{good, bad}})
			e.Await("the fault is shown", func(s *servertest.State) servertest.Verdict {
				return servertest.If(len(s.Messages) > 0 && strings.Contains(s.Messages[0], bad))
			})
			scope := map[string]any{"workspace": servertest.URI(bad)}
			var st servertest.Status
			e.MustExecute("contexture.index.status", scope, &st)
			if st.State != "error" {
				t.Errorf("status %+v", st)
			}
			var got *servertest.Error
			refuses := func(command string, args map[string]any) {
				if err := e.Execute(command, args, nil); !errors.As(err, &got) || got.Data.Code != "unavailable" || !strings.Contains(got.Message, bad) {
					t.Errorf("%s answers %v", command, err)
				}
			}
			refuses("contexture.search", map[string]any{"query": "x", "kinds": []string{"code", "doc"}, "workspace": servertest.URI(bad)})
			prompt := map[string]any{"prompt": "x", "workspace": servertest.URI(bad)}
			if bad != "/" {
				refuses("contexture.bundle", prompt)
			} else { // it is no project, but has its memory
				var b struct{ Degraded []struct{ Detail string } }
				e.MustExecute("contexture.bundle", prompt, &b)
				if len(b.Degraded) == 0 || !strings.Contains(b.Degraded[0].Detail, bad) {
					t.Errorf("the bundle lacks %+v", b.Degraded)
				}
			}
			e.Eventually("the other root is searched", func() bool {
				return len(e.Search(map[string]any{"query": "stillHere", "workspace": servertest.URI(good)})) > 0
			})
			if s := e.State(); len(s.Messages) != 1 {
				t.Errorf("shown: %q", s.Messages)
			}
		})
	}
}

// TestHome checks that the home folder is refused until it is marked as a project, and then opened
// without a restart.
func TestHome(t *testing.T) {
	home := servertest.Tree(t, map[string]string{"a.go": source("atHome")})
	e := servertest.Start(t, servertest.Options{Roots: []string{home}, Home: home})
	e.Await("it is refused", func(s *servertest.State) servertest.Verdict {
		return servertest.If(len(s.Messages) > 0 && strings.Contains(s.Messages[0], "home folder"))
	})
	servertest.WriteFile(t, filepath.Join(home, ".contexture.toml"), "")
	e.Eventually("it is opened once it is marked", func() bool {
		var r struct{ Hits []servertest.Hit }
		return e.Execute("contexture.search", map[string]any{"query": "atHome"}, &r) == nil && len(r.Hits) > 0
	})
}

func TestLockedByAnother(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": source("locked")})
	state := t.TempDir()
	first := servertest.Start(t, servertest.Options{Roots: []string{root}, StateDir: state})
	first.AwaitIdle()
	second := servertest.Start(t, servertest.Options{Roots: []string{root}, StateDir: state})
	second.Await("the lock is shown", func(s *servertest.State) servertest.Verdict {
		return servertest.If(len(s.Messages) > 0 && strings.Contains(s.Messages[0], "holds it"))
	})
	var got *servertest.Error
	if err := second.Execute("contexture.search", map[string]any{"query": "x"}, nil); !errors.As(err, &got) || got.Data.Code != "unavailable" {
		t.Errorf("a search answers %v", err)
	}
	if err := first.Request("shutdown", nil, nil); err != nil {
		t.Fatal(err)
	}
	first.Notify("exit", nil)
	first.Exited()
	second.Eventually("the root is opened once it is free", func() bool {
		var r struct{ Hits []servertest.Hit }
		return second.Execute("contexture.search", map[string]any{"query": "locked"}, &r) == nil && len(r.Hits) > 0
	})
}

// TestShared checks that two sessions of a process share the index of a root, and that one may
// leave.
func TestShared(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": source("sharedWord")})
	o := servertest.Options{Roots: []string{root}, Server: servertest.NewServer(t, servertest.Options{})}
	one, two := servertest.Start(t, o), servertest.Start(t, o)
	one.AwaitIdle()
	two.AwaitIdle()
	var m command.MetricsResult
	one.MustExecute("contexture.metrics", nil, &m)
	if m.Process.Sessions != 2 {
		t.Errorf("%d sessions", m.Process.Sessions)
	}
	if err := one.Request("shutdown", nil, nil); err != nil {
		t.Fatal(err)
	}
	one.Notify("exit", nil)
	one.Exited()
	a := filepath.Join(root, "a.go")
	if !has(two, "sharedWord", servertest.URI(a)) {
		t.Error("the index left with the first session")
	}
	servertest.WriteFile(t, a, source("changedWord"))
	two.Eventually("a change is followed", func() bool { return has(two, "changedWord", servertest.URI(a)) })
}

func TestRootByLink(t *testing.T) {
	real := servertest.Tree(t, map[string]string{"a.go": source("linkedWord")})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	e := servertest.Start(t, servertest.Options{Roots: []string{link}})
	e.AwaitIdle()
	uri := servertest.URI(filepath.Join(link, "a.go"))
	if !has(e, "linkedWord", uri) {
		t.Error("the hit's URI is not under the root as the client spells it")
	}
	e.Open(servertest.URI(filepath.Join(real, "a.go")), source("linkedBuffer"))
	if !has(e, "linkedBuffer", uri) {
		t.Error("a buffer by the real path does not belong to the root")
	}
}

// TestHomeRemembers checks that what is remembered in the home folder, which has no index, is
// recalled, found and in context there, and that the answers say why there is no code.
func TestHomeRemembers(t *testing.T) {
	home := servertest.Tree(t, map[string]string{"a.go": source("atHome")})
	e := servertest.Start(t, servertest.Options{Roots: []string{home}, Home: home})
	e.Await("it is refused", func(s *servertest.State) servertest.Verdict {
		return servertest.If(len(s.Messages) > 0 && strings.Contains(s.Messages[0], "home folder"))
	})
	const rule = "Always answer in whole sentences."
	ask[command.RememberResult](t, e, "contexture.remember", args{"kind": "rule", "text": rule})
	isRefused := func(d command.Degradation) bool {
		return d.Stage == "index" && d.Reason == "error" && strings.Contains(d.Detail, "home folder")
	}
	b := bundleOf(t, e, args{"prompt": "write a letter"})
	if !strings.Contains(b.Text, rule) || !slices.ContainsFunc(b.Degraded, isRefused) || strings.Contains(b.Text, "atHome") {
		t.Errorf("degraded %+v of\n%s", b.Degraded, b.Text)
	}
	for _, kind := range []string{"any", "rule"} {
		r := ask[command.RecallResult](t, e, "contexture.recall", args{"query": "whole sentences", "memoryType": kind})
		if !strings.Contains(r.Text, rule) {
			t.Errorf("recall of %s answers %+v", kind, r)
		}
	}
	if r := ask[command.SearchResult](t, e, "contexture.search", args{"query": "whole sentences"}); len(r.Hits) == 0 || !slices.ContainsFunc(r.Degraded, isRefused) {
		t.Errorf("search answers %+v", r)
	}
	if err := e.Execute("contexture.search", args{"query": "atHome", "kinds": []string{"code"}}, nil); err == nil || !strings.Contains(err.Error(), "home folder") {
		t.Errorf("search of code: %v", err)
	}
	if r := ask[command.RecallResult](t, e, "contexture.recall", args{"query": "atHome", "memoryType": "code"}); !slices.ContainsFunc(r.Degraded, isRefused) {
		t.Errorf("recall of code answers %+v", r)
	}
}
