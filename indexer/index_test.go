package indexer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/store"
)

func TestOneWorkerEqualsEight(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(1), 120)
	one := w.index(func(o *Options) { o.Workers = 1 })
	eight := w.index(func(o *Options) { o.Workers = 8 })
	a, b := one.current.Load(), eight.current.Load()
	if err := sameAnswers(t, a, b); err != nil {
		t.Fatal(err)
	}
	if a.Chunks() != b.Chunks() || a.Files() != b.Files() {
		t.Fatalf("%d chunks in %d files, and %d in %d", a.Chunks(), a.Files(), b.Chunks(), b.Files())
	}
	for id := range a.Chunks() {
		if x, y := a.Chunk(id), b.Chunk(id); x.Path != y.Path || x.Start != y.Start {
			t.Fatalf("chunk %d is %s@%d and %s@%d", id, x.Path, x.Start, y.Path, y.Start)
		}
	}
	if one.Status().Digest != eight.Status().Digest || one.Status().Digest == "" {
		t.Errorf("embedders %q and %q", one.Status().Digest, eight.Status().Digest)
	}
	for _, q := range queries {
		if err := sameHits(meaningHits(t, a, q), meaningHits(t, b, q)); err != nil {
			t.Errorf("by meaning, %q: %v", q, err)
		}
	}
}

func TestRestartDoesNothing(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(2), 80)
	w.git("init", "-q")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "everything at once, which says nothing of a file")
	w.write("retries.md", "# Retries\n\nThe journal retries.\n")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "the retries of the journal")
	dir := t.TempDir()
	x := w.open(dir)
	settle(t, x)
	for range 5 { // changes that store no list of segments
		x.w.mail.hand(t.Context(), x.w.publish)
	}
	first, before := x.Status(), x.current.Load()
	shut(t, x)
	if first.Parsed != 81 || first.Embedded < 81 || first.Digest == "" || first.Commits != 1 {
		t.Errorf("the first time: %+v", first)
	}
	x = w.open(dir)
	defer shut(t, x)
	settle(t, x)
	st := x.Status()
	if st.Parsed != 0 || st.Embedded != 0 || st.Files != 81 || st.Digest != first.Digest || st.Commits != 1 || len(st.Errors) > 0 {
		t.Errorf("after a restart: %+v", st)
	}
	if st.Version < first.Version {
		t.Errorf("version %d after %d", st.Version, first.Version)
	}
	if err := sameAnswers(t, x.current.Load(), before); err != nil {
		t.Error(err)
	}
	for _, q := range queries {
		if err := sameHits(meaningHits(t, x.current.Load(), q), meaningHits(t, before, q)); err != nil {
			t.Errorf("by meaning, %q: %v", q, err)
		}
	}
}

// Only what changed between two runs is parsed.
func TestRestartParsesChanges(t *testing.T) {
	w := newWorkspace(t)
	paths := w.fill(random(3), 40)
	dir := t.TempDir()
	x := w.open(dir)
	settle(t, x)
	shut(t, x)
	w.write(paths[3], "func editedMeanwhile() {}\n")
	w.remove(paths[4])
	w.rename(paths[5], "moved/"+filepath.Base(paths[5]))
	x = w.open(dir)
	defer shut(t, x)
	settle(t, x)
	if st := x.Status(); st.Parsed != 1 || st.Files != 39 {
		t.Errorf("parsed %d, %d files", st.Parsed, st.Files)
	}
	if err := sameAnswers(t, x.current.Load(), w.index().current.Load()); err != nil {
		t.Error(err)
	}
}

// Other rules admit other files, at the next start with the same folder.
func TestOtherRules(t *testing.T) {
	w := newWorkspace(t)
	w.write("a/one.go", "package a\n\nfunc One() {}\n")
	w.write("b/two.go", "package b\n\nfunc Two() {}\n")
	dir := t.TempDir()
	x := w.open(dir)
	settle(t, x)
	shut(t, x)
	x = w.open(dir, func(o *Options) { o.Exclude = []string{"b"} })
	settle(t, x)
	if _, ok := x.current.Load().File("b/two.go"); ok || x.Status().Files != 1 {
		t.Errorf("an excluded file is there; %d files", x.Status().Files)
	}
	shut(t, x)
	x = w.open(dir, func(o *Options) { o.MaxFileBytes = 10 })
	defer shut(t, x)
	settle(t, x)
	if n := x.Status().Files; n != 0 {
		t.Errorf("%d files over the bound are there", n)
	}
}

