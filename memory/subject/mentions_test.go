package subject

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// rootedAt returns the paths of file URIs below a folder.
func rootedAt(root string) func(string) (string, bool) {
	return func(uri string) (string, bool) {
		u, err := url.Parse(uri)
		if err != nil || u.Scheme != "file" {
			return "", false
		}
		rest, ok := strings.CutPrefix(u.Path, root)
		if !ok || rest != "" && rest[0] != '/' {
			return "", false
		}
		return strings.TrimPrefix(rest, "/"), true
	}
}

// show formats mentions as in the tables: p:path, s:symbol.
func show(list []Mention) string {
	out := make([]string, len(list))
	for i, m := range list {
		out[i] = fmt.Sprintf("%c:%s", m.Kind, m.Name)
	}
	return strings.Join(out, " ")
}

func TestMentionsInText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// Paths.
		{"Look at server/pool.go please.", "p:server/pool.go"},
		{"It is in ./x/y.ts, I think", "p:x/y.ts"},
		{"See ../lib/a.py and ../../b/c.py", "p:lib/a.py p:b/c.py"},
		{`open src\a.cs or src\\sub\\b.cs`, "p:src/a.cs p:src/sub/b.cs"},
		{"pool.go:42 panics", "p:pool.go"},
		{"pool.go:42:7: undefined", "p:pool.go"},
		{"(web/app.tsx:10-20)", "p:web/app.tsx"},
		{"docs/guide.md#L3-L9 is old", "p:docs/guide.md"},
		{"run tests/test_shop.py::TestCart::test_total", "p:tests/test_shop.py s:TestCart.test_total"},
		{"Why is go.mod changed? And .gitignore? And package.json!", "p:go.mod p:.gitignore p:package.json"},
		{"the Makefile and cmd/Dockerfile", "p:Makefile p:cmd/Dockerfile"},
		{"[the pool](server/pool.go) leaks", "p:server/pool.go"},
		{"\"conf/app.yaml\", 'conf/db.toml'", "p:conf/app.yaml p:conf/db.toml"},
		{"app/[id]/page.tsx renders twice", "p:app/[id]/page.tsx"},
		{"Der Fehler steht in src/größe.rs.", "p:src/größe.rs"},
		{"修改server/pool.go文件", "p:server/pool.go"},
		{"everything under memory/subject/ moves", "p:memory/subject"},
		{"--- a/src/x.c\n+++ b/src/x.c", "p:src/x.c"},
		{"diff --git a/one.c b/one.c", "p:one.c"},
		{"/repo/shop/main.go and /etc/hosts and /usr/lib/x.py", "p:main.go"},
		{"file:///repo/shop/sub/k.go is open", "p:sub/k.go"},
		{"node_modules/@types/node/index.d.ts", "p:node_modules/@types/node/index.d.ts"},
		{"`cmd/contexture` starts it, `internal/` does not", "p:cmd/contexture p:internal"},
		{"C:\\other\\x.cs is elsewhere", ""},
		// Symbols.
		{"`enter` waits too long", "s:enter"},
		{"call `Pool.Acquire(ctx)` first", "s:Pool.Acquire"},
		{"Server.enter blocks", "s:Server.enter"},
		{"http.Client has no timeout", "s:http.Client"},
		{"std::vector grows", "s:std::vector"},
		{"Order::total is wrong", "s:Order::total"},
		{"Cart#checkout raises", "s:Cart#checkout"},
		{"the userName and max_retries and MAX_SIZE fields", "s:userName s:max_retries s:MAX_SIZE"},
		{"HTTPServer and UserService and utf8Decode", "s:HTTPServer s:UserService s:utf8Decode"},
		{"does flush() return?", "s:flush"},
		{"parseConfig(path) fails", "s:parseConfig"},
		{"os.path.join breaks", "s:os.path.join"},
		{"define __init__ there", "s:__init__"},
		{"$userName is unset", "s:userName"},
		{"a UserService-based design", "s:UserService"},
		{"使用getUserName函数", "s:getUserName"},
		{"response.json() gives null", "s:response.json"},
		{"console.log(x) and Math.max", "s:console.log s:Math.max"},
		{"error:NotFoundError here", "s:NotFoundError"},
		{"``a `b` c`` and `x", ""},
		{"`w.mu` guards it", "s:w.mu"},
		{"`func (s *Server) enter(ctx context.Context) error`", "s:enter s:context.Context"},
		{"`go test ./server/...` fails", "p:server"},
		{"`README` and `UserCard` of `<UserCard>` and `&Pool`", "p:README s:UserCard s:Pool"},
		// Code.
		{"```go\nfunc total(c *Cart) int {\n\tif x == nil { return 0 }\n\treturn sumOf(c.items)\n}\n```\nDone.", "s:total s:sumOf"},
		{"~~~\nclass Basket:\n    def add(self, item):\n        self.items.append(item)\n~~~", "s:Basket s:add s:self.items.append"},
		{"> ```\n> import shop/cart.go\n> ```\nplain word()", "p:shop/cart.go s:word"},
		// Neither.
		{"This is, e.g., what I mean, i.e. nothing.", ""},
		{"We met at 9 a.m. and left at 5 p.m. on 2026-10-31, i.e. 31.10.2026.", ""},
		{"Version 1.2.3, v2.0.1-rc.1 and Go1.26 on 10/12/2024.", ""},
		{"It works.Then it stopped.The end.So what", ""},
		{"See https://example.com/a/b.go?x=1,server/pool.go and http://example.org/y.py.", ""},
		{"www.example.com/pool.go or example.com/x.html or localhost:8080/a.html", ""},
		{"Write to jane.doe@example.com or git@github.com:o/r.git", ""},
		{"github.com/acme/shop/cart is a module", ""},
		{"and/or, he/she, TCP/IP, 24/7, km/h, 3/4, w/o, n/a", ""},
		{"Node.js, Vue.js and Next.js with ASP.NET", ""},
		{"Mr.Smith and St.Louis and Ph.D and U.S.A and J.Smith", ""},
		{"GitHub, JavaScript, iPhone, macOS, MySQL, OpenAI and YouTube", ""},
		{"URLs, PDFs, IDs, PRs and VMs", ""},
		{"McKinsey, MacArthur and DeBruijn wrote it", ""},
		{"file(s), item(s), function(x) and so on()", ""},
		{"`true`, `nil`, `return`, `GET`, `--verbose`, `v1.2.3`, `42`, `git`", ""},
		{"`application/json` and `text/plain` and `and/or`", ""},
		{"`*.ts`, `.go`, `Content-Type`, `data-test-id`, `feature/login-form`, `origin/main`, `C++`, `100ms`, `US-East-1`", ""},
		{"dGhpc0lzQUtleVRoYXQ4TG9uZ3M and 3f2A9bC4d5E6f7A8b9C0", ""},
		{"It costs 1_000_000 and 3.50 and _really_ __much__", ""},
		{"amazon.com and booking.com and Booking.com are sites", ""},
		{"Hello. World. End", ""},
		{"... :: -> # . / \\ `` ` ~ @ $", ""},
		{"x->y and A->B", ""},
		{"", ""},
		{"\xff\xfe\x00 pool\xff.go", ""},
	} {
		got := show(Mentions(dialogue.Message{Content: c.text}, rootedAt("/repo/shop")))
		if got != c.want {
			t.Errorf("%q\n  mentions %q\n  want     %q", c.text, got, c.want)
		}
	}
}

