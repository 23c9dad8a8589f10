package indexer

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// planted is the text that the tests' Redact removes.
const planted = "zyx" + "quux77" + "pass"

var plantedForm = regexp.MustCompile(`(?s)zyxquux[a-z0-9]+|BEGIN SESAME.*?END SESAME`)

// redactPlanted keeps the number of lines, as Options.Redact must.
func redactPlanted(_ string, text []byte) []byte {
	return plantedForm.ReplaceAllFunc(text, func(found []byte) []byte {
		return append([]byte("[REDACTED:test]"), bytes.Repeat([]byte("\n"), bytes.Count(found, []byte("\n")))...)
	})
}

func redacted(o *Options) { o.Redact, o.RedactID = redactPlanted, "test 1" }

// tells returns where a snapshot contains the planted text, "" for nowhere.
func tells(t *testing.T, s *Snapshot) string {
	t.Helper()
	has := func(b []byte) bool { return bytes.Contains(bytes.ToLower(b), []byte("zyxquux")) }
	if hits := keywordHits(t, s, planted); len(hits) > 0 {
		return "a search for it finds " + hits[0].place
	}
	if has([]byte(content(s))) {
		return "the descriptions of chunks and symbols"
	}
	r := s.NewReader()
	for f := range s.Files() {
		if text, _ := r.File(f); has(text) {
			return "the text of " + s.Path(f)
		}
	}
	for id := range s.Chunks() {
		if _, text, _ := r.Chunk(id); has(text) {
			return "a chunk of " + s.Chunk(id).Path
		}
	}
	history, err := s.History(context.Background(), lexical.Query([]byte(planted)))
	if err != nil {
		t.Fatal(err)
	}
	for f, v := range history.Files {
		if v > 0 {
			return "the commit message about " + s.Path(f)
		}
	}
	return ""
}

// writePlanted fills a workspace with the planted text in every input.
func writePlanted(w workspace) {
	w.fill(random(50), 30)
	w.write("code.go", "package p\n\nconst Zyx = \""+planted+"\"\n\n// "+planted+" is a word\nfunc "+planted+"() string { return \"after\" }\n")
	w.write("block.go", "package p\n\nvar key = `BEGIN SESAME\nzyx\n"+planted+"\nEND SESAME`\n\nfunc Below() {}\n")
	w.write("notes.md", "# "+planted+"\n\nThe pass word is "+planted+", tell nobody.\n")
	w.write("conf.yaml", planted+":\n  token: "+planted+"\n")
	w.git("init", "-q")
	w.git("add", ".")
	w.git("commit", "-q", "-m", "rotate "+planted+"\n\nIt was "+planted+" before.")
}

func TestRedacted(t *testing.T) {
	w := newWorkspace(t)
	writePlanted(w)
	dir := t.TempDir()
	x := w.open(dir, redacted)
	settle(t, x)
	s := x.current.Load()
	if where := tells(t, s); where != "" {
		t.Errorf("told by %s", where)
	}
	for _, name := range []string{"code.go", "block.go", "notes.md", "conf.yaml"} {
		f, ok := s.File(name)
		if !ok {
			t.Fatalf("%s is not indexed", name)
		}
		text, gate := s.NewReader().File(f)
		raw, err := os.ReadFile(w.abs(name))
		w.must(err)
		if gate != "" || !strings.Contains(string(text), "[REDACTED:test]") || strings.Count(string(text), "\n") != strings.Count(string(raw), "\n") {
			t.Errorf("%s reads as %q, gate %q", name, text, gate)
		}
	}
	if below := s.Symbols().Definitions("Below", 2); len(below) != 1 || below[0].Line != 7 {
		t.Errorf("what stands below a block moved: %+v", below)
	}
	if s.history == nil || s.history.corpus.LiveDocs != 1 || len(historyHits(t, s, "rotate")) == 0 {
		t.Error("the commit is not found by the rest of its message")
	}
	shut(t, x)
	w.must(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(planted)) {
			t.Errorf("%s holds it", filepath.Base(path))
		}
		return err
	}))
}

func historyHits(t *testing.T, s *Snapshot, query string) []hit {
	t.Helper()
	match, err := s.History(context.Background(), lexical.Query([]byte(query)))
	if err != nil || match.Files == nil {
		t.Fatalf("history: %v, %v", match.Files, err)
	}
	return ranked(s.Files(), func(f int) float32 { return match.Files[f] }, s.Path)
}

// The control of all tests here: without redaction they find the planted text.
func TestNotRedacted(t *testing.T) {
	w := newWorkspace(t)
	writePlanted(w)
	s := w.index().current.Load()
	if tells(t, s) == "" || len(historyHits(t, s, planted)) == 0 || len(s.Symbols().Definitions(planted, 1)) != 1 {
		t.Error("the tests would not see an index that tells")
	}
}

