package chunk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// parseLimit is long enough for every text here on a busy machine.
const parseLimit = time.Minute

// spansOf returns the spans of a text as "kind:text".
func spansOf(t *testing.T, h *Highlighter, language, text string) []string {
	t.Helper()
	spans, whole := h.Spans(NamedLanguage(language), []byte(text), parseLimit)
	if !whole {
		t.Errorf("%s: %q was not read to its end", language, text)
	}
	if err := verifyHighlight([]byte(text), spans); err != nil {
		t.Errorf("%s: %q: %v", language, text, err)
	}
	var out []string
	for _, s := range spans {
		out = append(out, string(s.Kind)+":"+text[s.Start:s.End])
	}
	return out
}

// verifyHighlight holds spans to what callers rely on.
func verifyHighlight(src []byte, spans []HighlightSpan) error {
	at := 0
	for _, s := range spans {
		switch {
		case s.Start < at || s.End <= s.Start || s.End > len(src):
			return fmt.Errorf("%+v after byte %d of %d", s, at, len(src))
		case s.Kind == "":
			return fmt.Errorf("%+v has no kind", s)
		case utf8.Valid(src) && (!utf8.RuneStart(src[s.Start]) || s.End < len(src) && !utf8.RuneStart(src[s.End])):
			return fmt.Errorf("%+v cuts a character", s)
		}
		at = s.End
	}
	return nil
}

