package server_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestLinkedRootIsTheSame checks that a root is the same whether it is opened by its path or by a
// link to it, and that answers name files below the path that the client opened.
func TestLinkedRootIsTheSame(t *testing.T) {
	real := servertest.Tree(t, map[string]string{"pool/acquire.go": source("AcquireConnection")})
	real, err := filepath.EvalSymlinks(real)
	if err != nil {
		t.Fatal(err)
	}
	outer := t.TempDir()
	link := filepath.Join(outer, "project")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	v := servertest.NewServer(t, servertest.Options{StateDir: state})
	roots := map[string]string{"by its path": real, "by a link": link}
	editors := map[string]*servertest.Editor{}
	for name, root := range roots {
		editors[name] = servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
		editors[name].AwaitIdle()
		file := servertest.URI(filepath.Join(root, "pool/acquire.go"))
		say(t, editors[name], "said "+name, user("Why does `AcquireConnection` wait, "+name+"?", "uris", []string{file}))
	}
	if dirs, err := os.ReadDir(filepath.Join(state, "index")); err != nil || len(dirs) != 1 {
		t.Errorf("indexes %v, error %v", dirs, err)
	}
	for name, root := range roots {
		t.Run(name, func(t *testing.T) {
			e := editors[name]
			file := servertest.URI(filepath.Join(root, "pool/acquire.go"))
			list := ask[command.ListResult](t, e, "contexture.conversation.list", nil)
			if len(list.Conversations) != 2 {
				t.Errorf("conversations %+v", list.Conversations)
			}
			if hits := e.Search(args{"query": "AcquireConnection", "kinds": []string{"code"}}); len(hits) == 0 || hits[0].URI != file {
				t.Errorf("hits %+v, want %s", hits, file)
			}
			for _, opened := range roots { // a client may name the target of a link that it opened
				at := servertest.URI(filepath.Join(opened, "pool/acquire.go"))
				k := ask[command.TicklersResult](t, e, "contexture.ticklers", args{"textDocument": args{"uri": at}, "position": args{"line": 3, "character": 8}})
				if len(k.Ticklers) != 2 || slices.ContainsFunc(k.Ticklers, func(k command.Tickler) bool { return !slices.Equal(k.URIs, []string{file}) }) {
					t.Errorf("reminders at %s: %+v, want two of %s", at, k.Ticklers, file)
				}
				st := ask[command.IndexStatusResult](t, e, "contexture.index.status", args{"workspace": servertest.URI(opened)})
				if st.Files != 1 {
					t.Errorf("status of %s: %+v", opened, st)
				}
			}
			b := ask[command.BundleResult](t, e, "contexture.bundle", args{"prompt": "what does AcquireConnection do?", "deadlineMs": 20000})
			if !slices.ContainsFunc(b.Items, func(it command.Item) bool { return it.URI == file }) {
				t.Errorf("bundle %+v", b.Items)
			}
			e.Open(servertest.URI(filepath.Join(root, "new.go")), source("NeverSaved"))
			if !has(e, "NeverSaved", servertest.URI(filepath.Join(root, "new.go"))) {
				t.Error("a buffer is not found")
			}
		})
	}
	m := ask[command.MetricsResult](t, editors["by a link"], "contexture.metrics", nil)
	if m.Memory.Conversations != 2 {
		t.Errorf("%+v", m.Memory)
	}
}
