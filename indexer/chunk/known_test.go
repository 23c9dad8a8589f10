package chunk

import (
	"slices"
	"strings"
	"testing"
)

// younger are texts whose grammars do not know all of their syntax, and the names that they define.
var younger = []struct{ name, path, text, names string }{
	{"new with a value", "a.go", `package a

var one = []*int{new(int32(3)), new(n), new(72*hour), new((&x{1}).View()), new("text"), new([]int{1}), new(true), new(m[0])}
var types = []any{new(int), new(*T), new([]int), new(map[string]func(int) error), new(struct{ a int }), new(G[int]), new(pkg.T)}

func after() *T { return new(T) }
`, "one types after"},
	{"a generic alias", "a.go", "package a\n\ntype A[K comparable, V any] = map[K]V\n\nfunc after() { x[i] = 1 }\n", "A after"},
	{"a redacted value", "a.go", "package a\n\nfunc f() {\n\tkey = *[REDACTED:assigned-secret]\n\tp := &T{Token: [REDACTED:generic-api-key], B: 1}\n}\n\nfunc after() {}\n", "f after"},
	{"a redacted value", "a.ts", "const options = { token: [REDACTED:assigned-secret], b: 1 }\nexport function after() {}\n", "options after"},
	{"a redacted value", "a.py", "def f():\n    key = [REDACTED:assigned-secret] + 1\n\ndef after(): pass\n", "f after"},
	{"call signatures", "a.ts", `interface Get<E> {
  <A extends X = {}>(
    h: H<A>
  ): [H<A>]

  // two
  <
    A extends X = {},
  >(
    h: H<A>
  ): Promise<A> // done
  <T>(x: T): string
  name: string
  <K, V>(x: K): V
}
type Set = {
  a: string
  <T>(b: T): void
}
const less = a
  < b
class After {}
`, "Get Set less After"},
	{"operators as names", "a.ts", "interface P {\n  a: N | undefined\n  in2?: N\n  in?: string\n  instanceof: string\n  index: number\n}\nexport type * from './types'\nclass After {}\n", "P After"},
	{"using as a name", "a.tsx", "function F({ using }: P) {\n  const b = advertising || using\n  const { using: other } = p\n  return <A on={using && !b} c={{ d: using }}>{using}</A>\n}\nfunction After() {}\n", "F After"},
	{"fun interface", "a.kt", "package a\n\nfun interface Dns {\n  fun lookup(host: String): List<String>\n\n  companion object {\n    val SYSTEM = 1\n  }\n}\n\nclass After\n", "Dns lookup After"},
	{"a constructor below its class", "a.kt", "class Reader\n  @JvmOverloads\n  @Throws(IOException::class)\n  internal constructor(\n    private val level: Int = 0b0001_1110,\n  ) : Closeable {\n    val cert = load()\n      as Certificate\n  }\n\nclass After\n", "Reader After"},
	{"typed throws, macros, isolation", "a.swift", `func f<E: Error>(_ body: (Int) throws(E) -> Int) throws(E) -> Int { return 1 }
func g(isolation: isolated (any Actor)? = #isolation) async throws -> sending T {
  nonisolated(unsafe) var x = 1
  #expect(f.isFulfilled == false)
  await #expect(processExitsWith: .failure) { 1 }
  let ` + "`self`" + ` = 1
  @Sendable func inner() { }
  #if os(macOS)
    ()
  #endif
  if #available(macOS 10.15, *) { return x }
}
func after() {}
`, "f g inner after"},
	{"braces behind a call", "a.swift", `func f() async throws {
  switch try await result.get() {
  case .string(let channel):
    print(channel)
  }
  for name in try await directory.names() { print(name) }
  while let item = try await group.next() {
    if let item = item { print(item) } else { return }
  }
}
func after() {}
`, "f after"},
	{"exceptions and strings", "a.py", "lazy import json\n\ndef f():\n    try:\n        pass\n    except ValueError, TypeError, a.B:\n        pass\n\ndef g():\n    try:\n        pass\n    except* (A, B) as e:\n        x = t'{a}' + t\"{b}\"\n\ndef after(): pass\n", "f g after"},
	{"a macro's fragment", "a.rs", "macro_rules! m {\n    ( $i:pat_param => $e:expr) => {};\n}\nfn after() {}\n", "m after"},
	{"places of a template", "a.yaml", "{{- if .Values.a }}\nname: {{ .Release.Name }}\nlabels:\n  {{- include \"x\" . | nindent 2 }}\nport: {{ .Values.port }}\n{{- end }}\nlast: 1\n", "name labels port last"},
	{"brackets over lines", "a.yaml", "rules:\n  - name: defer\n    arguments: [[\n        # why\n        \"x\",\n    ]]\nlast: 1\n", "rules last"},
	{"places of a template", "a.html", "<div id=a><% if (x) { %><a href=\"{{ f(\"x\") }}\">b</a><% } %>{% for x in y %}<p>{{ x }}</p>{% endfor %}</div><div id=last></div>\n", "a last"},
	{"extensions of SQLite", "a.sql", "CREATE TABLE post (\n  id INTEGER PRIMARY KEY AUTOINCREMENT,\n  name TEXT\n);\nCREATE TABLE last (id INTEGER);\n", "post last"},
	{"receivers and methods", "a.go", "package a\n\ntype E[A, B any] struct{}\n\nfunc (E[A, B]) Get() A { panic(1) }\nfunc (e *E[A, B]) Map[U any](f func(A) U) E[U, B] { panic(1) }\n\nfunc after() {}\n", "E Get Map after"},
	{"read-only types as arguments", "a.ts", "check<keyof readonly [string, number]>({} as Keys<readonly [string, number]>);\nclass After {}\n", "After"},
	{"delegates, guards, dollars", "a.kt", `class A
  actual constructor(val size: Int) {
  val log: Log = object : Log by make("a") {
    override fun trace() = add(1)
  }
  val text = $$"""a: $b"""
}
fun f(x: Any) = when (x) {
  is Map<*, *> if x.size > 1 -> 1
  is String -> if (x == "a") 2 else 3
  else -> 4
}
fun g(): F = run { return named@{ it } }
class After
`, "A trace f g After"},
	{"targets of pointers", "a.cs", "class A {\n  unsafe void f(byte* p, byte* q) {\n    *(byte*)p = *(byte*)q;\n  }\n}\nclass After { }\n", "A f After"},
	{"alternatives of a declaration", "a.cs", "#if INTERNAL\ninternal\n#else\npublic\n#endif\nstatic partial class Writer {\n  void f() { }\n#if A || \\\n B\n  int g() { return 1;\n#else\n  int g() { return 2;\n#endif\n  }\n#if 0\n  nothing here {\n#elif C\n  void h() { }\n#endif\n}\nclass After { }\n", "Writer f g h After"},
	{"attributes in capitals", "a.c", "CURL_EXTERN int parse(const char *format, ...)\n  TEMP_PRINTF(1, 2);\nint fail(int a) WARN_UNUSED;\nMUST_CHECK(1) static int after(int a) PRINTF_LIKE(1) { return a; }\n", "after"},
	{"what zsh expands", "a.zsh", "() {\n  emulate -L zsh\n  (( ! $+functions[p10k] )) || p10k reload\n}\nfile=${${(%):-%x}:a}\nafter() { echo ${(j: :)list}; }\n", "file after"},
	{"a formatted script", "a.sh", "__%[1]s_debug() {\n  echo 1\n}\nafter() { :; }\n", "__%[1]s_debug after"},
	{"a template of an image", "a.dockerfile", "FROM ruby:<%= version %> AS base\n<% if x -%>\nARG A=1 B=2\n<% end %>\nARG C=<%= c %>\nEXPOSE 8080:8080\nFROM base AS last\n", "base A C last"},
	{"names in single quotes", "a.sql", "CREATE TABLE 'post' (\n  'id' INTEGER PRIMARY KEY NOT NULL,\n  'name' TEXT DEFAULT NULL\n);\nCREATE TABLE 'last' ('id' INTEGER);\n", "'post' 'last'"},
	{"macros before definitions", "a.cc", `#if __has_include(<a/b.h>) && X_HAS_INCLUDE(<c>)
#  include <a/b.h>
#endif
#ifdef __cplusplus
extern "C" {
#endif
#define LIB_API __declspec(dllexport)
LIB_API int parse(const char* text);
#ifdef __cplusplus
}  // extern "C"
#endif
class LIB_API_ Reader {
 public:
  LIB_CONSTEXPR20 Reader(int size) : size_(size) {}
  LIB_INLINE int size() const { return size_; }
};
LIB_NORETURN void fail() {}
static __always_inline void after(void) {}
`, "LIB_API Reader Reader size fail after"},
}

