package server_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// shapes is a workspace with a name of each kind that a lookup handles.
var shapes = map[string]string{
	"pool/pool.go": `package pool

// Store keeps connections.
type Store interface {
	Acquire() int
	Release(n int)
}

// Pool is a store.
type Pool struct{ free []int }

// Acquire takes a connection; it blocks until one is free.
func (p *Pool) Acquire() int { return p.take() }

// Release gives a connection back.
func (p *Pool) Release(n int) {
	p.free = append(p.free, n)
}

// take is not exported.
func (p *Pool) take() int {
	return len(p.free) // take speaks of itself
}

// run is a common word.
func run(p *Pool) int { return p.Acquire() }
`,
	"lock/lock.go": `package lock

// Lock is no store.
type Lock struct{}

// Acquire takes the lock.
func (l *Lock) Acquire() bool { return true }

func run(l *Lock) { l.Acquire() }
`,
	"main.go": `package main; import "example.com/pool"

func main() {
	p := &pool.Pool{}
	n := p.Acquire()
	println("Acquire in a string", n)
	handler(p.Acquire)
}

func run() { main() }
`,
	"main_test.go": "package main; import \"example.com/pool\"\n\nfunc TestMain() { new(pool.Pool).Acquire() }\n",
	"shapes.py": `from abc import ABC


class Shape(ABC):
    """A Shape has an area."""

    def area(self) -> float:
        raise NotImplementedError


class Square(
    Shape,
    metaclass=type,
):
    def area(self) -> float:
        return self.side * self.side


def total(shapes: list[Shape]) -> float:
    return sum(s.area() for s in shapes)
`,
	"Pipe.java": `class Pipe<T extends Valve> implements Closeable<T>, Valve.Part {
    @Override
    public void close() { }
}

interface Valve { }

class Tap extends Pipe<Valve> implements Valve { }
`,
	"sink.rs": "pub trait Sink {\n    fn matched(&self);\n}\n\npub struct Json;\n\nimpl Sink for Json {\n    fn matched(&self) {}\n}\n",
}

func symbolOf(t *testing.T, e *servertest.Editor, a args) command.SymbolResult {
	t.Helper()
	return ask[command.SymbolResult](t, e, "contexture.symbol", a)
}

func placesOf(list []command.Definition) (out []string) {
	for _, d := range list {
		out = append(out, fmt.Sprintf("%s:%d", d.Path, d.Range.Start.Line+1))
	}
	return out
}

func usesOf(list []command.Occurrence, unsure bool) (out []string) {
	for _, o := range list {
		if o.Unsure == unsure {
			out = append(out, fmt.Sprintf("%s:%d", o.Path, o.Range.Start.Line+1))
		}
	}
	return out
}