func TestHighlight(t *testing.T) {
	h := NewHighlighter()
	defer h.Close()
	for _, tt := range []struct {
		language, text string
		want           string // some of what comes out, in order, separated by blanks; ~ is a blank
	}{
		{"go", "// Wait.\nfunc (c *Client) Run(n int) error { const MAX = 0x1f; return fmt.Errorf(\"é %d\", c.size, nil) }",
			`comment://~Wait. keyword:func type:Client function:Run type:int type:error keyword:const constant:MAX number:0x1f keyword:return function:Errorf string:"é~%d" property:size constant:nil`},
		{"python", "@cached\nclass A(Base):\n  '''Doc.'''\n  async def run(self, n: List[int] = 3) -> str:\n    return f'a {len(self.x)}' or None # c\n",
			`attribute:@cached keyword:class type:A type:Base string:'''Doc.''' keyword:async keyword:def function:run type:List type:int number:3 operator:-> type:str keyword:return string:f'a function:len property:x constant:None comment:#~c`},
		{"typescript", "export class A<T> extends B { get z(): Promise<void> { return this.x.y(`t ${a.b}`) } }\nconst f = async (x: any) => new Map(/re+/g);",
			"keyword:export keyword:class type:A type:T keyword:extends type:B keyword:get function:z type:Promise type:void keyword:return keyword:this property:x function:y string:`t property:b keyword:const function:f keyword:async type:any operator:=> keyword:new type:Map string:/re+/g"},
		{"tsx", "const A = () => <div id=\"x\">{go(1)}</div>;", `keyword:const function:A tag:div property:id string:"x" function:go number:1 tag:div`},
		{"js", "const o = { a: true, c() {} }; module.exports = o.d(undefined)", `property:a constant:true function:c property:exports function:d constant:undefined`},
		{"json", `{"a": [1, true, null], "b": {"c": "d"}}`, `property:"a" number:1 constant:true constant:null property:"b" property:"c" string:"d"`},
		{"json", `"a": 1, "b": "c"`, `property:"a" number:1 property:"b" string:"c"`},
		{"java", "@Override public final class A<T> implements B { int x = new C().run(MAX_N, 'c'); }\nenum E { ONE }",
			`attribute:@Override keyword:public keyword:final keyword:class type:A type:T keyword:implements type:B type:int keyword:new type:C function:run constant:MAX_N string:'c' keyword:enum type:E constant:ONE`},
		{"c", "#define MAX(a) (a)\nstatic const char *name(struct foo *f) { return f->bar ? \"x\" : NULL; }",
			`keyword:#define function:MAX keyword:static keyword:const type:char function:name keyword:struct type:foo keyword:return property:bar string:"x" constant:NULL`},
		{"c++", "template <typename T> class A : public B {};\nvoid A::run(int x) { auto y = std::make(nullptr); }",
			`keyword:template keyword:typename type:T keyword:class type:A keyword:public type:B type:void function:run type:int keyword:auto function:make keyword:nullptr`},
		{"csharp", "[Serializable] class A : B { public string Name { get; } = $\"a {x}\"; Task<int> Run() { return Con.Out.Write(1); } }",
			`attribute:[Serializable] keyword:class type:A type:B keyword:public type:string property:Name keyword:get string:$"a type:Task type:int function:Run keyword:return type:Con property:Out function:Write number:1`},
		{"rust", "//! doc\n#[test] pub fn run<'a>(n: &'a str) -> Vec<u8> { let mut v = vec![1]; v.iter().map(f); self.x }",
			`comment://!~doc attribute:#[test] keyword:pub keyword:fn function:run type:'a type:str type:Vec type:u8 keyword:let keyword:mut function:vec number:1 function:iter function:map keyword:self property:x`},
		{"ruby", "class A < B\n  attr_reader :name\n  def run(x) = @a = \"b #{x.size}\" if nil? # c\nend",
			`keyword:class type:A type:B keyword:attr_reader constant::name keyword:def function:run variable:@a string:"b function:size keyword:if comment:#~c keyword:end`},
		{"php", "function f($x) { return $this->a->b(\"v $x\", null, Foo::MAX); }",
			`keyword:function function:f variable:$x keyword:return variable:$this property:a function:b string:"v variable:$x constant:null type:Foo constant:MAX`},
		{"kotlin", "data class A(val x: Int = 1) : B() { @Inject fun run(): List<String> = listOf(\"a ${n.b}\") // c\n}",
			`keyword:data keyword:class type:A keyword:val type:Int number:1 type:B attribute:@Inject keyword:fun function:run type:List type:String function:listOf property:b comment://~c`},
		{"swift", "@objc class A: B { let x: Int = 1; func run(_ n: Int) -> String { return self.go(\"a \\(n.b)\", nil) } }",
			`attribute:@objc keyword:class type:A type:B keyword:let type:Int number:1 keyword:func function:run type:String keyword:return keyword:self function:go property:b constant:nil`},
		{"scala", "case class A[T](x: Int) extends B { def run: String = s\"a ${n.b}\"; val y = List(1).map(f) }",
			`keyword:case keyword:class type:A type:T type:Int keyword:extends type:B keyword:def function:run type:String property:b keyword:val number:1 function:map`},
		{"lua", "-- c\nlocal x = { k = 1 }\nfunction M.run(a) if a then return require('x').y(nil) end end",
			`comment:--~c keyword:local property:k number:1 keyword:function function:M.run keyword:if keyword:then keyword:return function:require string:'x' function:y constant:nil keyword:end keyword:end`},
		{"sh", "# c\nf() { local x=\"$1 $(cat a)\"; if [[ -n $x ]]; then echo 'a' | grep b; fi; }",
			`comment:#~c function:f keyword:local variable:x variable:1 function:cat keyword:if operator:-n keyword:then function:echo string:'a' operator:| function:grep keyword:fi`},
		{"sql", "-- c\nselect count(*) from users where name = 'a' and x > 1.5 and y is null",
			`comment:--~c keyword:select function:count keyword:from keyword:where string:'a' keyword:and number:1.5 keyword:is constant:null`},
		{"html", "<!DOCTYPE html><!-- c --><div class=\"a\">text &amp;</div>", `tag:<!DOCTYPE~html> comment:<!--~c~--> tag:div attribute:class string:"a" constant:&amp; tag:div`},
		{"css", "/* c */ .a > #b { color: #fff; margin: 1.5em; background: url('x') }", `comment:/*~c~*/ type:a constant:b property:color number:#fff property:margin number:1.5em property:background function:url string:'x'`},
		{"yml", "# c\na: 1\nb: \"x\"\nc: [true, d]\n", `comment:#~c property:a number:1 property:b string:"x" property:c constant:true string:d`},
		{"toml", "[a.b] # c\nx = 1\n\"k\" = { y = 's', d = 1979-05-27 }\n", `property:a property:b comment:#~c property:x number:1 property:"k" property:y string:'s' property:d number:1979-05-27`},
		{"hcl", "resource \"a\" \"b\" { name = \"x ${var.n}\"\n count = length(y) }", `keyword:resource string:"a" property:name string:"x property:n property:count function:length`},
		{"dockerfile", "# c\nFROM go:1 AS build\nENV A=b\nCMD [\"a\"]\n", `comment:#~c keyword:FROM keyword:AS keyword:ENV property:A string:b keyword:CMD string:"a"`},
		{"proto", "syntax = \"proto3\"; message A { repeated B b = 2; }\nservice S { rpc Run(Q) returns (stream R); }",
			`keyword:syntax string:"proto3" keyword:message type:A keyword:repeated type:B number:2 keyword:service type:S keyword:rpc function:Run type:Q keyword:returns keyword:stream type:R`},
		{"elixir", "defmodule A.B do\n  def run(x) when x > 1, do: foo(\"a #{x}\", :ok) # c\nend", `keyword:defmodule type:A.B keyword:do keyword:def function:run keyword:when number:1 function:foo string:"a constant::ok comment:#~c keyword:end`},
		{"zig", "// c\nconst std = @import(\"std\");\npub fn run(a: u8) void { std.debug.print(null); }", `comment://~c keyword:const function:@import string:"std" keyword:pub keyword:fn function:run type:u8 type:void property:debug function:print constant:null`},
		{"haskell", "module A where\n-- c\nrun :: Int -> Maybe a\nrun n = if n > 1 then Just \"a\" else Nothing", `keyword:module type:A keyword:where comment:--~c function:run type:Int operator:-> type:Maybe function:run operator:= keyword:if operator:> number:1 keyword:then type:Just string:"a" keyword:else type:Nothing`},
		{"dart", "/// c\n@override\nclass A<T> extends B { final int? x = 0x1f; Future<String> run(T n) async { return this.go('a ${n.b}', null); } }",
			`comment:///~c attribute:@override keyword:class type:A type:T keyword:extends type:B keyword:final type:int number:0x1f type:Future type:String function:run type:T keyword:async keyword:return keyword:this function:go string:'a property:b constant:null`},
		{"ocaml", "(* c *)\nmodule M = struct\n  type t = { host : string }\n  let rec run (c : t) = if 1 > 2 then Http.get c.host \"a\" else Some true\n  let x = 1\nend",
			`comment:(*~c~*) keyword:module type:M keyword:struct keyword:type type:t property:host type:string keyword:let keyword:rec function:run type:t keyword:if number:1 operator:> keyword:then type:Http function:get property:host string:"a" keyword:else type:Some constant:true keyword:let number:1 keyword:end`},
		{"julia", "# c\nmodule M\nfunction run(n::Int=1)\n  @show a.b; return go(\"a $(n)\", true)\nend\nsq(x) = x^2\nend",
			`comment:#~c keyword:module type:M keyword:function function:run type:Int number:1 function:show property:b keyword:return function:go string:"a constant:true keyword:end function:sq operator:^ number:2`},
		{"r", "#' c\nrun <- function(x, n = 1L) {\n  if (is.null(x)) return(TRUE)\n  x$size %>% dplyr::mutate(\"a\", NULL)\n}",
			`comment:#'~c function:run operator:<- keyword:function number:1L keyword:if function:is.null keyword:return constant:TRUE property:size operator:%>% function:mutate string:"a" constant:NULL`},
		// Fragments.
		{"go", " + len(\"x\") }\n\treturn nil\n}\n\nfunc (s *S) Next(", `function:len string:"x" keyword:return constant:nil keyword:func type:S function:Next`},
		{"java", "    public void part(int a) {\n  if (a == 1) { call(); }\n    }\n}", `keyword:public type:void function:part type:int keyword:if number:1 function:call`},
	} {
		got := spansOf(t, h, tt.language, tt.text)
		rest := got
		for want := range strings.FieldsSeq(tt.want) {
			want = strings.ReplaceAll(want, "~", " ")
			i := slices.IndexFunc(rest, func(s string) bool { return s == want })
			if i < 0 {
				t.Errorf("%s: no %q where it should be in\n%q", tt.language, want, got)
				break
			}
			rest = rest[i+1:]
		}
	}
	if n := liveTrees(); n != 0 {
		t.Errorf("%d trees are left", n)
	}
}

