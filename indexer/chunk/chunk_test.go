package chunk

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func parse(t *testing.T, name, src string) File {
	t.Helper()
	p := NewParser(Options{})
	defer p.Close()
	file := p.Parse(name, []byte(src))
	if err := verify([]byte(src), file, defaultTarget); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return file
}

// statements is n lines that call the function g.
func statements(n int) string { return strings.Repeat("\tg(1, 2, \"three\")\n", n) }

// spans is the listing of a file's chunks: lines from 1, title.
func spans(file File) []string {
	var all []string
	for _, c := range file.Chunks {
		all = append(all, fmt.Sprintf("%d-%d %s", c.StartLine+1, c.EndLine+1, c.Title))
	}
	return all
}

func TestChunkRules(t *testing.T) {
	for _, test := range []struct {
		name, file, src string
		want            []string
	}{
		{"a small file is one chunk", "a.go", "package a\n\nfunc f() {}\n\nfunc g() {}\n", []string{"1-5 func f, func g"}},
		{
			"a definition keeps its doc comment, and stands alone when it is large",
			"a.go", "package a\n\n// C is.\nconst c = 1\n\n// D is.\nconst d = 1\n\n\n\n// F does.\n// It does.\nfunc F() {\n" + statements(30) + "}\n\nfunc h() {\n" + statements(30) + "}\n",
			[]string{"1-7 const c, const d", "11-44 func F", "46-77 func h"},
		},
		{
			"a definition that is too large is cut at its statements",
			"a.go", "package a\n\nfunc F() {\n" + statements(50) + "\tif g() {\n" + statements(20) + "\t}\n" + statements(10) + "}\n",
			[]string{"1-44 func F (1/2)", "45-86 func F (2/2)"},
		},
		{
			"members of a class that is too large are its chunks",
			"a.py", "class A(B):\n    x = 1\n    y = 1\n    z = 1\n    v = 1\n\n" + strings.Repeat("    def f(self):\n"+strings.Repeat("        self.call(1, 2, 3)\n", 28)+"\n", 3),
			[]string{"1-5 class A", "7-35 def f", "37-65 def f", "67-95 def f"},
		},
		{
			"siblings are put together, not across a large one",
			"a.go", "package a\n\n" + strings.Repeat("func s() { g() }\n\n", 4) + "func L() {\n" + statements(50) + "}\n\n" + strings.Repeat("func s() { g() }\n\n", 4),
			[]string{"1-9 func s, func s, func s, func s", "11-62 func L", "64-70 func s, func s, func s, func s"},
		},
		{"text is cut at blank lines", "a.txt", strings.Repeat(strings.Repeat("some words on a line\n", 20)+"\n", 6), []string{
			"1-41 some words on a line", "43-83 some words on a line", "85-125 some words on a line",
		}},
	} {
		if got := spans(parse(t, test.file, test.src)); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestSplitNames: each part of a cut definition carries its name; from the
// second on its signature too.
func TestSplitNames(t *testing.T) {
	file := parse(t, "a.go", "package a\n\n// Do does.\nfunc (c *Client) Do(ctx context.Context) error {\n"+statements(200)+"}\n")
	if len(file.Chunks) < 4 {
		t.Fatalf("%d chunks", len(file.Chunks))
	}
	for i, c := range file.Chunks {
		if c.Kind != KindMethod || !slices.Equal(c.Symbols, []string{"Do"}) || !slices.Equal(c.Enclosing, []string{"Client"}) {
			t.Errorf("chunk %d: %+v", i, c)
		}
		if want := "func (c *Client) Do(ctx context.Context) error"; (i > 0) != (c.Header == want) {
			t.Errorf("chunk %d: header %q", i, c.Header)
		}
		if want := fmt.Sprintf("func (c *Client) Do (%d/%d)", i+1, len(file.Chunks)); c.Title != want {
			t.Errorf("chunk %d: title %q, want %q", i, c.Title, want)
		}
	}
}

// TestNewlines: the same text with other line ends, or a mark at its beginning,
// has the same lines in the same chunks.
func TestNewlines(t *testing.T) {
	for name, src := range samples(t) {
		p := NewParser(Options{TargetTokens: goldenTarget})
		want := p.Parse(name, src)
		got := p.Parse(name, bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n")))
		p.Close()
		var wantNames, gotNames []string
		for _, s := range want.Symbols {
			wantNames = append(wantNames, s.Name)
		}
		for _, s := range got.Symbols {
			gotNames = append(gotNames, s.Name)
		}
		if !slices.Equal(gotNames, wantNames) {
			t.Errorf("%s: got symbols %q, want %q", name, gotNames, wantNames)
		}
	}
	src := "package a\n\n// F does.\nfunc F() {}\n"
	if got := parse(t, "a.go", "\xef\xbb\xbf"+src); len(got.Symbols) != 1 || got.Problem != "" {
		t.Errorf("with a mark: %+v", got)
	}
}

// TestExactCount: no chunk is above twice the target by the caller's count, in
// text that has far more tokens than its length says.
func TestExactCount(t *testing.T) {
	p := NewParser(Options{TargetTokens: 100, Count: func(text []byte) int { return len(text) }})
	defer p.Close()
	src := []byte(strings.Repeat("漢字とかな", 400) + "\n" + strings.Repeat("x = 1\n", 200))
	file := p.Parse("a.py", src)
	end := 0
	for i, c := range file.Chunks {
		if c.Tokens > 200 || c.Tokens != c.End-c.Start {
			t.Errorf("chunk %d has %d tokens in %d bytes", i, c.Tokens, c.End-c.Start)
		}
		if len(trimBlank(src[end:c.Start])) > 0 {
			t.Errorf("chunk %d leaves out %q", i, src[end:c.Start])
		}
		end = c.End
	}
}

// TestErrorsAreLookedInto: what a broken file defines is still found.
func TestErrorsAreLookedInto(t *testing.T) {
	broken := "#include <x.h>\n\nSTART_DECLS(\n\nstatic int *one(char *p) {\n  return f(p);\n}\n\n#if X {{{\nMACRO(a) b c (\n#endif\n\nvoid two(void)\n{\n  g();\n}\n"
	file := parse(t, "a.c", broken)
	var names []string
	for _, s := range file.Symbols {
		names = append(names, s.Name)
	}
	for _, want := range []string{"one", "two"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among %q (%s)", want, names, file.Problem)
		}
	}
}

// TestNewerWords: what a grammar does not know is masked, so that nothing of a file is an error.
func TestNewerWords(t *testing.T) {
	for _, test := range []struct {
		name, src string
		want      []string
	}{
		{"a.lua", `--- Opens it.
---@param name string the name
---@param opts? table<string, integer|nil>
---@return boolean?, string ok
---@overload fun(name: string): boolean
function M.open(name, opts)
  local limit <const> = 3
  for i = 1, limit do
    if not opts[i] then goto continue end
    ----------------------------------
    local text = "--- not a comment ::label:: goto nowhere"
    ::continue::
  end
end

---@class Chat
---@field private list { [string]: fun(): nil }[]
local Chat = {}

function Chat:close() return self.list[#self.list[1]] end
`, []string{"open", "Chat", "close"}},
		{"a.hpp", `#pragma once
#include <string>

FMT_BEGIN_NAMESPACE
namespace detail {
FMT_PRAGMA(push)

class Buffer : public Base
{
    Q_OBJECT
 public:
  void grow(int size);
};
}  // namespace detail
FMT_END_NAMESPACE

TEST_CASE(grows)
{
  check(1,
LIMIT);
}
`, []string{"detail", "Buffer"}},
		{"a.c", `__BEGIN_DECLS
int first(void);
__END_DECLS

enum color { RED,
GREEN,
BLUE
};

STATIC
int second(void) { return 1; }
`, []string{"GREEN", "second"}},
		{"a.proto", `syntax = "proto2";
package p;
message Old {
  required string name = 1;
  optional int32 count = 2 [default = 7];
  extensions 100 to 199;
}
message Other { repeated Old olds = 1; }
`, []string{"Old", "Other"}},
	} {
		p := NewParser(Options{})
		file := p.Parse(test.name, []byte(test.src))
		if p.extract.errors > 0 || file.Problem != "" {
			t.Errorf("%s: %d bytes are errors, problem %q", test.name, p.extract.errors, file.Problem)
		}
		p.Close()
		for _, want := range test.want {
			if !slices.ContainsFunc(file.Symbols, func(s Symbol) bool { return s.Name == want }) {
				t.Errorf("%s: %s is not among %+v", test.name, want, file.Symbols)
			}
		}
		for _, s := range file.Symbols {
			if !bytes.Contains([]byte(test.src), []byte(s.Name)) {
				t.Errorf("%s: symbol %q stands nowhere", test.name, s.Name)
			}
		}
	}
}
