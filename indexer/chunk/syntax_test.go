package chunk

import (
	"bytes"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestRuntime fails when the declarations of syntax.h are no longer those of
// the linked tree-sitter: every grammar loads, and a tree has the shape it had.
func TestRuntime(t *testing.T) {
	s := newSyntax()
	defer s.close()
	for name := range specs {
		l := languageOf(name)
		if l == nil {
			t.Fatalf("%s does not compile", name)
		}
		if _, err := s.parse(l.grammar, l.keep, []byte("x\n"), time.Minute); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	g := languageOf("go")
	nodes, err := s.parse(g.grammar, g.keep, []byte("package a\nfunc f() {}\n"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range nodes {
		got = append(got, strings.Repeat(".", int(n.parent))+g.grammar.fields[n.field]+":"+g.grammar.names[n.symbol])
	}
	want := []string{
		":source_file", ":package_clause", ".:package_identifier", ":function_declaration",
		"...name:identifier", "...parameters:parameter_list", "...body:block",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if root := nodes[0]; root.start != 0 || root.end != 22 || int(root.next) != len(nodes) {
		t.Errorf("root is %+v", root)
	}
}

// TestSpecs fails on a spec that names what its grammar does not have.
func TestSpecs(t *testing.T) {
	for name, s := range specs {
		l := languageOf(name)
		known := map[string]bool{}
		for _, n := range l.grammar.names {
			known[n] = true
		}
		for _, n := range l.grammar.fields {
			known[n] = true
		}
		for _, p := range specPaths(s) {
			for word := range strings.FieldsSeq(p) {
				if word = strings.TrimPrefix(word, "."); !known[word] && !elsewhere[word] {
					t.Errorf("%s: the grammar has no %q", name, word)
				}
			}
		}
	}
}

// elsewhere are words that TypeScript's specs take over from JavaScript's.
var elsewhere = map[string]bool{"field_definition": true, "jsx_opening_element": true, "jsx_self_closing_element": true}

func specPaths(s *spec) []string {
	var all []string
	for node, d := range s.defs {
		all = append(all, node, d.name, d.in)
	}
	for _, m := range []map[string]string{s.toward, s.calls, s.scopes} {
		for node, p := range m {
			all = append(all, node, p)
		}
	}
	for node := range s.visit {
		all = append(all, node)
	}
	for _, list := range [][]string{s.names, s.types, s.fields, s.uses, s.comments, s.lead, s.strings, s.tokens} {
		all = append(all, list...)
	}
	return all
}

// slow is a text that takes seconds to parse.
var slow = bytes.Repeat([]byte("("), 1<<17)

// TestOperationLimit: a parse that hits its limit says so, and the next file is
// not answered with what it left.
func TestOperationLimit(t *testing.T) {
	p := NewParser(Options{OperationLimit: 400_000})
	defer p.Close()
	if f := p.Parse("a.scala", slow); f.Problem != errTimeLimit.Error() || len(f.Chunks) == 0 {
		t.Errorf("problem %q, %d chunks", f.Problem, len(f.Chunks))
	}
	for _, name := range []string{"b.scala", "b.go"} {
		src := []byte("package b\n")
		if f := p.Parse(name, src); f.Problem != "" || len(f.Chunks) != 1 || f.Chunks[0].End != len(src) {
			t.Errorf("%s after it: %+v", name, f)
		}
	}
}

// TestBusyMachine: a parse that others keep from the processor for longer than its limit goes on,
// and returns the same tree as alone.
func TestBusyMachine(t *testing.T) {
	src := []byte("package a\n\n" + strings.Repeat("func f() { if a { b(c, d) } }\n", 8000))
	alone := NewParser(Options{})
	defer alone.Close()
	begun := time.Now()
	want := alone.Parse("a.go", src)
	took := time.Since(begun)
	if want.Problem != "" {
		t.Fatal(want.Problem)
	}
	var others sync.WaitGroup
	for range 6 * runtime.GOMAXPROCS(0) { // so that each takes about six times as long
		others.Go(func() {
			p := NewParser(Options{OperationLimit: int(3 * took.Microseconds())})
			defer p.Close()
			if got := p.Parse("a.go", src); !reflect.DeepEqual(got, want) {
				t.Errorf("beside others it has the problem %q and %d chunks of %d", got.Problem, len(got.Chunks), len(want.Chunks))
			}
		})
	}
	others.Wait()
}

// TestReadBudget: a scanner that runs to the end of the file at every byte is
// stopped although it never comes back to where time is looked at.
func TestReadBudget(t *testing.T) {
	p := NewParser(Options{OperationLimit: int(time.Hour.Microseconds())})
	defer p.Close()
	if f := p.Parse("a.lua", bytes.Repeat([]byte("é"), 1<<18)); f.Problem != errTimeLimit.Error() {
		t.Errorf("problem %q", f.Problem)
	}
}

// TestAbort: scanners that abort the process end the parse instead.
func TestAbort(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // the linker has no wrappers there
	}
	if !abortGuarded() {
		t.Fatal("abort came through")
	}
	p := NewParser(Options{})
	defer p.Close()
	for name, src := range map[string]string{
		"deep.kt": "val x = " + strings.Repeat(`"${`, 1100) + strings.Repeat(`}"`, 1100) + "\n",
		"long.rb": "x = <<~" + strings.Repeat("A", 300) + "\ntext\n" + strings.Repeat("A", 300) + "\n",
		"long.sh": "cat <<" + strings.Repeat("A", 1015) + "\ntext\n" + strings.Repeat("A", 1015) + "\n",
	} {
		f := p.Parse(name, []byte(src))
		if err := verify([]byte(src), f, defaultTarget); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %s", name, f.Problem)
		if f := p.Parse("a.go", []byte("package a\n\nfunc f() {}\n")); f.Problem != "" || len(f.Symbols) != 1 {
			t.Errorf("after %s: %+v", name, f)
		}
	}
}

// TestTreesAreClosed: nothing is left in C memory, whatever became of a parse.
func TestTreesAreClosed(t *testing.T) {
	p := NewParser(Options{OperationLimit: 200})
	for name, src := range samples(t) {
		p.Parse(name, src)
		p.Parse(name, bytes.Repeat(src, 50))
	}
	p.Parse("a.scala", slow)
	p.Close()
	p.Close()
	if n := liveTrees(); n != 0 {
		t.Errorf("%d trees are left", n)
	}
}

// TestParsersTogether: parsers on several goroutines give what one alone gives,
// also for Lua, whose scanner keeps its state in global variables.
func TestParsersTogether(t *testing.T) {
	all := samples(t)
	all["strings.lua"] = []byte("local s = [==[ x ]] y ]==]\nlocal t = 'it'\n--[[ c ]]\nfunction f() return [[a]] end\n")
	all["open.lua"] = []byte("local s = [===[ never closed\n")
	want := map[string]File{}
	p := NewParser(Options{})
	for name, src := range all {
		want[name] = p.Parse(name, src)
	}
	p.Close()
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			p := NewParser(Options{})
			defer p.Close()
			for range 3 {
				for name, src := range all {
					if got := p.Parse(name, src); !reflect.DeepEqual(got, want[name]) {
						t.Errorf("%s: got %+v, want %+v", name, got, want[name])
					}
				}
			}
		})
	}
	workers.Wait()
}
