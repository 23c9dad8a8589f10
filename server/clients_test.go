package server_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/servertest"
)

// everything sends every request whose answer may contain a buffer's text, and returns the answers
// concatenated.
func everything(t *testing.T, e *servertest.Editor, uri, query string) string {
	t.Helper()
	var all bytes.Buffer
	for name, a := range map[string]args{
		"contexture.bundle": {"prompt": "Tell me about " + query, "budget": 20000, "deadlineMs": 20000}, "contexture.search": {"query": query, "deadlineMs": 20000},
		"contexture.recall":   {"query": query, "budget": 10000},
		"contexture.ticklers": {"textDocument": args{"uri": uri}, "position": args{"line": 2, "character": 7}},
	} {
		var raw json.RawMessage
		e.MustExecute(name, a, &raw)
		all.Write(raw)
	}
	return all.String()
}

// TestBuffersOfTwoEditors checks two editors that have one file of one root open with different
// unsaved texts.
func TestBuffersOfTwoEditors(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": "package a\n\n// Shared says what is saved.\nfunc Saved() {}\n", "b.go": "package a\n\nfunc Other() {}\n"})
	v := servertest.NewServer(t, servertest.Options{})
	uri := servertest.URI(filepath.Join(root, "a.go"))
	editors := map[string]*servertest.Editor{}
	texts := map[string]string{"first": "Zebra", "second": "Giraffe", "third": "Saved"}
	for name, word := range texts {
		e := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
		e.AwaitIdle()
		if name != "third" {
			e.Open(uri, "package a\n\n// Shared says "+word+".\nfunc "+word+"() {}\n")
		}
		editors[name] = e
		say(t, e, "about "+name, user("Shared and "+word+" in a.go"), assistant("done"))
	}
	for name, e := range editors {
		for other, word := range texts {
			got := ask[command.SearchResult](t, e, "contexture.search", args{"query": word, "mode": "symbol", "deadlineMs": 20000})
			if has := len(got.Hits) > 0; has != (name == other) {
				t.Errorf("the %s editor finds %s: %t", name, word, has)
			}
		}
		answers := everything(t, e, uri, "Shared")
		for other, word := range texts {
			if has := strings.Contains(answers, "func "+word+"()"); has != (name == other) {
				t.Errorf("the %s editor is shown %s: %t", name, word, has)
			}
		}
		if list := ask[command.ListResult](t, e, "contexture.conversation.list", args{}); len(list.Conversations) != len(texts) {
			t.Errorf("the %s editor sees %d conversations", name, len(list.Conversations))
		}
	}
}

// TestSharedIndexes checks that there is one index for each root and set of options, however many
// editors use it, and that an editor's added and removed folders affect only that editor.
func TestSharedIndexes(t *testing.T) {
	state := t.TempDir()
	root, second := servertest.Tree(t, map[string]string{"a.go": "package a\n\nfunc Alpha() {}\n"}), servertest.Tree(t, map[string]string{"b.go": "package b\n\nfunc Beta() {}\n"})
	v := servertest.NewServer(t, servertest.Options{StateDir: state})
	folders := func() int {
		list, err := os.ReadDir(filepath.Join(state, "index"))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	first := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	same := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	first.AwaitIdle()
	same.AwaitIdle()
	if n := folders(); n != 1 {
		t.Errorf("two editors of one root have %d indexes", n)
	}
	same.Notify("workspace/didChangeWorkspaceFolders", args{"event": args{"added": []args{servertest.Folder(second)}, "removed": []args{}}})
	found := func(e *servertest.Editor, a args) int {
		return len(ask[command.SearchResult](t, e, "contexture.search", a).Hits)
	}
	same.Eventually("the folder that was added is searched", func() bool {
		return found(same, args{"query": "Beta", "workspace": servertest.URI(second)}) > 0
	})
	refused(t, first, "contexture.search", args{"query": "Beta", "workspace": servertest.URI(second)}, "", "notFound")
	same.Notify("workspace/didChangeWorkspaceFolders", args{"event": args{"added": []args{}, "removed": []args{servertest.Folder(second)}}})
	refused(t, same, "contexture.search", args{"query": "Beta", "workspace": servertest.URI(second)}, "", "notFound")

	other := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}, InitOptions: args{"index.exclude": []string{"a.go"}}})
	other.AwaitIdle()
	if n := found(other, args{"query": "Alpha", "mode": "symbol"}); n != 0 {
		t.Errorf("an editor that excludes the file finds it %d times", n)
	}
	if n := found(first, args{"query": "Alpha", "mode": "symbol"}); n != 1 {
		t.Errorf("the others find it %d times", n)
	}
}