func TestRebuild(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(4), 60)
	x := w.index()
	before := x.current.Load()
	st := x.Status()
	x.Rebuild(true)
	settle(t, x)
	if now := x.Status(); now.Parsed != st.Parsed || now.Embedded != 2*st.Embedded || now.Digest != st.Digest {
		t.Errorf("embeddings made again: %+v, before %+v", now, st)
	}
	x.Rebuild(false)
	settle(t, x)
	if now := x.Status(); now.Parsed != 2*st.Parsed || now.Version <= st.Version || now.Digest != st.Digest {
		t.Errorf("rebuilt: %+v, before %+v", now, st)
	}
	if err := sameAnswers(t, x.current.Load(), before); err != nil {
		t.Error(err)
	}
}

func TestSecondProcess(t *testing.T) {
	w := newWorkspace(t)
	w.write("a.go", "package a\n")
	dir := t.TempDir()
	x := w.open(dir)
	defer shut(t, x)
	_, err := Open(context.Background(), options(w.dir, dir))
	var locked *store.LockedError
	if !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("opened twice: %v", err)
	}
}

func TestBadRoots(t *testing.T) {
	w := newWorkspace(t)
	w.write("file", "text")
	for _, root := range []string{w.abs("nowhere"), w.abs("file"), "/"} {
		opts := options(root, t.TempDir())
		x, err := Open(context.Background(), opts)
		if err == nil {
			shut(t, x)
			t.Errorf("%s was opened", root)
		} else if !strings.Contains(err.Error(), root) {
			t.Errorf("%s: the error does not name it: %v", root, err)
		}
	}
}

func TestWaitGivesUp(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(5), 30)
	x := w.open(t.TempDir(), func(o *Options) { o.Paused = true })
	defer shut(t, x)
	x.SetPaused(false)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x.Rebuild(false)
	if err := x.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A paused index answers from its content and reads nothing; resumed, it catches up.
func TestPause(t *testing.T) {
	w := newWorkspace(t)
	w.write("a.go", "package a\n\nfunc Alpha() {}\n")
	x := w.index(watched)
	x.SetPaused(true)
	done := make(chan struct{})
	x.w.mail.send(func(context.Context) { close(done) }) // after the pause
	<-done
	w.write("b.go", "package a\n\nfunc Beta() {}\n")
	if len(x.current.Load().Symbols().Definitions("Alpha", 1)) != 1 {
		t.Error("a paused index answers nothing")
	}
	x.SetPaused(false)
	until(t, x, "what was written during the pause", has("b.go"))
}

// The last call of pause or resume decides, and no message is lost or overtaken.
func TestPauseInOrder(t *testing.T) {
	w := newWorkspace(t)
	w.write("a.go", "package a\n")
	x := w.index()
	for i := range 200 {
		x.SetPaused(i%2 == 0)
	}
	done := make(chan bool)
	x.w.mail.send(func(context.Context) { done <- x.w.paused })
	if <-done {
		t.Error("paused after the last word was to go on")
	}
}

// Embeddings discarded while others are in progress are made again, with a model of the current
// workspace.
func TestRebuildWhileEmbedding(t *testing.T) {
	w := newWorkspace(t)
	r := random(10)
	paths := w.fill(r, 60)
	x := w.index(watched)
	for round := range 4 {
		for _, p := range paths[3*round : 3*round+3] {
			w.write(p, sourceText(r, p))
		}
		fresh := w.index()
		want := content(fresh.current.Load())
		until(t, x, "the edits", func(s *Snapshot) bool { return content(s) == want })
		x.Rebuild(true) // the edits are being embedded just now
		settle(t, x)
		if got, want := x.Status().Digest, fresh.Status().Digest; got != want {
			t.Errorf("round %d: embedder %q, want %q", round, got, want)
		}
	}
}

// Closing during the first pass ends soon, and the next start completes the pass.
func TestCloseEarly(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(6), 150)
	dir := t.TempDir()
	start := time.Now()
	shut(t, w.open(dir))
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("closing took %s", took)
	}
	x := w.open(dir)
	defer shut(t, x)
	settle(t, x)
	if err := sameAnswers(t, x.current.Load(), w.index().current.Load()); err != nil {
		t.Error(err)
	}
}
