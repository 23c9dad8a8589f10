package server_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// syncBuffer is a log that is safe to read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

const goFile = "package p\n\n// %s does it.\nfunc %s() int {\n\treturn 1\n}\n"

func source(name string) string { return fmt.Sprintf(goFile, name, name) }

// has reports whether a search for a word finds it in the document.
func has(e *servertest.Editor, query, uri string) bool {
	return slices.ContainsFunc(e.Search(map[string]any{"query": query, "deadlineMs": 20000}), func(h servertest.Hit) bool {
		return h.URI == uri && strings.Contains(h.Snippet, query)
	})
}

func TestUnsavedBuffers(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": source("alphaOnDisk"), ".gitignore": "ignored/\n*.secret\n", "b.go": source("betaOnDisk")})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	a := servertest.URI(filepath.Join(root, "a.go"))
	if !has(e, "alphaOnDisk", a) {
		t.Fatal("what is on disk is not found")
	}
	e.Open(a, source("alphaInBuffer"))
	if !has(e, "alphaInBuffer", a) || has(e, "alphaOnDisk", a) {
		t.Error("the buffer does not stand in place of its file")
	}
	e.Change(a, 2, servertest.Edit{Line: 3, Character: 5, EndLine: 3, EndCharacter: 18, Text: "gammaEdited"})
	if !has(e, "gammaEdited", a) {
		t.Error("an edit is not seen by the next request")
	}
	var b command.BundleResult
	e.MustExecute("contexture.bundle", map[string]any{"prompt": "what does gammaEdited do?", "deadlineMs": 20000}, &b)
	if !strings.Contains(b.Text, "func gammaEdited") {
		t.Errorf("the bundle lacks the edit:\n%s", b.Text)
	}

	fresh := servertest.URI(filepath.Join(root, "new", "unsaved file.go"))
	e.Open(fresh, source("deltaNeverSaved"))
	if !has(e, "deltaNeverSaved", fresh) {
		t.Error("a file that is not on disk yet is not found")
	}
	for _, uri := range []string{
		servertest.URI(filepath.Join(root, "ignored", "x.go")), servertest.URI(filepath.Join(root, "key.secret")),
		servertest.URI(filepath.Join(filepath.Dir(root), "outside.go")), servertest.URI(filepath.Join(root, ".git", "x.go")),
		servertest.URI(root) + "/../outside.go", "https://example.org/x.go", "git:" + filepath.Join(root, "a.go"),
	} {
		e.Open(uri, source("epsilonForbidden"))
		if hits := e.Search(map[string]any{"query": "epsilonForbidden"}); slices.ContainsFunc(hits, func(h servertest.Hit) bool { return strings.Contains(h.Snippet, "epsilonForbidden") }) {
			t.Errorf("%s is searched: %+v", uri, hits)
		}
		e.CloseDocument(uri)
	}

	e.Open("untitled:Untitled-1", "zetaUntitled is a word of this buffer alone\n")
	if !has(e, "zetaUntitled", "untitled:Untitled-1") {
		t.Error("an untitled buffer is not found")
	}
	for _, uri := range []string{a, fresh, "untitled:Untitled-1"} {
		e.CloseDocument(uri)
	}
	for query, uri := range map[string]string{"gammaEdited": a, "deltaNeverSaved": fresh, "zetaUntitled": "untitled:Untitled-1"} {
		if has(e, query, uri) {
			t.Errorf("%s is still there after %s was closed", query, uri)
		}
	}
	if !has(e, "alphaOnDisk", a) {
		t.Error("the file is not back after its buffer was closed")
	}
}

// TestBuffersArePrivate checks that another session of the same process does not see a client's
// buffers.
func TestBuffersArePrivate(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": source("onDisk")})
	o := servertest.Options{Roots: []string{root}, Server: servertest.NewServer(t, servertest.Options{})}
	one, two := servertest.Start(t, o), servertest.Start(t, o)
	one.AwaitIdle()
	two.AwaitIdle()
	a := servertest.URI(filepath.Join(root, "a.go"))
	one.Open(a, source("inBufferOfOne"))
	if !has(one, "inBufferOfOne", a) || has(two, "inBufferOfOne", a) || !has(two, "onDisk", a) {
		t.Error("a buffer is seen by the wrong session")
	}
}