// TestSettingsOfOneSession checks that a setting switched off by one editor stays on for another
// editor of the same root.
func TestSettingsOfOneSession(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": "package a\n\nfunc Alpha() {}\n"})
	v := servertest.NewServer(t, servertest.Options{})
	on := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	off := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}, InitOptions: args{"memory.enabled": false}})
	say(t, on, "c", user("Alpha"), assistant("yes"))
	refused(t, off, "contexture.conversation.list", args{}, "", "unavailable")
	if list := ask[command.ListResult](t, on, "contexture.conversation.list", args{}); len(list.Conversations) != 1 {
		t.Errorf("%d conversations", len(list.Conversations))
	}
	first := ask[command.BundleResult](t, on, "contexture.bundle", args{"prompt": "Alpha?", "conversationId": "c"})
	if again := ask[command.BundleResult](t, on, "contexture.bundle", args{"prompt": "Alpha?", "conversationId": "c"}); again.Cache.ReusedPrefixTokens == 0 || first.Cache.ReusedPrefixTokens != 0 {
		t.Errorf("reused %d, then %d", first.Cache.ReusedPrefixTokens, again.Cache.ReusedPrefixTokens)
	}
}

// TestPausedByOneEditor checks that an index is paused while one of its editors asks for that, and
// resumes when that editor leaves.
func TestPausedByOneEditor(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": "package a\n\nfunc Alpha() {}\n"})
	v := servertest.NewServer(t, servertest.Options{})
	e := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	e.AwaitIdle()
	t.Run("paused", func(t *testing.T) {
		other := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}, InitOptions: args{"index.paused": true}})
		other.MustExecute("contexture.search", args{"query": "Alpha"}, nil) // it opens the index
		servertest.WriteFile(t, filepath.Join(root, "b.go"), "package a\n\nfunc Beta() {}\n")
	})
	e.Eventually("what was written meanwhile is found", func() bool { return len(e.Search(args{"query": "Beta", "mode": "symbol"})) == 1 })
}

// TestOfflineAndOnlineEditors checks two editors of one root, of which only the first uses a model
// server: the second's prompts and messages are not sent to it, and the first keeps its model.
func TestOfflineAndOnlineEditors(t *testing.T) {
	root := modelWorkspace(t)
	model := newTalker(t, "It is so.")
	v := servertest.NewServer(t, servertest.Options{ModelHost: model.URL})
	online := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	online.AwaitIdle()
	awaitModel(t, online, "nomic-embed-text")
	offline := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}, Session: engine.SessionOptions{Offline: true}})
	offline.AwaitIdle()
	for _, name := range []string{"bundle", "search", "recall"} {
		a := args{"prompt": "where is Xylophone compared?"}
		if name != "bundle" {
			a = args{"query": "where is Xylophone compared?"}
		}
		offline.MustExecute("contexture."+name, a, nil)
	}
	say(t, offline, "c", user("Xylophone: "+garden(0)[0]["content"].(string)), assistant("Xylophone: "+garden(0)[1]["content"].(string)))
	offline.Eventually("the rules have shortened the turn", func() bool { return !turnOf(t, offline, "c", "T-1", "T").Pending })
	semantic(t, online, "login credentials")
	if st := awaitModel(t, online, "nomic-embed-text"); st.Embedder.Source != "ollama" {
		t.Errorf("%+v", st.Embedder)
	}
	sent, _ := model.told()
	if bytes.Contains(sent, []byte("Xylophone")) {
		t.Error("what the offline editor asked or said was sent to the model server")
	}
	if !bytes.Contains(sent, []byte("login credentials")) {
		t.Error("what the online editor asked was not")
	}
}

// TestAllowedSecrets checks that text that one editor's settings allow is shown to that editor,
// also when the setting comes later, and not to the other.
func TestAllowedSecrets(t *testing.T) {
	p := newPlanted()
	key := p.secret("file")
	root := servertest.Tree(t, map[string]string{"a.go": "package a\n\n// Alpha uses \"" + key + "\".\nfunc Alpha() {}\n"})
	v := servertest.NewServer(t, servertest.Options{})
	strict := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	lax := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	shows := func(e *servertest.Editor) bool {
		return slices.ContainsFunc(e.Search(args{"query": "Alpha"}), func(h servertest.Hit) bool { return strings.Contains(h.Snippet, key) })
	}
	strict.AwaitIdle()
	lax.AwaitIdle()
	if shows(lax) {
		t.Error("the secret is shown before it is allowed")
	}
	lax.Notify("workspace/didChangeConfiguration", args{"settings": args{"contexture": args{"secrets": args{"allow": []string{key[:8] + ".*"}}}}})
	lax.Eventually("what is allowed is shown", func() bool { return shows(lax) })
	if shows(strict) {
		t.Error("the other editor is shown it too")
	}
	lax.Notify("workspace/didChangeConfiguration", args{"settings": args{"contexture": args{"secrets": args{"allow": []string{}}}}})
	lax.Eventually("the index is there again", func() bool { return len(lax.Search(args{"query": "Alpha"})) > 0 })
	if shows(lax) {
		t.Error("it is still shown when it is not allowed any more")
	}
}