func TestHighlightNothing(t *testing.T) {
	h := NewHighlighter()
	defer h.Close()
	for _, language := range []string{"", "text", "no such language", "make"} {
		if spans, whole := h.Spans(NamedLanguage(language), []byte("func main() {}"), parseLimit); len(spans) > 0 || !whole {
			t.Errorf("%q: %v, %t", language, spans, whole)
		}
	}
	if spans, whole := h.Spans("go", nil, parseLimit); len(spans) > 0 || !whole {
		t.Errorf("an empty text: %v, %t", spans, whole)
	}
	if spans, whole := h.Spans("go", []byte(strings.Repeat("func a() { b(c, `d`) }\n", 40_000)), time.Microsecond); len(spans) > 0 || whole {
		t.Errorf("in no time: %d spans, %t", len(spans), whole)
	}
	if spans, whole := h.Spans("go", []byte("func a()"), parseLimit); len(spans) == 0 || !whole {
		t.Error("the text after one that took too long has no spans")
	}
}

func TestNamedLanguage(t *testing.T) {
	for name, want := range map[string]string{
		"go": "go", "Golang": "go", " TypeScriptReact ": "tsx", "py": "python", "c++": "cpp", "shellscript": "bash", "jsonc": "json", "proto3": "protobuf",
		"perl": "perl", "klingon": "", "": "", ".": "",
	} {
		if got := NamedLanguage(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// TestNodeTypeNames holds that every name in the tables of node types is one that some grammar has.
func TestNodeTypeNames(t *testing.T) {
	all := map[string]bool{}
	for _, language := range grammarNames() {
		p := classifierOf(language)
		own := map[string]bool{}
		for _, name := range p.grammar.names {
			all[name], own[name] = true, true
		}
		for name := range ownKinds[language] {
			if !own[name] {
				t.Errorf("%s has no node %q", language, name)
			}
		}
	}
	for name := range exactKinds {
		if !all[name] {
			t.Errorf("no grammar has a node %q", name)
		}
	}
}

// FuzzHighlight holds the spans of every language to their promises, whatever the text and wherever
// it begins.
func FuzzHighlight(f *testing.F) {
	languages := append(grammarNames(), "json")
	for name, src := range samples(f) {
		if i := slices.Index(languages, Language(name, src)); i >= 0 {
			f.Add(uint8(i), uint16(0), src)
			f.Add(uint8(i), uint16(len(src)/3), src)
		}
	}
	h := NewHighlighter()
	f.Cleanup(h.Close)
	f.Fuzz(func(t *testing.T, language uint8, begin uint16, src []byte) {
		name := languages[int(language)%len(languages)]
		if src = src[min(int(begin), len(src)):]; len(src) > 1<<14 {
			return // what takes long says little
		}
		spans, _ := h.Spans(name, src, time.Second)
		if err := verifyHighlight(src, spans); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n := liveTrees(); n != 0 {
			t.Fatalf("%d trees are left", n)
		}
	})
}