// An unsaved buffer is redacted like a file, and its positions refer to the redacted text.
func TestRedactedBuffer(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(51), 20)
	w.write("a.go", "package a\n")
	x := w.index(redacted)
	o := NewOverlay()
	buffers := []Buffer{
		{Path: "a.go", Text: []byte("package a\n\nconst k = \"" + planted + "\" // é𝄞\n\nfunc " + planted + "() {}\n\nfunc After() {}\n")},
		{Path: "untitled:1", Text: []byte("BEGIN SESAME\n" + planted + "\nEND SESAME\nplain words\n")},
	}
	s := x.With(context.Background(), x.current.Load(), o, buffers)
	if where := tells(t, s); where != "" {
		t.Errorf("told by %s", where)
	}
	if after := s.Symbols().Definitions("After", 2); len(after) != 1 || after[0].Line != 6 {
		t.Errorf("After is at %+v", after)
	}
	for id := range s.Chunks() {
		if c, text, gate := s.NewReader().Chunk(id); c.Path != "" && (gate != "" || len(text) != c.End-c.Start) {
			t.Errorf("chunk %d of %s: gate %q, %d bytes", id, c.Path, gate, len(text))
		}
	}
	// Saved text equal to the buffer costs nothing.
	w.write("a.go", string(buffers[0].Text))
	saved := w.index(redacted)
	if base := saved.current.Load(); saved.With(context.Background(), base, NewOverlay(), buffers[:1]) != base {
		t.Error("a buffer that says what is indexed is laid over it")
	}
}

// A file that got a secret before the index noticed is shown without it.
func TestRedactedWhenReadAgain(t *testing.T) {
	w := newWorkspace(t)
	w.write("p.go", threeFunctions)
	s := w.index(redacted).current.Load()
	w.write("p.go", strings.Replace(threeFunctions, "return 2", "return \""+planted+"\"", 1))
	defs := s.Symbols().Definitions("Second", 1)
	id, _ := s.ChunkAt(defs[0].File, defs[0].Line)
	_, text, gate := s.NewReader().Chunk(id)
	if gate != "" || !strings.Contains(string(text), "return \"[REDACTED:test]\"") || strings.Contains(string(text), planted) {
		t.Errorf("gate %q, text %q", gate, text)
	}
}

// A file of which only the secret changed is read once more, found to be equal after redaction, and
// left alone.
func TestOnlyTheSecretChanged(t *testing.T) {
	w := newWorkspace(t)
	w.write("a.go", "package a\n\nconst k = \""+planted+"1\"\n")
	var calls atomic.Int64
	x := w.index(watched, func(o *Options) {
		redacted(o)
		o.Redact = func(path string, text []byte) []byte {
			if path == "a.go" {
				calls.Add(1)
			}
			return redactPlanted(path, text)
		}
	})
	before := content(x.current.Load())
	was := calls.Load()
	w.write("a.go", "package a\n\nconst k = \""+planted+"22222\"\n")
	until(t, x, "the file to be read", func(s *Snapshot) bool { return calls.Load() > was })
	settle(t, x)
	if got := content(x.current.Load()); got != before {
		t.Error(firstDifference(got, before))
	}
}

// Text without anything to redact is not scanned again while it is unchanged.
func TestCleanTextIsScannedOnce(t *testing.T) {
	w := newWorkspace(t)
	w.write("clean.go", threeFunctions)
	var calls atomic.Int64
	x := w.index(func(o *Options) {
		o.Redact = func(path string, text []byte) []byte {
			calls.Add(1)
			return redactPlanted(path, text)
		}
	})
	s := x.current.Load()
	for range 5 {
		if _, _, gate := s.NewReader().Chunk(0); gate != "" {
			t.Fatal(gate)
		}
		x.With(context.Background(), s, NewOverlay(), []Buffer{{Path: "clean.go", Text: []byte(threeFunctions)}})
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("scanned %d times", n)
	}
	w.write("clean.go", threeFunctions+"// "+planted+"\n")
	if text, _ := s.NewReader().File(0); calls.Load() != 2 || strings.Contains(string(text), planted) {
		t.Errorf("scanned %d times, text %q", calls.Load(), text)
	}
}

// An index built without redaction, or under other rules, serves none of its content, neither when
// opened nor while paused, and its folder contains none of it either.
func TestOtherRedactionRebuilds(t *testing.T) {
	for name, before := range map[string]func(*Options){
		"none":        func(*Options) {},
		"other rules": func(o *Options) { o.Redact, o.RedactID = func(_ string, b []byte) []byte { return b }, "test 0" },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t)
			writePlanted(w)
			dir := t.TempDir()
			x := w.open(dir, before)
			settle(t, x)
			shut(t, x)

			paused := w.open(dir, redacted, func(o *Options) { o.Paused = true })
			s := paused.current.Load()
			if where := tells(t, s); where != "" || s.LiveFiles() > 0 {
				t.Errorf("%d files are served, told by %q", s.LiveFiles(), where)
			}
			paused.SetPaused(false)
			until(t, paused, "the files to come", has("code.go"))
			settle(t, paused)
			if where := tells(t, paused.current.Load()); where != "" {
				t.Errorf("told by %s", where)
			}
			if errs := paused.Status().Errors; len(errs) > 0 {
				t.Errorf("it is no fault: %q", errs)
			}
			shut(t, paused)

			again := w.open(dir, redacted)
			settle(t, again)
			if n := again.Status().Parsed; n > 0 {
				t.Errorf("%d files were read again under the same rules", n)
			}
			shut(t, again)
		})
	}
}

