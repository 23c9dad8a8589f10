package intent

import (
	"slices"
	"testing"
)

func TestIdentifiers(t *testing.T) {
	tests := []struct {
		prompt string
		want   []string
	}{
		{"rename fooBar to snake_case and MAX_RETRY", []string{"fooBar", "snake_case", "MAX_RETRY"}},
		{"The HTTPServer and JsonReader types", []string{"HTTPServer", "JsonReader"}},
		{"Parser crashes. Reader does not.", nil},
		{"call http.Client, os.path.join and Context.WithValue", []string{"http.Client", "os.path.join", "Context.WithValue"}},
		{"`ignore` and `regex-automata` and `_private`", []string{"ignore", "regex-automata", "_private"}},
		{"``op`` with ``str()``", []string{"op", "str"}},
		{"finish() calls parse(x, y) and `range(1)`", []string{"finish", "parse", "range"}},
		{"GlobSet::new and Foo#bar_baz", []string{"GlobSet::new", "Foo#bar_baz"}},
		{"fooBar, fooBar and `fooBar`", []string{"fooBar"}},
		{"the URLs, IDs, APIs, JavaScript, GitHub and macOS", nil},
		{"e.g. this, i.e. that, a.k.a. those, v1.2.3 and 3.14", nil},
		{"It works.Then it stops", nil},
		{"see example.com and a@b.com or https://x.io/fooBar_baz", nil},
		{"file(s), note(s) and callback (see below)", nil},
		{"`if` `true` `nil` `--json` `42`", nil},
		{"_No response_ and _works_ fine", nil},
		{"__init__ and self._cache", []string{"__init__", "self._cache"}},
		{"$fooBar and $HOME", []string{"fooBar", "HOME"}},
		{"fix(encode): sort by cmp.Compare", []string{"cmp.Compare"}},
		{"LUCI-TryBot-Result: ok\nAuto-Submit: FooBar", nil},
		{"def parse(x):\n    return x", []string{"parse"}},
		{"why?\n```go\nfunc tokenadd(p *Parser) {\n\tp.nextToken()\n}\n```", []string{"tokenadd", "p.nextToken"}},
		{"client/server and/or read/write", nil},
		{"`Vec<Token>` and `List[int]`", []string{"Vec", "List"}},
		{"请看retryLoop函数", []string{"retryLoop"}},
		{"a `.foo_bar.bazQux()` chain and x:utils.py", []string{"foo_bar", "bazQux"}},
		{"", nil},
	}
	for _, tt := range tests {
		if got := Classify(tt.prompt, Context{}).Identifiers; !slices.Equal(got, tt.want) {
			t.Errorf("%q: identifiers %q, want %q", tt.prompt, got, tt.want)
		}
	}
}