func TestMentionsOfFields(t *testing.T) {
	for _, c := range []struct {
		name string
		m    dialogue.Message
		want string
	}{
		{"uris and symbols come first and once", dialogue.Message{
			Content: "server/b.go and `a`", URIs: []string{"file:///r/server/b.go", "file:///elsewhere/c.go", "untitled:x", "file:///r"}, Symbols: []string{"Pool", "a"},
		}, "p:server/b.go s:Pool s:a"},
		{"arguments", dialogue.Message{ToolCalls: []dialogue.ToolCall{
			{Name: "read", Arguments: json.RawMessage(`{"file_path":"/r/cmd/x y.go","limit":3}`), Result: json.RawMessage(`"result.go"`)},
			{Name: "run", Arguments: json.RawMessage(`{"command":"grep -n enterPool server/pool.go | head","paths":["a/b","./c.txt"]}`)},
			{Name: "find", Arguments: json.RawMessage(`{"symbol":"enter","nested":{"uri":"file:///r/d.go"},"glob_path":"**/*.go"}`)},
			{Name: "odd", Arguments: json.RawMessage(`"{\"path\":\"inner/e.go\"}"`)},
			{Name: "bad", Arguments: json.RawMessage(`{"path":`)},
			{Name: "none"},
		}}, "p:cmd/x y.go s:enterPool p:server/pool.go p:a/b p:c.txt s:enter p:d.go p:inner/e.go"},
		{"a tool's output names paths only", dialogue.Message{Role: dialogue.Tool, Content: "server/a.go: `enter` calls userName\nt.py::test_a x/t.py::test_b"}, "p:server/a.go p:t.py p:x/t.py"},
		{"reasoning is not looked at", dialogue.Message{Reasoning: "server/a.go"}, ""},
	} {
		if got := show(Mentions(c.m, rootedAt("/r"))); got != c.want {
			t.Errorf("%s:\n  mentions %q\n  want     %q", c.name, got, c.want)
		}
	}
	if got := show(Mentions(dialogue.Message{Content: "/r/a.go b.go", URIs: []string{"file:///r/a.go"}}, nil)); got != "p:b.go" {
		t.Errorf("without a root: %q", got)
	}
}

func TestMentionsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "dir/file%d.go ", i)
	}
	if n := len(Mentions(dialogue.Message{Content: b.String()}, nil)); n != maxMentions {
		t.Errorf("%d mentions", n)
	}
	if n := len(Mentions(dialogue.Message{Role: dialogue.Tool, Content: b.String()}, nil)); n != maxToolPaths {
		t.Errorf("%d mentions of a tool", n)
	}
	long := strings.Repeat("x", maxPathBytes)
	if got := Mentions(dialogue.Message{Content: long + "/a.go `" + long[:maxNameBytes+1] + "`", Symbols: []string{long, "a\x00b"}}, nil); len(got) != 0 {
		t.Errorf("mentions %v", got)
	}
}

// The worst inputs for each part of the scanner take no longer per byte than prose.
func TestMentionsTakeLinearTime(t *testing.T) {
	const size = 1 << 19
	for _, unit := range []string{
		"word ", "`", "`x", "`` `", "a", "/", "\\", ".", ":", "a:", "::", "a.", "[", "/[a", "->", "-", "[](", "```\n", "~~~", "()", "a(",
		"\xff", "ä", "@", "_", "aB", "http://", "x/", "\n", "#", "é.", "$",
	} {
		m := dialogue.Message{Content: strings.Repeat(unit, size/len(unit))}
		begin := time.Now()
		Mentions(m, rootedAt("/r"))
		if took := time.Since(begin); took > 20*time.Second { // a quadratic scan takes minutes
			t.Errorf("%d bytes of %q take %v", size, unit, took)
		}
	}
}

func FuzzMentions(f *testing.F) {
	f.Add("look at `server/pool.go` and Pool.Acquire()", `{"path":"x/y.go"}`)
	f.Add("```\nfunc x(a_b)\n```\nfile:///r/a.go C:\\x\\y.cs", `["{}"]`)
	f.Fuzz(func(t *testing.T, text, args string) {
		m := dialogue.Message{Content: text, ToolCalls: []dialogue.ToolCall{{Arguments: json.RawMessage(args)}}}
		got := Mentions(m, rootedAt("/r"))
		if !slices.Equal(got, Mentions(m, rootedAt("/r"))) {
			t.Error("not the same twice")
		}
		seen := map[Mention]bool{}
		for _, x := range got {
			n := nameOf(x)
			if seen[x] || x.Name == "" || len(n.parts) == 0 || n.head() == "" && x.Kind == Path {
				t.Errorf("mentions %q of %q, %q", x, text, args)
			}
			if x.Kind == Path && (strings.HasPrefix(x.Name, "/") || strings.HasPrefix(x.Name, "../")) {
				t.Errorf("%q is not below the root", x.Name)
			}
			seen[x] = true
		}
	})
}