func TestWithoutRoot(t *testing.T) {
	e := servertest.Start(t, servertest.Options{})
	var b command.BundleResult
	e.MustExecute("contexture.bundle", map[string]any{"prompt": "where is nothing?"}, &b)
	if !strings.Contains(b.Text, "where is nothing?") || b.Tokens == 0 {
		t.Errorf("the bundle is %q", b.Text)
	}
	e.Open("untitled:a", "func onlyInBuffer() {}\n")
	e.Open("file:///nowhere/x.go", source("notOfARoot"))
	if !has(e, "onlyInBuffer", "untitled:a") || len(e.Search(map[string]any{"query": "notOfARoot"})) != 0 {
		t.Error("open buffers do not work without a root")
	}
	e.MustExecute("contexture.bundle", map[string]any{"prompt": "what is onlyInBuffer?"}, &b)
	if !strings.Contains(b.Text, "func onlyInBuffer() {}") {
		t.Errorf("the bundle lacks the buffer:\n%s", b.Text)
	}
	var st servertest.Status
	e.MustExecute("contexture.index.status", nil, &st)
	if st.State != "idle" {
		t.Errorf("status %+v", st)
	}
}

// TestOrder checks that every search sees the changes sent before it and none sent after it,
// whatever runs concurrently.
func TestOrder(t *testing.T) {
	const n = 3000
	const uri = "untitled:order"
	e := servertest.Start(t, servertest.Options{})
	e.Open(uri, "word0000\n")
	pending := make([]*servertest.Pending, 0, n)
	for i := 1; i <= n; i++ {
		e.Change(uri, i+1, servertest.Edit{Character: 4, EndCharacter: 8, Text: fmt.Sprintf("%04d", i)})
		if i%10 == 0 {
			pending = append(pending, e.BeginCommand("contexture.search", map[string]any{"query": fmt.Sprintf("word%04d", i), "mode": "lexical", "deadlineMs": 60000}))
		}
	}
	for k, p := range pending {
		var r struct{ Hits []servertest.Hit }
		if err := p.Wait(&r); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("word%04d", (k+1)*10)
		if len(r.Hits) != 1 || r.Hits[0].Snippet != want {
			t.Fatalf("search for %s found %+v", want, r.Hits)
		}
	}
}

// TestPositions checks that ranges and edits use the agreed position encoding.
func TestPositions(t *testing.T) {
	const text = "x = \"𝄞é\" # wideLine"
	for offer, want := range map[string]int{"utf-8": len(text), "utf-16": len(text) - 2 - 1} {
		e := servertest.Start(t, servertest.Options{Capabilities: map[string]any{"general": map[string]any{"positionEncodings": []string{offer}}}})
		e.Open("untitled:a.py", text)
		hits := e.Search(map[string]any{"query": "wideLine"})
		if len(hits) != 1 || hits[0].Range.End.Character != want || hits[0].Range.End.Line != 0 {
			t.Fatalf("%s: %+v, want an end at %d", offer, hits, want)
		}
		e.Change("untitled:a.py", 2, servertest.Edit{Character: want, EndCharacter: want, Text: "AtTheEnd"})
		if hits := e.Search(map[string]any{"query": "wideLineAtTheEnd"}); len(hits) != 1 || !strings.HasSuffix(hits[0].Snippet, "wideLineAtTheEnd") {
			t.Errorf("%s: after an edit at the end: %+v", offer, hits)
		}
	}
}

func TestCancelledSearch(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": source("one")})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	for range 50 {
		p := e.BeginCommand("contexture.bundle", map[string]any{"prompt": "what does one do?"})
		p.Cancel()
		if got := code(t, p.Wait(nil)); got != 0 && got != command.CodeRequestCancelled {
			t.Fatalf("a cancelled request answers %d", got)
		}
	}
	if s := e.State(); len(s.Unmatched) > 0 {
		t.Errorf("answered twice: %s", s.Unmatched)
	}
}