// Neither a document nor a query is sent to a model with redacted text.
func TestModelSeesRedactedText(t *testing.T) {
	w := newWorkspace(t)
	writePlanted(w)
	m := &letters{name: "alpha", sent: map[string]int{}}
	asked := &askedOf{letters: m}
	x := w.index(redacted)
	x.SetModel(asked)
	awaitModelStatus(t, x, func(st ModelStatus) bool { return st.Serving && st.Pending == 0 })
	if _, ok, err := x.current.Load().Vectors().ByModel(t.Context(), "what is "+planted+" for"); !ok || err != nil {
		t.Fatal(ok, err)
	}
	m.set(func() {
		marked := 0
		for _, d := range asked.documents {
			if strings.Contains(strings.ToLower(d.Title+d.Body), planted) {
				t.Errorf("the model was sent %q", d)
			}
			marked += strings.Count(d.Title+d.Body, "[REDACTED:test]")
		}
		if marked < 6 {
			t.Errorf("%d of the documents' secrets were sent as taken out", marked)
		}
	})
	if got := asked.query.Load().(string); got != "what is [REDACTED:test] for" {
		t.Errorf("the model was asked %q", got)
	}
}

// askedOf is a letters model that records the documents and the last query.
type askedOf struct {
	*letters
	query     atomic.Value
	documents []encode.Document // guarded by mu
}

func (m *askedOf) Documents(ctx context.Context, texts []encode.Document) ([][]float32, []error, error) {
	m.set(func() { m.documents = append(m.documents, texts...) })
	return m.letters.Documents(ctx, texts)
}

func (m *askedOf) Query(ctx context.Context, text string) ([]float32, error) {
	m.query.Store(text)
	return m.letters.Query(ctx, text)
}

// The cache of texts that need no redaction is bounded.
func TestRedactorForgets(t *testing.T) {
	calls := 0
	redact := newRedact(func(_ string, text []byte) []byte { calls++; return text })
	text := make([]byte, 8)
	number := func(i int) []byte {
		for k := range text {
			text[k] = byte(i >> (8 * k))
		}
		return text
	}
	const n = 3 * redactionsKept
	for i := range n {
		redact("a", number(i))
	}
	redact("a", number(n-1))
	if calls != n {
		t.Errorf("%d calls for %d texts", calls, n)
	}
	if redact("a", number(0)); calls != n+1 {
		t.Error("nothing is ever forgotten")
	}
	if redact("b", number(n-1)); calls != n+2 {
		t.Error("the same text under another path is not looked at")
	}
}

// TestRedactorKnowsRedactedTexts checks that a text from which something was removed is not scanned
// again, and that redacted texts do not fill the memory.
func TestRedactorKnowsRedactedTexts(t *testing.T) {
	calls := 0
	redact := newRedact(func(_ string, text []byte) []byte {
		calls++
		return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("key"), []byte("[x]")), []byte("gone"), nil)
	})
	for text, want := range map[string]string{
		"key": "[x]", "a key and a key b": "a [x] and a [x] b", "gone": "", "xgonex": "xx", "gone gone": " ", "aaagonea": "aaaa", "nothing": "nothing",
	} {
		before := calls
		for range 2 {
			if got := redact("a", []byte(text)); string(got) != want || calls != before+1 {
				t.Errorf("%q becomes %q after %d calls, want %q", text, got, calls-before, want)
			}
		}
	}
	large := append(bytes.Repeat([]byte("key "), redactedBytes/8), "0"...)
	for i := range 6 {
		large[len(large)-1] = '0' + byte(i)
		redact("a", large)
	}
	before := calls
	if redact("a", []byte("key")); calls != before+1 {
		t.Error("redacted texts are never forgotten")
	}
}

// Cold indexing without Redact is as fast as before; the figure to compare is the time of one pass.
func BenchmarkColdNoRedact(b *testing.B) { benchmarkCold(b, nil) }

// With a Redact that costs nothing the difference is the cost of the hook.
func BenchmarkColdRedactNothing(b *testing.B) {
	benchmarkCold(b, func(_ string, text []byte) []byte { return text })
}

func benchmarkCold(b *testing.B, redact func(string, []byte) []byte) {
	root := b.TempDir()
	r := random(7)
	for i := range 2000 {
		name := filepath.Join(root, pick(r, nouns), pick(r, verbs)+string(rune('a'+i%26)), "f"+time.Duration(i).String()+pick(r, extensions))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(sourceText(r, name)+sourceText(r, name)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		opts := options(root, b.TempDir())
		opts.Redact = redact
		x, err := Open(context.Background(), opts)
		if err != nil {
			b.Fatal(err)
		}
		if err := x.Wait(context.Background()); err != nil {
			b.Fatal(err)
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