func TestFiles(t *testing.T) {
	tests := []struct {
		prompt string
		want   []string
	}{
		{"look at src/app.py and main.go", []string{"src/app.py", "main.go"}},
		{"docs/README.md:12, Makefile and CHANGELOG", []string{"docs/README.md", "Makefile", "CHANGELOG"}},
		{"`a/b.ts:10:3` (c.rs#L10-L20) \"d.json\"", []string{"a/b.ts", "c.rs", "d.json"}},
		{`C:\src\App\Svc.cs`, []string{"C:/src/App/Svc.cs"}},
		{"./cmd, ../x/y and internal/store/", []string{"./cmd", "../x/y", "internal/store/"}},
		{"file:///home/u/x.go", []string{"/home/u/x.go"}},
		{"Node.js, Next.js and e.g. v1.2", nil},
		{"client/server, read/write, 1/2 and he/she/they", nil},
		{"*.mojo and .go files", nil},
		{".env, .gitignore and .github/workflows/ci.yml", []string{".env", ".gitignore", ".github/workflows/ci.yml"}},
		{"response.json() and self.log and console.log", nil},
		{"https://github.com/a/b/blob/main/x.go", nil},
		{"请看main.go里的函数", []string{"main.go"}},
		{"main.go, main.go.", []string{"main.go"}},
		{"django.db.backends:utils.py x@y/z.py", nil},
	}
	for _, tt := range tests {
		if got := Classify(tt.prompt, Context{}).Files; !slices.Equal(got, tt.want) {
			t.Errorf("%q: files %q, want %q", tt.prompt, got, tt.want)
		}
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		prompt string
		want   []string
	}{
		{"panic: assignment to entry in nil map", []string{"panic: assignment to entry in nil map"}},
		{"I get TypeError: x is not a function when I save.", []string{"TypeError: x is not a function"}},
		{"Error: ENOENT: no such file", []string{"Error: ENOENT: no such file"}},
		{"./main.go:12:3: undefined: fooBar", []string{"undefined: fooBar"}},
		{"src/a.ts(12,3): error TS2322: Type 'string' is bad.", []string{"error TS2322: Type 'string' is bad"}},
		{"foo.c:3:1: fatal error: x.h: No such file", []string{"fatal error: x.h: No such file"}},
		{"error[E0382]: borrow of moved value: `x`", []string{"error[E0382]: borrow of moved value: `x`"}},
		{"Caused by: java.io.IOException: closed", []string{"Caused by: java.io.IOException: closed"}},
		{"E       AssertionError: assert 1 == 2", []string{"AssertionError: assert 1 == 2"}},
		{"thread 'main' panicked at 'no entry', src/a.rs:1:2", []string{"no entry"}},
		{"thread 'main' panicked at src/a.rs:1:2:\nno entry", []string{"no entry"}},
		{"where is \"invalid header value\" raised?", []string{"invalid header value"}},
		{"it logs 'pool drained completely' twice", []string{"pool drained completely"}},
		{"we said \"let us go home\" and left", nil},
		{"it's don't can't won't", nil},
		{"run `git commit -m` and `uname -a`", nil},
		{"run `make test` and tell me what fails", nil},
		{"it fails when I call `cargo run release`", nil},
		{"the server prints `pool drained completely`", []string{"pool drained completely"}},
		{"`invalid header value` comes up every time", []string{"invalid header value"}},
		{"why do I see connection refused here", []string{"connection refused"}},
		{"it ends with exit status 3", []string{"exit status 3"}},
		{"2026-01-02 10:00:00 ERROR cannot open db", []string{"ERROR cannot open db"}},
		{`time=1 level=error msg="cannot open db" x=1`, []string{"cannot open db"}},
		{"a.rb:1:in `f': undefined method `g' (NoMethodError)", []string{"undefined method `g' (NoMethodError)"}},
		{"handle errors better", nil},
		{"main.go:12: why is this here", nil},
	}
	for _, tt := range tests {
		if got := Classify(tt.prompt, Context{}).Errors; !slices.Equal(got, tt.want) {
			t.Errorf("%q: errors %q, want %q", tt.prompt, got, tt.want)
		}
	}
}

