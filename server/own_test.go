package server_test

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestStateInTheRoot checks that a server whose state directory or log is in a root neither indexes
// nor watches it, so that the server's own writes cause no work.
func TestStateInTheRoot(t *testing.T) {
	const word = "ownWordOfTheWorkspace"
	const watched = 3 // the root, its folder d, and the home folder for the person's ignore file
	for _, tt := range []struct {
		name   string
		place  func(t *testing.T, root string) (open, state, log string) // the root as it is opened
		beside string                                                    // a file of the state, from open
	}{
		{"below it", func(t *testing.T, root string) (string, string, string) {
			return root, filepath.Join(root, ".state"), ""
		}, ".state/log/c.log"},
		{"below a folder of it", func(t *testing.T, root string) (string, string, string) {
			return root, filepath.Join(root, "d", "state"), ""
		}, "d/state/log/c.log"},
		{"by a link", func(t *testing.T, root string) (string, string, string) {
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(root, link); err != nil {
				t.Fatal(err)
			}
			return root, filepath.Join(link, ".state"), ""
		}, ".state/log/c.log"},
		{"in a root reached by a link", func(t *testing.T, root string) (string, string, string) {
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(root, link); err != nil {
				t.Fatal(err)
			}
			return link, filepath.Join(root, ".state"), ""
		}, ".state/log/c.log"},
		{"the root itself", func(t *testing.T, root string) (string, string, string) { return root, root, "" }, "log/c.log"},
		{"the log alone", func(t *testing.T, root string) (string, string, string) {
			return root, t.TempDir(), filepath.Join(root, "d", "c.log")
		}, "d/c.log"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := servertest.Tree(t, map[string]string{
				"a.go": "package a\n\nfunc " + word + "() {}\n", "d/b.go": "package d\n", ".contexture.toml": "index.include = [\"**\", \"**/*.log\"]\n",
			})
			open, state, log := tt.place(t, root)
			v := ownServer(t, state, log)
			e := servertest.Start(t, servertest.Options{Server: v, Roots: []string{open}})
			e.AwaitIdle()
			ask[command.AppendResult](t, e, "contexture.conversation.append", args{
				"conversationId": "c", "messages": []args{{"role": "user", "content": "from now on name things " + word}},
			})
			before := ask[command.IndexStatusResult](t, e, "contexture.index.status", nil)
			if before.Files != 3 {
				t.Errorf("%d files are indexed", before.Files)
			}
			if before.Watcher.Watches != watched {
				t.Errorf("%d folders are watched", before.Watcher.Watches)
			}
			servertest.WriteFile(t, filepath.Join(root, "d", "late.go"), "package d\n\nfunc late"+word+"() {}\n")
			e.Eventually("the change is found", func() bool {
				return len(e.Search(args{"query": "late" + word, "paths": []string{"d/late.go"}})) > 0
			})
			e.AwaitIdle()
			if after := ask[command.IndexStatusResult](t, e, "contexture.index.status", nil); after.Files != 4 || after.Watcher.Watches != watched {
				t.Errorf("then %d files are indexed and %d folders watched", after.Files, after.Watcher.Watches)
			}
			why := ask[command.WhyResult](t, e, "contexture.index.why", args{"textDocument": args{"uri": servertest.URI(filepath.Join(open, filepath.FromSlash(tt.beside)))}})
			if why.Indexed || !strings.Contains(why.Rule, "Contexture itself") || why.Source != "builtin" {
				t.Errorf("why: %+v", why)
			}
		})
	}
}

// TestStateOfAnotherServer checks two servers whose state directories are in one root: neither
// indexes or watches the other's.
func TestStateOfAnotherServer(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": "package a\n"})
	for _, name := range []string{".one", ".two"} {
		e := servertest.Start(t, servertest.Options{StateDir: filepath.Join(root, name), Roots: []string{root}})
		e.AwaitIdle()
		if st := ask[command.IndexStatusResult](t, e, "contexture.index.status", nil); st.Files != 1 || st.Watcher.Watches != 2 {
			t.Errorf("%s: %d files, %d watches", name, st.Files, st.Watcher.Watches)
		}
		defer func() {
			e.Eventually("the other is left alone", func() bool {
				st := ask[command.IndexStatusResult](t, e, "contexture.index.status", nil)
				return st.Files == 1 && st.Watcher.Watches == 2
			})
		}()
	}
}

// ownServer returns a server that logs to a file, if there is one.
func ownServer(t *testing.T, state, log string) *server.Server {
	t.Helper()
	var to io.Writer = io.Discard
	if log != "" {
		file, err := os.Create(log)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		to = file
	}
	v, err := server.New(engine.Options{
		Version: "test", StateDir: state, ConfigDir: t.TempDir(), Home: t.TempDir(), LogFile: log,
		Logger: slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}