// TestSymbol checks definitions, uses and implementations of names that are exported, private,
// common, in several languages, or unknown.
func TestSymbol(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, shapes)}})
	e.AwaitIdle()
	for _, tt := range []struct {
		name                                              string
		path                                              string
		definitions, uses, unsure, implementations, alike []string
	}{
		{name: "Pool.Acquire", definitions: []string{"pool/pool.go:13"}, uses: []string{"pool/pool.go:26", "main.go:5", "main.go:7", "main_test.go:3"}},
		{name: "(*Pool).Acquire()", definitions: []string{"pool/pool.go:13"}, uses: []string{"pool/pool.go:26", "main.go:5", "main.go:7", "main_test.go:3"}},
		{name: "Store.Acquire", definitions: []string{"pool/pool.go:5"}, implementations: []string{"pool/pool.go:13"},
			unsure: []string{"pool/pool.go:26", "main.go:5", "main.go:7", "main_test.go:3"}},
		{name: "take", definitions: []string{"pool/pool.go:21"}, uses: []string{"pool/pool.go:13"}},
		{name: "Store", definitions: []string{"pool/pool.go:4"}, implementations: []string{"pool/pool.go:10"}},
		{name: "run", definitions: []string{"lock/lock.go:9", "main.go:10", "pool/pool.go:26"}},
		{name: "run", path: "pool", definitions: []string{"pool/pool.go:26"}},
		{name: "Shape", definitions: []string{"shapes.py:4"}, implementations: []string{"shapes.py:11"}, uses: []string{"shapes.py:12", "shapes.py:19"}},
		{name: "Shape.area", definitions: []string{"shapes.py:7"}, implementations: []string{"shapes.py:15"}, uses: []string{"shapes.py:20"}},
		{name: "Pipe", definitions: []string{"Pipe.java:1"}, implementations: []string{"Pipe.java:8"}},
		{name: "Valve", definitions: []string{"Pipe.java:6"}, implementations: []string{"Pipe.java:8"}, uses: []string{"Pipe.java:1"}},
		{name: "close", definitions: []string{"Pipe.java:3"}},
		{name: "Sink", definitions: []string{"sink.rs:1"}, implementations: []string{"sink.rs:7"}},
		{name: "Sink.matched", definitions: []string{"sink.rs:2"}, implementations: []string{"sink.rs:8"}},
		{name: "println", uses: []string{"main.go:6"}},
		{name: "Pool.Acquirre", alike: []string{"pool/pool.go:13"}},
		{name: "Squares", alike: []string{"shapes.py:11"}},
		{name: "zzz"},
	} {
		asked := args{"name": tt.name}
		if tt.path != "" {
			asked["path"] = tt.path
		}
		r := symbolOf(t, e, asked)
		got := map[string][2][]string{
			"definitions": {placesOf(r.Definitions), tt.definitions}, "uses": {usesOf(r.Occurrences, false), tt.uses},
			"unsure uses": {usesOf(r.Occurrences, true), tt.unsure}, "implementations": {placesOf(r.Implementations), tt.implementations},
		}
		for what, lists := range got {
			if !slices.Equal(lists[0], lists[1]) {
				t.Errorf("%s %s: %s are %v, want %v", tt.name, tt.path, what, lists[0], lists[1])
			}
		}
		if similar := placesOf(r.Similar); len(tt.alike) > 0 && (len(similar) == 0 || similar[0] != tt.alike[0]) || len(tt.alike) == 0 && len(r.Definitions) > 0 && len(similar) > 0 {
			t.Errorf("%s: similar are %v, want %v first", tt.name, similar, tt.alike)
		}
	}
	r := symbolOf(t, e, args{"name": "Acquire", "limit": 1})
	if r.More.Definitions != 2 || r.More.Occurrences < 3 || len(r.Definitions) != 1 || len(r.Occurrences) != 1 {
		t.Errorf("with a limit of one: %+v", r)
	}
	if m := r.Mentions; len(m) != 1 || r.More.Mentions == 0 {
		t.Errorf("with a limit of one the mentions are %+v, and %d more", m, r.More.Mentions)
	}
	for _, o := range symbolOf(t, e, args{"name": "Store.Acquire"}).Occurrences {
		if o.Probability <= 0 || o.Probability >= 1 {
			t.Errorf("an uncertain line has the probability %v: %+v", o.Probability, o)
		}
	}
	d := symbolOf(t, e, args{"name": "Pool.Acquire"}).Definitions[0]
	if d.Signature != "func (p *Pool) Acquire() int { return p.take() }" || d.TextLine != 11 || !strings.HasPrefix(d.Text, "// Acquire takes a connection") || d.Kind != "method" {
		t.Errorf("the definition is %+v", d)
	}
	if full := ask[command.RecallResult](t, e, "contexture.recall", args{"expand": d.ID}); !strings.Contains(full.Text, "func (p *Pool) Acquire()") {
		t.Errorf("the definition's id brings %s", full.Text)
	}
	refused(t, e, "contexture.symbol", args{}, "name", "")
	refused(t, e, "contexture.symbol", args{"name": "x", "limit": 0}, "limit", "")
}