func TestStackFrames(t *testing.T) {
	tests := []struct {
		name, prompt string
		want         []StackFrame
	}{
		{"go", "goroutine 1 [running]:\nmain.(*Server).Serve(0x0, {0x1, 0x2})\n\t/app/server.go:45 +0x1d\ncreated by main.run in goroutine 7\n\t/app/main.go:12 +0x20",
			[]StackFrame{{"/app/server.go", 45, "main.(*Server).Serve"}, {"/app/main.go", 12, "main.run"}}},
		{"python", "Traceback (most recent call last):\n  File \"app/run.py\", line 5, in run\n    raise ValueError(\"x\")\nValueError: x",
			[]StackFrame{{"app/run.py", 5, "run"}}},
		{"node", "    at Object.<anonymous> (/app/i.js:3:5)\n    at async run (file:///app/run.mjs:10:2)\n    at /app/o.ts:9:1\n    at new Foo (webpack:///src/foo.tsx?x:1:2)",
			[]StackFrame{{"/app/i.js", 3, "Object.<anonymous>"}, {"/app/run.mjs", 10, "run"}, {"/app/o.ts", 9, ""}, {"src/foo.tsx", 1, "Foo"}}},
		{"firefox", "render@http://localhost:3000/src/app.js:12:3", []StackFrame{{"src/app.js", 12, "render"}}},
		{"java", "\tat com.foo.Bar.baz(Bar.java:12)\n\tat java.base/java.util.ArrayList.forEach(ArrayList.java:15)\n\tat x.Y.z(Native Method)",
			[]StackFrame{{"Bar.java", 12, "com.foo.Bar.baz"}, {"ArrayList.java", 15, "java.util.ArrayList.forEach"}}},
		{"rust", "thread 'main' panicked at src/main.rs:4:5:\nx\n   1: myapp::parse\n             at ./src/parse.rs:10:9",
			[]StackFrame{{"src/main.rs", 4, ""}, {"./src/parse.rs", 10, "myapp::parse"}}},
		{"rust compiler", "error: x\n --> src/lib.rs:10:5", []StackFrame{{"src/lib.rs", 10, ""}}},
		{"c#", `   at My.Svc.Get(String id) in C:\src\Svc.cs:line 42`, []StackFrame{{"C:/src/Svc.cs", 42, "My.Svc.Get"}}},
		{"ruby", "app/user.rb:12:in `save': x (E)\n\tfrom main.rb:3:in 'Object#run'", []StackFrame{{"app/user.rb", 12, "save"}, {"main.rb", 3, "Object#run"}}},
		{"gdb", "#0  0x00007f in foo_bar (x=1) at src/foo.c:12\n#1  main () at main.c:5", []StackFrame{{"src/foo.c", 12, "foo_bar"}, {"main.c", 5, "main"}}},
		{"sanitizer", "    #1 0x4f2b in parse_it /src/p.c:12:3", []StackFrame{{"/src/p.c", 12, "parse_it"}}},
		{"php", "#0 /app/a.php(12): Foo->bar()\nin /app/b.php on line 7", []StackFrame{{"/app/a.php", 12, "Foo->bar"}, {"/app/b.php", 7, ""}}},
		{"lua", "stack traceback:\n\t[C]: in ?\n\tlua/core/loader.lua:88: in function 'load'", []StackFrame{{"lua/core/loader.lua", 88, "'load'"}}},
		{"dart", "#0      Cart.add (package:app/cart.dart:12:5)", []StackFrame{{"app/cart.dart", 12, "Cart.add"}}},
		{"haskell", "src/Foo.hs:(12,3)-(14,9): Non-exhaustive patterns in function f", []StackFrame{{"src/Foo.hs", 12, ""}}},
		{"terraform", "  on main.tf line 12, in resource \"x\":", []StackFrame{{"main.tf", 12, ""}}},
		{"compiler", "pkg/file.go:12:3: undefined: x", []StackFrame{{"pkg/file.go", 12, ""}}},
		{"msvc", "src/a.ts(12,3): error TS1: x", []StackFrame{{"src/a.ts", 12, ""}}},
		{"in a sentence", "look at `a/b.py:10` please", []StackFrame{{"a/b.py", 10, ""}}},
		{"no place", "meet at 12:30, ratio 3:4, localhost:8080, x.y:zz", nil},
		{"line zero", "a.go:0:0: x", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Classify(tt.prompt, Context{}).Frames; !slices.Equal(got, tt.want) {
				t.Errorf("got  %v\nwant %v", got, tt.want)
			}
		})
	}
}

func TestDeclarations(t *testing.T) {
	tests := []struct {
		prompt     string
		imports    []string
		signatures []string
	}{
		{"import os\nfrom foo.bar import baz", []string{"os", "foo.bar"}, nil},
		{"import data from the csv", nil, nil},
		{"import { a } from './b'\nconst c = require(\"d\");", []string{"./b", "d"}, nil},
		{"use std::io::Read;\n#include <stdio.h>\nusing System.Text;\nimport java.util.List;", []string{"std::io::Read", "stdio.h", "System.Text", "java.util.List"}, nil},
		{"```go\nimport (\n\t\"fmt\"\n\t\"net/http\"\n)\n```", []string{"fmt", "net/http"}, nil},
		{"func (s *Server) Serve(l net.Listener) error {", nil, []string{"func (s *Server) Serve(l net.Listener) error"}},
		{"async def run(self, x: int) -> str:", nil, []string{"async def run(self, x: int) -> str"}},
		{"export async function load<T>(x: T) {", nil, []string{"export async function load<T>(x: T)"}},
		{"pub fn parse(s: &str) -> Result<T> {", nil, []string{"pub fn parse(s: &str) -> Result<T>"}},
		{"public static Map<String, List<X>> of(String a) {", nil, []string{"public static Map<String, List<X>> of(String a)"}},
		{"const add = (a, b) => a + b", nil, []string{"const add = (a, b) => a + b"}},
		{"class Foo(Bar):", nil, []string{"class Foo(Bar)"}},
		{"type Item struct {", nil, []string{"type Item struct"}},
		{"the interface Reader has no Close, final answer is foo (bar)", nil, nil},
		{"use the parser, not the lexer", nil, nil},
	}
	for _, tt := range tests {
		s := Classify(tt.prompt, Context{})
		if !slices.Equal(s.Imports, tt.imports) || !slices.Equal(s.Signatures, tt.signatures) {
			t.Errorf("%q: imports %q signatures %q, want %q %q", tt.prompt, s.Imports, s.Signatures, tt.imports, tt.signatures)
		}
	}
}