func TestYoungerSyntax(t *testing.T) {
	for _, tt := range younger {
		t.Run(tt.name+" in "+tt.path, func(t *testing.T) {
			p := NewParser(Options{})
			defer p.Close()
			file := p.Parse(tt.path, []byte(tt.text))
			if file.Problem != "" || p.extract.errors > 0 {
				t.Errorf("%d bytes of errors: %s", p.extract.errors, file.Problem)
			}
			var names []string
			for _, s := range file.Symbols {
				names = append(names, s.Name)
			}
			if got := strings.Join(names, " "); got != tt.names {
				t.Errorf("it defines %s, want %s", got, tt.names)
			}
		})
	}
}

// TestKnownSyntaxStays: what the grammars know is not touched.
func TestKnownSyntaxStays(t *testing.T) {
	for path, text := range map[string]string{
		"a.go":    "package a\n\nvar a = new(T)\nvar b = renew(1)\nvar c = x.new(1)\n\ntype m[K any] map[K]int\n",
		"a.ts":    "using file = open()\nawait using other = open()\ncase x:\n  in_: 1\nconst a = b <\n  c\n",
		"a.tsx":   "const a = (\n  <div>\n    <b>(text)</b>\n    <i>x</i>\n  </div>\n)\n",
		"a.kt":    "class A {\n  constructor(a: Int)\n}\nfun f() = 1 as Int\n",
		"a.swift": "if #available(iOS 13, *) { }\n#if DEBUG\n#endif\nfor x in y { }\n",
		"a.py":    "def f(t, part):\n    part['a'] = t\n    return \"can't\" + 'at' if part else t\ntry:\n    pass\nexcept (A, B):\n    pass\n",
		"a.yaml":  "a: [b, c] # d\ne: {}\n",
		"a.cc":    "FOO_T x;\nint API(void);\nfoo<bar> INLINE_COUNT = 1;\n",
	} {
		if got := string(known(Language(path, []byte(text)), []byte(text))); got != text {
			t.Errorf("%s becomes %s", path, got)
		}
	}
}

// FuzzKnown: a masked text is as long as it was, whatever it is.
func FuzzKnown(f *testing.F) {
	for _, tt := range younger {
		f.Add(Language(tt.path, []byte(tt.text)), []byte(tt.text))
	}
	f.Add("python", []byte("t"))
	f.Add("typescript", []byte(">\n<\n"))
	f.Add("c", []byte("#ifdef __cplusplus\n}\n#endif"))
	f.Fuzz(func(t *testing.T, language string, text []byte) {
		before := slices.Clone(text)
		got := known(language, text)
		if better, ok := knownBetter(language, text); ok && len(better) != len(text) {
			t.Fatalf("%d bytes of %d", len(better), len(text))
		}
		if len(got) != len(text) || !slices.Equal(text, before) {
			t.Fatalf("%q becomes %q", before, got)
		}
	})
}