// TestSymbolsOfFile checks that a path without a name lists the file's symbols, and that a language
// without symbols is named.
func TestSymbolsOfFile(t *testing.T) {
	root := servertest.Tree(t, map[string]string{
		"pkg/a.go": "package pkg\n\ntype Pool struct{}\n\nfunc (p *Pool) Take() {}\n", "pkg/b.go": "package pkg\n\nfunc Other() {}\n",
		"ui/app.nim": "proc takeQuoll() =\n  echo 1\n",
	})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	for path, want := range map[string]string{"pkg/a.go": "Pool Take", filepath.Join(root, "pkg/b.go"): "Other", "pkg": "Pool Take Other", "ui/app.nim": "", "none.go": ""} {
		r := symbolOf(t, e, args{"path": path})
		var got []string
		for _, d := range r.Definitions {
			got = append(got, d.Name)
		}
		if strings.Join(got, " ") != want || (len(r.Unparsed) > 0) != (path == "ui/app.nim") {
			t.Errorf("%s: %q, unparsed %q, want %q", path, got, r.Unparsed, want)
		}
	}
	if r := symbolOf(t, e, args{"name": "takeQuoll"}); len(r.Definitions) > 0 || strings.Join(r.Unparsed, " ") != "nim" {
		t.Errorf("a name in a language without symbols: %+v", r)
	}
	if r := symbolOf(t, e, args{"name": "takeNothing"}); r.Unparsed != nil {
		t.Errorf("a name that nothing has: %+v", r)
	}
}

func TestSyntax(t *testing.T) {
	e := servertest.Start(t, servertest.Options{})
	texts := []string{"func Größe() int { return 1 }", "'ü'", "Just words.", "x = 1", ""}
	request := args{"texts": []args{
		{"path": "a/b.go", "text": texts[0]}, {"language": "TypeScript", "path": "a.go", "text": texts[1]}, {"language": "klingon", "text": texts[2]},
		{"path": "setup.py", "text": texts[3]}, {"language": "rust", "text": texts[4]},
	}}
	var r command.SyntaxResult
	e.Eventually("the machine has time for five short texts", func() bool {
		r = ask[command.SyntaxResult](t, e, "contexture.syntax", request)
		return len(r.Degraded) == 0
	})
	if len(r.Texts) != len(texts) {
		t.Fatalf("%d texts", len(r.Texts))
	}
	for i, want := range []string{
		"go keyword:func function:Größe type:int keyword:return number:1", "typescript string:'ü'", "", "python operator:= number:1", "rust",
	} {
		got := []string{r.Texts[i].Language}
		for _, s := range r.Texts[i].Spans {
			got = append(got, s.Kind+":"+texts[i][s.Start:s.End])
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%d: %s, want %s", i, text, want)
		}
	}
}

func TestSyntaxLimits(t *testing.T) {
	e := servertest.Start(t, servertest.Options{})
	many := func(n, bytes int) args {
		list := []args{}
		for range n {
			list = append(list, args{"language": "go", "text": strings.Repeat("x", bytes)})
		}
		return args{"texts": list}
	}
	for _, tt := range []struct {
		args  args
		field string
	}{
		{many(0, 0), ""}, {many(50, 10), ""}, {many(51, 1), "texts"}, {many(2, command.MaxSyntaxBytes/2+1), "texts"},
		{args{}, "texts"}, {args{"texts": []args{{"path": "a.go"}}}, "texts[0].text"},
	} {
		err := e.Execute("contexture.syntax", tt.args, nil)
		var refused *servertest.Error
		switch {
		case tt.field == "" && err != nil:
			t.Errorf("%.80v: %v", tt.args, err)
		case tt.field != "" && (!errors.As(err, &refused) || refused.Code != command.CodeInvalidParams || refused.Data.Field != tt.field):
			t.Errorf("%.80v: %v, want %s refused", tt.args, err, tt.field)
		}
	}
	// Text that takes too long to parse has no spans, and the answer says so; the texts after it
	// are still parsed.
	slow := ask[command.SyntaxResult](t, e, "contexture.syntax", args{"texts": []args{
		{"language": "go", "text": strings.Repeat("func a() { b(c, `d`) }\n", 44_000)}, {"language": "klingon", "text": "x"},
	}})
	if len(slow.Degraded) != 1 || slow.Degraded[0].Stage != "syntax" || !strings.HasPrefix(slow.Degraded[0].Detail, "texts[0] ") || len(slow.Texts) != 2 ||
		len(slow.Texts[0].Spans) != 0 || slow.Texts[0].Language != "go" {
		t.Errorf("a text of a megabyte: %+v", slow.Degraded)
	}
}
