package retrieve

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer"
	"golang.org/x/tools/txtar"
)

// open indexes the workspace of testdata.
func open(t *testing.T) *indexer.Snapshot {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/workspace.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	return index(t, files)
}

// index indexes a few files.
func index(t *testing.T, files map[string]string) *indexer.Snapshot {
	t.Helper()
	root, dir := t.TempDir(), t.TempDir()
	for path, text := range files {
		name := filepath.Join(root, filepath.FromSlash(path))
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		if err == nil {
			err = os.WriteFile(name, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	x, err := indexer.Open(ctx, indexer.Options{
		Root: root, Dir: filepath.Join(dir, "index"), Home: dir, GlobalIgnore: filepath.Join(dir, "ignore"),
		Count: func(b []byte) int { return len(b)/4 + 1 },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := x.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	s, release := x.Snapshot()
	t.Cleanup(release)
	if s.LiveFiles() != len(files) {
		t.Fatalf("%d of %d files are indexed", s.LiveFiles(), len(files))
	}
	return s
}

// ask runs a prompt as a bundle does.
func ask(s *indexer.Snapshot, prompt string, change ...func(*Request)) Result {
	req := Request{Query: prompt, Intent: intent.Classify(prompt, intent.Context{}), Limit: 50, Deadline: time.Minute}
	for _, f := range change {
		f(&req)
	}
	return Run(context.Background(), s, req, time.Now)
}

func places(s *indexer.Snapshot, r Result) []string {
	out := make([]string, len(r.Candidates))
	for i, c := range r.Candidates {
		chunk := s.Chunk(c.Chunk)
		out[i] = fmt.Sprintf("%s:%d", chunk.Path, chunk.StartLine+1)
	}
	return out
}

// firstOf returns the rank of a path's first result, from 0, and −1 if there is none.
func firstOf(s *indexer.Snapshot, r Result, path string) int {
	return slices.IndexFunc(r.Candidates, func(c *item.Item) bool { return s.Chunk(c.Chunk).Path == path })
}

func TestFirst(t *testing.T) {
	s := open(t)
	for _, tt := range []struct{ name, prompt, path, defines string }{
		{"an identifier, though others say it more often", "openLedger", "ledger/open.go", "openLedger"},
		{"an identifier in a question", "what does openLedger do?", "ledger/open.go", "openLedger"},
		{"a method by its type", "Journal.Flush", "ledger/journal.go", "Flush"},
		{"a method of another type of the same name", "Cache.Flush", "cache/cache.go", "Flush"},
		{"a name of snake case", "settle_account", "py/settle.py", "settle_account"},
		{"a file", "explain cache/cache.go", "cache/cache.go", ""},
		{"a file by its base name", "what is in settle.py", "py/settle.py", ""},
		{"a place of a stack trace", "goroutine 1 [running]:\nledger.(*Journal).Flush(...)\n\t/build/ledger/journal.go:14 +0x1b\n", "ledger/journal.go", "Flush"},
		{"a place of a compiler's message", "ledger/open.go:9:2: undefined: x", "ledger/open.go", "openLedger"},
		{"what raises an error", "error: ledger is sealed since yesterday", "ledger/journal.go", ""},
		{"a message and nothing else", "balance must not be negative", "py/settle.py", "settle_account"},
		{"a question by words", "where are balances reconciled at night?", "jobs/nightly.go", "Reconcile"},
		{"tests when asked for", "which test covers the ledger opening?", "ledger/open_test.go", ""},
		{"documentation when asked for", "documentation of the ledger: how is it opened?", "docs/ledger.md", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := ask(s, tt.prompt)
			if len(r.Candidates) == 0 {
				t.Fatal("nothing was found")
			}
			c := s.Chunk(r.Candidates[0].Chunk)
			if c.Path != tt.path || tt.defines != "" && !slices.Contains(c.Symbols, tt.defines) {
				t.Errorf("first is %s of %q\n%s", c.Symbols, c.Path, strings.Join(places(s, r), "\n"))
			}
		})
	}
}

// The folders of a missing file find nothing, because everything is in them. Those of an existing
// file do.
func TestFoldersOfAMissingFile(t *testing.T) {
	s := open(t)
	if r := ask(s, "fix ledger/zebra.go"); len(r.Candidates) > 0 && !r.Elsewhere {
		t.Errorf("%q", places(s, r))
	}
	if r := ask(s, "fix ledger/zebra.go, whose Flush is wrong"); firstOf(s, r, "ledger/journal.go") < 0 && firstOf(s, r, "cache/cache.go") < 0 {
		t.Errorf("%q", places(s, r))
	}
}

// Tests and documentation rank below the code that they are about, unless they are asked for.
func TestDemotion(t *testing.T) {
	s := open(t)
	plain := ask(s, "opening of the ledger")
	for _, behind := range []string{"ledger/open_test.go", "docs/ledger.md"} {
		if code, other := firstOf(s, plain, "ledger/open.go"), firstOf(s, plain, behind); code < 0 || other >= 0 && other < code {
			t.Errorf("%s at %d, the code at %d", behind, other, code)
		}
	}
	if at := firstOf(s, ask(s, "tests of the opening of the ledger"), "ledger/open_test.go"); at != 0 {
		t.Errorf("asked for tests, they stand at %d", at)
	}
}

func TestKeep(t *testing.T) {
	s := open(t)
	for _, mode := range []Mode{Hybrid, Lexical, Semantic, Symbols} {
		r := ask(s, "openLedger", func(r *Request) {
			r.Mode = mode
			r.Keep = func(path, language string) bool { return language == "python" || path == "cache/cache.go" }
		})
		for _, c := range r.Candidates {
			if p := s.Chunk(c.Chunk).Path; p != "cache/cache.go" && !strings.HasSuffix(p, ".py") {
				t.Errorf("mode %s answers %s", mode, p)
			}
		}
	}
	r := ask(s, "explain ledger/open.go", func(r *Request) { r.Keep = func(string, string) bool { return false } })
	if len(r.Candidates) != 0 {
		t.Errorf("nothing may be answered, and %v is", places(s, r))
	}
}

// The references in visible files are raised.
func TestNear(t *testing.T) {
	s := open(t)
	const prompt = "how is the amount rounded"
	of := func(r Result, path string) float64 {
		best := 0.0
		for _, c := range r.Candidates {
			if s.Chunk(c.Chunk).Path == path {
				best = max(best, c.Score)
			}
		}
		return best
	}
	far, near := ask(s, prompt), ask(s, prompt, func(r *Request) { r.Near = []string{"view/euro.go"} })
	if before, after := of(far, "money/euro.go")-of(far, "money/yen.go"), of(near, "money/euro.go")-of(near, "money/yen.go"); after <= before {
		t.Errorf("what the file in view refers to leads by %g, and by %g without the view", after, before)
	}
	if r := ask(s, prompt, func(r *Request) { r.Near = []string{"no/such.go", ""} }); len(r.Candidates) == 0 {
		t.Error("a file in view that is not indexed spoils the answer")
	}
}

func TestModes(t *testing.T) {
	s := open(t)
	symbol := ask(s, "flush", func(r *Request) { r.Mode = Symbols })
	if len(symbol.Candidates) < 2 {
		t.Fatalf("by symbol: %v", places(s, symbol))
	}
	for _, c := range symbol.Candidates {
		if !slices.ContainsFunc(s.Chunk(c.Chunk).Symbols, func(n string) bool { return strings.Contains(strings.ToLower(n), "flush") }) {
			t.Errorf("by symbol: %s defines %v", s.Chunk(c.Chunk).Path, s.Chunk(c.Chunk).Symbols)
		}
	}
	if got := ask(s, "Cache.Flush", func(r *Request) { r.Mode = Symbols }); len(got.Candidates) == 0 || s.Chunk(got.Candidates[0].Chunk).Path != "cache/cache.go" {
		t.Errorf("by symbol with its type: %v", places(s, got))
	}
	for mode, signals := range map[Mode][]string{Lexical: {"keyword"}, Semantic: {"vector"}, Hybrid: {"keyword", "vector"}} {
		r := ask(s, "nightly reconciliation of balances", func(r *Request) { r.Mode = mode })
		if len(r.Candidates) == 0 || len(r.Degraded) != 0 {
			t.Errorf("mode %s: %d candidates, degraded %v", mode, len(r.Candidates), r.Degraded)
			continue
		}
		have := map[string]bool{}
		for _, c := range r.Candidates {
			for name := range c.Signals {
				have[name] = true
			}
		}
		for _, name := range signals {
			if !have[name] {
				t.Errorf("mode %s: no signal %s", mode, name)
			}
		}
		if mode == Lexical && have["vector"] || mode == Semantic && have["keyword"] {
			t.Errorf("mode %s: signals %v", mode, have)
		}
		for _, st := range r.Stages {
			off := mode == Lexical && st.Name == "vector" || mode == Semantic && st.Name == "keyword"
			if (st.Outcome == "skipped") != off {
				t.Errorf("mode %s: stage %+v", mode, st)
			}
		}
	}
}

// Out of time, a search returns its results so far at once, and says so.
func TestNoTime(t *testing.T) {
	s := open(t)
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	for _, mode := range []Mode{Hybrid, Lexical, Semantic, Symbols} {
		start := time.Now()
		r := Run(ctx, s, Request{Query: "open the ledger", Intent: intent.Classify("open the ledger", intent.Context{}), Mode: mode, Limit: 10, Deadline: time.Second}, time.Now)
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("mode %s took %s", mode, took)
		}
		if len(r.Degraded) == 0 {
			t.Errorf("mode %s does not say that it lacks something: %+v", mode, r)
		}
	}
	r := ask(s, "open the ledger", func(r *Request) { r.Deadline = time.Nanosecond })
	if len(r.Degraded) == 0 {
		t.Errorf("with a nanosecond it does not say that it lacks something: %+v", r.Stages)
	}
}

func TestDeterminism(t *testing.T) {
	s := open(t)
	for _, prompt := range []string{"where are balances reconciled", "openLedger", "error: ledger is sealed since monday", "round amounts of money", "flush"} {
		var first Result
		for i := range 100 {
			r := ask(s, prompt)
			r.Stages = nil
			if i == 0 {
				first = r
			} else if !reflect.DeepEqual(r, first) {
				t.Fatalf("%q: run %d differs:\n%v\n%v", prompt, i, places(s, r), places(s, first))
			}
		}
	}
}

// For any prompt, candidates are live, distinct, in order, within the limit, and explained.
func TestShape(t *testing.T) {
	s := open(t)
	for _, prompt := range []string{"", " \n", "x", "the of and", "openLedger", strings.Repeat("ledger open flush ", 5000), "\xff\xfe", "Reviewed-by: A <a@b>\nledger", "索引", "a.go:99999999999999999999", "::::", "`", ".", "/"} {
		for _, mode := range []Mode{"", Hybrid, Lexical, Semantic, Symbols} {
			r := ask(s, prompt, func(r *Request) { r.Mode, r.Limit = mode, 7 })
			seen := map[int]bool{}
			for i, c := range r.Candidates {
				if seen[c.Chunk] || s.Chunk(c.Chunk).Path == "" || i > 0 && c.Score > r.Candidates[i-1].Score || len(c.Reasons) == 0 {
					t.Errorf("%.20q, mode %q: candidate %d is %+v", prompt, mode, i, c)
				}
				seen[c.Chunk] = true
			}
			if len(r.Candidates) > 7 {
				t.Errorf("%.20q, mode %q: %d candidates", prompt, mode, len(r.Candidates))
			}
		}
	}
}

func TestFilter(t *testing.T) {
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("f%02d.go", i)] = fmt.Sprintf("package p\n\n// F%d says %s.\nfunc F%d() {}\n", i, strings.Repeat("what it does ", 60), i)
	}
	s := index(t, files)
	list := func(score float64) (out []*item.Item) {
		for c := range s.Chunks() {
			out = append(out, &item.Item{Chunk: c, Score: score})
		}
		return out
	}
	sure := Result{Candidates: list(.5)}
	if kept, out, _ := sure.Filter(Relevant); len(kept) != len(sure.Candidates) || len(out) != 0 || len(sure.Worth()) != len(kept) {
		t.Errorf("of what helps %d stay, %d go, %d are worth naming", len(kept), len(out), len(sure.Worth()))
	}
	unsure := Result{Candidates: list(Mentioned / 2)}
	unsure.Candidates[5].Near = true
	if kept := unsure.Worth(); len(kept) != 1 || kept[0].Chunk != unsure.Candidates[5].Chunk {
		t.Errorf("of what hardly helps %v is worth naming", kept)
	}
	if kept, _, _ := unsure.Filter(Full); len(kept) != len(unsure.Candidates) {
		t.Errorf("a full bundle takes %d", len(kept))
	}
	located := Result{Candidates: list(likely / 2), Located: true}
	located.Candidates[3].Named = true
	if kept, out, least := located.Filter(Relevant); len(kept) != 1 || len(out)+1 != len(located.Candidates) || least != likely {
		t.Errorf("beside what the prompt points at %d stay, with at least %v", len(kept), least)
	}
	elsewhere := Result{Candidates: list(.5), Elsewhere: true}
	elsewhere.Candidates[3].Named = true
	if kept, _, _ := elsewhere.Filter(Full); len(kept) != 1 || kept[0].Chunk != elsewhere.Candidates[3].Chunk {
		t.Errorf("a prompt about something else gets %v", kept)
	}
	if kept, out, _ := (&Result{}).Filter(Relevant); len(kept)+len(out) != 0 {
		t.Error("made something of nothing")
	}
}

func TestTestFiles(t *testing.T) {
	for p, want := range map[string]bool{
		"pkg/a_test.go": true, "src/Shop.Tests/Cart.cs": true, "src/Shop.UnitTests/Cart.cs": true, "ShopUITests/Cart.swift": true,
		"lib/commonTest/kotlin/A.kt": true, "lib/src/androidTest/A.kt": true, "integration-tests/a.py": true, "a/cart-test.cc": true,
		"base/cart_unittest.cc": true, "a/test-cart.c": true, "web/cart.spec.ts": true, "src/CartTest.java": true, "__tests__/a.js": true,
		"src/latest/a.go": false, "src/contest/a.go": false, "src/attest.go": false, "protest/a.py": false, "testing/iotest.go": false,
		"src/Shop/Cart.cs": false, "src/testkit.go": false, "Latest.java": false,
	} {
		if got := IsTest(p); got != want {
			t.Errorf("IsTest(%q) = %t", p, got)
		}
	}
}
