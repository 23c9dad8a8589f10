package retrieve

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/indexer"
)

// TestTemplateCode checks what of a component's line counts as code.
func TestTemplateCode(t *testing.T) {
	for _, c := range []struct{ language, line, want string }{
		{"vue", `<b @click="pay('x')" class="pay()">`, `<b @click="pay('x')" class="     ">`},
		{"vue", `  :a="pay(1)" v-if="b"`, `  :a="pay(1)" v-if="b"`},
		{"vue", `const a = "pay()"`, `const a = "     "`},
		{"svelte", `<b title="{pay()}">`, `<b title="{pay()}">`},
		{"svelte", `let a = "pay()"`, `let a = "     "`},
		{"typescript", `a="pay()"`, `a="     "`},
		{"ocaml", `pay x (* pay y *)`, `pay x`},
		{"julia", `pay(x) # pay(y)`, `pay(x)`},
		{"dart", `a('pay()')`, `a('     ')`},
	} {
		if got := codeOf(c.line, c.language); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.language, c.line, got, c.want)
		}
	}
	for name, want := range map[string]string{"MyButton": "<my-button", "Button": "", "myButton": "", "": ""} {
		if got := elementOf(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestOtherMembers checks which names mean a function or method.
func TestOtherMembers(t *testing.T) {
	function := indexer.Symbol{Name: "glob", Kind: "function", Path: "src/files.ts"}
	method := indexer.Symbol{Name: "Login", Kind: "method", Container: "*Auth", Path: "auth/auth.go"}
	imports := importedNames(strings.Split("import * as disk from './files'\nimport {\n  tool,\n} from 'tools'\nconst p = import.meta.glob('./*')\nimport.meta.hot()\n", "\n"), "typescript")
	for _, c := range []struct {
		symbol         indexer.Symbol
		language, line string
		want           bool
	}{
		{function, "typescript", "const p = import.meta.glob('./*')", true},
		{function, "typescript", "x = disk.glob('./*')", false},
		{function, "typescript", "x = tool.glob('./*')", false},
		{function, "typescript", "x = files.glob('./*')", false},
		{function, "typescript", "x = glob('./*')", false},
		{function, "typescript", "exports.glob = 1", false},
		{function, "c", "ops->glob(1)", true},
		{function, "kotlin", "x.glob()", false},
		{function, "cpp", "ns::glob(1)", false},
		{method, "go", "if x.Login == name {", true},
		{method, "go", "x.Login(name)", false},
		{method, "go", "Auth.Login", false},
		{method, "go", "auth.Login", false},
		{method, "ruby", "x.Login", false},
		{method, "go", "Login(name)", true},
		{method, "go", "f().Login(name)", false},
		{method, "rust", "<T as Auth>::Login(name)", false},
		{method, "kotlin", "Login(name)", false},
		{method, "python", "f(Login)", false},
		{indexer.Symbol{Name: "Login", Kind: "method", Container: "window"}, "javascript", "Login(name)", false},
		{indexer.Symbol{Name: "Login", Kind: "field", Container: "Form"}, "go", "x.Login", false},
	} {
		got := false
		eachName(c.line, func(name, qualifier, rest string) {
			if name == c.symbol.Name {
				got = newNameUse(c.line, name, qualifier, rest, c.language).isOther(c.symbol, func() bool { return imports[qualifier] })
			}
		})
		if got != c.want {
			t.Errorf("%s, %s: %t, want %t", c.language, c.line, got, c.want)
		}
	}
}

// TestBareCalls checks that a bare call is no call of a method where methods have owners, unless
// the file gives the name to a variable or to a parameter.
func TestBareCalls(t *testing.T) {
	s := index(t, map[string]string{
		"suite.ts":     "export class Suite {\n  describe(name: string) {\n    return name\n  }\n  all() {\n    return this.describe('all')\n  }\n}\n",
		"a.test.ts":    "import { describe } from 'vitest'\n\ndescribe('a', () => {})\n",
		"b.test.ts":    "// describe it\ndescribe('b', () => {})\n",
		"use.ts":       "import { Suite } from './suite'\nexport function use(s: Suite) {\n  return s.describe('x')\n}\n",
		"chain.ts":     "export function chain(s: any) {\n  return s.\n    describe('x')\n}\n",
		"taken.ts":     "export function taken(s: any) {\n  const { describe } = s\n  return describe('x')\n}\n",
		"plan.py":      "class Plan:\n    def outline(self, text):\n        return text\n\n    short = outline(None, 'x')\n\n\ndef run(plan):\n    outline('y')\n    return plan.outline('z')\n",
		"pool/pool.go": "package pool\n\ntype Pool struct{}\n\nfunc (p *Pool) Borrow() int { return 1 }\n",
		"other/use.go": "package other\n\nimport \"example.com/pool\"\n\nfunc first(p *pool.Pool) int { return p.Borrow() }\n\nfunc third(p *pool.Pool) int {\n\tBorrow := p.Borrow\n\treturn Borrow()\n}\n",
		"more/use.go":  "package more\n\nfunc second() int { return Borrow() }\n",
	})
	for name, want := range map[string]string{
		"describe": "chain.ts:3 suite.ts:6 taken.ts:2 taken.ts:3 use.ts:3", "outline": "plan.py:10 plan.py:5", "Borrow": "other/use.go:5 other/use.go:8 other/use.go:9",
	} {
		var got []string
		for _, o := range LookUp(t.Context(), s, SymbolQuery{Name: name, Limit: 20}).Occurrences {
			got = append(got, fmt.Sprintf("%s:%d", o.Path, o.Line+1))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s is used at %v, want %s", name, got, want)
		}
	}
}

// TestCallersInJava checks the probabilities of calls that may run one of several methods, of a
// method whose name is a common word, and of one in a class without a name.
func TestCallersInJava(t *testing.T) {
	s := index(t, map[string]string{
		"shop/Reader.java":   "package shop;\n\npublic abstract class Reader {\n  public abstract String read();\n  boolean has(int n) { return n > 0; }\n}\n",
		"shop/Readers.java":  "package shop;\n\nclass Readers {\n  static Reader of(String s) {\n    return new Reader() {\n      public String read() { return s; }\n    };\n  }\n}\n",
		"shop/Use.java":      "package shop;\n\nclass Use {\n  String all(Reader r) {\n    if (r.has(1)) {\n      return r.read();\n    }\n    return null;\n  }\n}\n",
		"other/Unknown.java": "package other;\n\nclass Unknown {\n  void all(java.io.Reader r) throws Exception {\n    r.read();\n  }\n}\n",
	})
	for name, want := range map[string]string{
		"Reader.read": "shop/Use.java:6 1", "of.read": "shop/Use.java:6 0.5", "Reader.has": "shop/Use.java:5 1", "Reader": "shop/Readers.java:4 1 shop/Readers.java:5 1 shop/Use.java:4 1",
	} {
		var got []string
		for _, o := range LookUp(t.Context(), s, SymbolQuery{Name: name, Limit: 20}).Occurrences {
			got = append(got, fmt.Sprintf("%s:%d %v", o.Path, o.Line+1, o.Chance))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s is used at %v, want %s", name, got, want)
		}
	}
}

// TestCallersInC checks the calls of functions of C, static or not, with fields and macros of their
// names, and the probabilities of calls of virtual methods of C++.
func TestCallersInC(t *testing.T) {
	s := index(t, map[string]string{
		"a.h":      "struct ops { int (*send)(int); };\nint send_all(int n);\n#define SEND(n) send_all(n)\n",
		"a.c":      "#include \"a.h\"\n\nstatic int send(int n)\n{\n  return n;\n}\n\nint send_all(int n)\n{\n  return send(n);\n}\n",
		"b.c":      "#include \"a.h\"\n\nint run(struct ops *o)\n{\n  o->send(1);\n  return send_all(2);\n}\n",
		"env.h":    "#pragma once\n#include <string>\n\nclass Env {\n public:\n  virtual ~Env();\n  virtual int Open(const std::string& name,\n                   int mode) = 0;\n};\n",
		"posix.cc": "#include \"env.h\"\n\nclass Posix : public Env {\n public:\n  int Open(const std::string& name, int mode) override;\n};\n\nint Posix::Open(const std::string& name, int mode) {\n  return mode;\n}\n",
		"use.cc":   "#include \"env.h\"\n\nvoid Run(Env* env) {\n  env->Open(\"x\", 1);\n  env->~Env();\n}\n",
		"env.cc":   "#include \"env.h\"\n\nEnv::~Env() {\n}\n",
	})
	for name, want := range map[string]string{
		"send": "a.c:10 1", "send_all": "a.h:3 1 b.c:6 1", "Env.Open": "use.cc:4 1", "Posix::Open": "use.cc:4 0.5", "Env::~Env": "use.cc:5 1",
	} {
		var got []string
		for _, o := range LookUp(t.Context(), s, SymbolQuery{Name: name, Limit: 20}).Occurrences {
			got = append(got, fmt.Sprintf("%s:%d %v", o.Path, o.Line+1, o.Chance))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s is used at %v, want %s", name, got, want)
		}
	}
}

// TestCallersInRust checks the calls of methods of one name by the types of their receivers, also
// in the arguments of macros and among items in one, and the probability of a call by a trait.
func TestCallersInRust(t *testing.T) {
	s := index(t, map[string]string{
		"Cargo.toml":   "[package]\nname = \"shop\"\n",
		"src/lib.rs":   "pub mod disk;\npub use disk::Disk;\n\npub trait Store {\n    fn shut(&self) -> bool;\n}\n\ncfg_net! {\n    pub fn connect() -> Disk {\n        Disk::new()\n    }\n}\n",
		"src/disk.rs":  "use crate::Store;\n\npub struct Disk {\n    shut: bool,\n}\n\nimpl Disk {\n    pub fn new() -> Self {\n        Disk { shut: false }\n    }\n}\n\nimpl Store for Disk {\n    fn shut(&self) -> bool {\n        self.shut\n    }\n}\n",
		"src/other.rs": "pub struct Other;\n\nimpl Other {\n    pub fn shut(&self) -> bool {\n        true\n    }\n}\n\nfn both(o: Other, s: impl crate::Store) {\n    o.shut();\n    s.shut();\n}\n",
		"tests/a.rs":   "use shop::{connect, Disk as Drive, Store};\n\n#[test]\nfn shuts() {\n    assert!(connect().shut());\n    Drive::new().shut();\n}\n",
	})
	for name, want := range map[string]string{
		"Disk.shut": "src/other.rs:11 0.5 tests/a.rs:5 1 tests/a.rs:6 1", "Other::shut": "src/other.rs:10 1", "connect": "tests/a.rs:5 1",
		"Store.shut": "src/other.rs:11 1 tests/a.rs:5 0.5 tests/a.rs:6 0.5", "Disk.new": "src/lib.rs:10 1 tests/a.rs:6 1",
	} {
		var got []string
		for _, o := range LookUp(t.Context(), s, SymbolQuery{Name: name, Limit: 20}).Occurrences {
			if o.Calls {
				got = append(got, fmt.Sprintf("%s:%d %v", o.Path, o.Line+1, o.Chance))
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s is called at %v, want %s", name, got, want)
		}
	}
}

// TestCallersInCSharp checks calls in one-line bodies and of overloads that others replace, that a
// property is not called, and that the name of a method is used but not called by nameof.
func TestCallersInCSharp(t *testing.T) {
	s := index(t, map[string]string{
		"shop/Reader.cs": "namespace Shop\n{\n    public abstract class Reader\n    {\n        public abstract string Read(int n);\n        public string Read(bool all) => Read(1);\n        public int Count { get; }\n    }\n}\n",
		"shop/Text.cs":   "using System;\n\nnamespace Shop\n{\n    class Text : Reader\n    {\n        public override string Read(int n) => \"\";\n        string Name() => nameof(Read) + Count;\n    }\n}\n",
		"shop/Use.cs":    "using Shop;\n\nclass Use\n{\n    string All(Reader r)\n    {\n#if A\n        if (r.Count > 0) {\n#else\n        if (r?.Read(true) != null) {\n#endif\n            return r.Read(2);\n        }\n        return null;\n    }\n}\n",
		"else/Stream.cs": "class Stream\n{\n    void All(System.IO.StreamReader r) { r.Read(1); }\n}\n",
	})
	for name, want := range map[string]string{
		"Reader.Read":  "shop/Reader.cs:6 true 1 shop/Text.cs:8 false 0.5 shop/Use.cs:10 true 1 shop/Use.cs:12 true 1",
		"Text.Read":    "shop/Reader.cs:6 true 0.5 shop/Text.cs:8 false 1 shop/Use.cs:12 true 0.5",
		"Reader.Count": "shop/Text.cs:8 false 1 shop/Use.cs:8 false 1",
	} {
		var got []string
		for _, o := range LookUp(t.Context(), s, SymbolQuery{Name: name, Limit: 20}).Occurrences {
			got = append(got, fmt.Sprintf("%s:%d %v %v", o.Path, o.Line+1, o.Calls, o.Chance))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s is used at %v, want %s", name, got, want)
		}
	}
}
