package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/server/command"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxDefinitionTokens limits the part of a model's window that the definitions of the default tools
// take.
const maxDefinitionTokens = 2500

// TestDefinitionsAreSmall counts names, descriptions and schemas of the default tools in the form
// that models get.
func TestDefinitionsAreSmall(t *testing.T) {
	count, err := tokens.For(tokens.O200k)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, tool := range modelTools {
		raw, err := json.Marshal(map[string]any{"name": tool.name, "description": tool.description, "inputSchema": tool.schema()})
		if err != nil {
			t.Fatal(err)
		}
		total += count.Count(string(raw))
	}
	t.Logf("%d tokens", total)
	if total > maxDefinitionTokens || total < 300 {
		t.Errorf("the definitions take %d tokens, at most %d", total, maxDefinitionTokens)
	}
}

// TestListOfTools checks that the tools are in the same order every time, as the protocol's
// revision requires.
func TestListOfTools(t *testing.T) {
	c := serve(t, ready)
	var before string
	for range 2 {
		c.write(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		a := c.read()
		var list struct {
			Tools []struct {
				Name         string
				OutputSchema json.RawMessage
				InputSchema  struct{ Properties map[string]any }
			}
		}
		if err := json.Unmarshal(a.Result, &list); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if tool.OutputSchema != nil || tool.InputSchema.Properties["root"] == nil {
				t.Errorf("%s has an output schema, or no root", tool.Name)
			}
		}
		if want := []string{"context", "recall", "remember", "search", "symbol", "turn"}; !slices.Equal(names, want) {
			t.Errorf("the tools are %v, want %v", names, want)
		}
		if before != "" && before != string(a.Result) {
			t.Errorf("the second list differs: %s", a.Result)
		}
		before = string(a.Result)
	}
}

// TestRecallByType checks the answers of the types of recall that contexture.act has, and that its
// errors name the query.
func TestRecallByType(t *testing.T) {
	f := &fake{answers: map[string][]any{"contexture.act": {
		command.ActResult{Statements: []command.ActStatement{{
			Kind: "rule", Text: "No timers.", Date: "2026-10-05", ConversationID: "monday", TurnID: "T-2",
			Moved: &command.ActMoved{Commits: 2, Date: "2026-10-08", Subject: "drain"},
		}}},
		command.ActResult{Runs: []command.ActRun{{
			Command: "make a", Folder: "/w", Times: 3, Failures: 1, Outcome: "failed", Failure: "no rule", ConversationID: "monday", TurnID: "T-3",
			Passed: &command.ActPassed{Command: "make b", TurnID: "T-4"},
		}}, MoreRuns: true},
		command.ActResult{},
		command.InvalidParams("command", "is too long"),
	}}}
	for _, tt := range []struct{ args, want string }{
		{`{"query":"a.go","type":"blame"}`, "Rule, turn T-2 of \"monday\", 2026-10-05 (the file changed in 2 commits since, last 2026-10-08: drain)\n```\nNo timers.\n```"},
		{`{"query":"make","type":"how"}`, "Ran 3 times, failed 1 time, last failed, turn T-3 of \"monday\"\n```\nmake a\n# in /w\n# failed with: no rule\n# then passed in T-4: make b\n```\n\n" +
			"There is more: further words of the command narrow it."},
		{`{"query":"make","type":"how"}`, `Nothing is remembered about "make" by type how; without a type, all of memory is searched.`},
	} {
		if text, failed := calling(t, f, "recall", tt.args); failed || text != tt.want {
			t.Errorf("%s: %q", tt.args, text)
		}
	}
	if text, failed := calling(t, f, "recall", `{"query":"make","type":"how"}`); !failed || text != "query: is too long" {
		t.Errorf("refused with %q", text)
	}
}

func TestTools(t *testing.T) {
	for list, want := range map[string]string{
		"": "context,search,symbol,recall,remember,turn", "default": "context,search,symbol,recall,remember,turn",
		"search, bundle": "search,context", "conversation_turn,index_status": "turn,index_status",
	} {
		if got, err := Tools(list); err != nil || strings.Join(got, ",") != want {
			t.Errorf("%q is %v, %v", list, got, err)
		}
	}
	all, err := Tools("all")
	personal := func(name string) bool { return strings.HasPrefix(name, "capture") || strings.HasPrefix(name, "team") }
	if err != nil || len(all) != len(command.Infos)-11 || slices.ContainsFunc(all, personal) || !slices.Contains(all, "knowledge_put") || slices.Contains(all, "bundle") {
		t.Errorf("all are %v, %v", all, err)
	}
	for _, list := range []string{"bundel", "search,", "default,search", "capture_set", "team_join"} {
		if got, err := Tools(list); err == nil || !strings.Contains(err.Error(), "context, search") {
			t.Errorf("%q is %v, %v", list, got, err)
		}
	}
}

// fake answers commands by id.
type fake struct {
	mu      sync.Mutex
	asked   []string // the arguments of each call
	answers map[string][]any
}

func (f *fake) execute(_ context.Context, id string, args json.RawMessage) (json.RawMessage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, id+" "+string(args))
	list := f.answers[id]
	if len(list) == 0 {
		return json.RawMessage(`{}`), nil
	}
	if len(list) > 1 {
		f.answers[id] = list[1:]
	}
	if err, ok := list[0].(error); ok {
		return nil, err
	}
	return json.Marshal(list[0])
}

// calling calls a tool of a server whose commands a fake answers.
func calling(t *testing.T, f *fake, tool, args string) (text string, failed bool) {
	t.Helper()
	s, err := New(Options{
		Execute: f.execute, Logger: slog.New(slog.DiscardHandler),
		Open: func(_ context.Context, root string) (string, error) {
			if root == "/gone" {
				return "", command.InvalidParams("root", "there is no folder /gone")
			}
			return "file:///ws", nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(modelTools, func(m modelTool) bool { return m.name == tool })
	r, err := s.run(t.Context(), modelTools[i], &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{Name: tool, Arguments: json.RawMessage(args)}})
	if err != nil {
		t.Fatal(err)
	}
	if r.StructuredContent != nil || len(r.Content) != 1 {
		t.Errorf("%s answers %+v", tool, r)
	}
	return r.Content[0].(*sdk.TextContent).Text, r.IsError
}

// TestArguments checks that an error names an argument as the tool does, and that a valid argument
// reaches the command under the contract's name.
func TestArguments(t *testing.T) {
	for _, tt := range []struct{ tool, args, want string }{
		{"context", `{}`, "prompt: is required"},
		{"context", `{"prompt":null}`, "prompt: is required"},
		{"context", `{"prompt":{"text":"x"}}`, "prompt: must be a string"},
		{"context", `{"prompt":"x","budget":"many"}`, "budget: must be a whole number"},
		{"context", `{"prompt":"x","budget":1}`, "budget: must be at least 256"},
		{"context", `{"prompt":"x","bugdet":300}`, "bugdet: is unknown; context takes prompt, budget, path, line, conversationId, root"},
		{"context", `{"prompt":"x","line":3}`, "line: needs the path of its file"},
		{"context", `{"prompt":"x","budget":"3.5"}`, "budget: must be a whole number"},
		{"context", `{"prompt":"x","root":[]}`, "root: must be the absolute path of a folder"},
		{"context", `{"prompt":"x","root":"/gone"}`, "root: there is no folder /gone"},
		{"context", `{"prompt":"x","workspace":"y"}`, "root: names the folder of the project; workspace is unknown"},
		{"context", `[]`, "arguments: must be a JSON object"},
		{"search", `{"query":"x","paths":{"glob":"src"}}`, "paths: must be a list of strings"},
		{"symbol", `{"name":"x","limit":0}`, "limit: must be at least 1"},
		{"recall", `{}`, "query: is required, or id instead of it"},
		{"recall", `{"query":"x","type":"song"}`, "type: must be one of any, decision, rule, lesson, turn, task, code, blame, how or fix"},
		{"recall", `{"id":"x","type":"how"}`, "query: is required with type blame (a file), how (a command) or fix (an error), and id is not taken"},
		{"recall", `{"query":" ","type":"fix"}`, "query: is required with type blame (a file), how (a command) or fix (an error), and id is not taken"},
		{"remember", `{"kind":"song","text":"x"}`, "kind: must be one of rule, decision, lesson or note"},
		{"turn", `{"conversationId":"c"}`, "turnId: is required"},
		{"turn", `{"conversationId":"c","turnId":"T-1","detail":"R"}`, "detail: must be one of full, short or brief"},
	} {
		f := &fake{}
		if text, failed := calling(t, f, tt.tool, tt.args); !failed || text != tt.want || len(f.asked) > 0 {
			t.Errorf("%s %s: %q (%v), want %q; asked %v", tt.tool, tt.args, text, failed, tt.want, f.asked)
		}
	}
	for _, tt := range []struct{ tool, args, want string }{
		{"context", `{"prompt":"x","path":"a b.go","line":3}`, `contexture.bundle {"budget":2001,"deadlineMs":5000,"encoding":"o200k_base","position":{"character":0,"line":2},"prompt":"x","textDocument":{"uri":"file:///ws/a%20b.go"},"workspace":"file:///ws"}`},
		{"context", `{"prompt":404,"path":"","budget":"900","conversationId":null,"root":""}`, `contexture.bundle {"budget":901,"deadlineMs":5000,"encoding":"o200k_base","prompt":"404","workspace":"file:///ws"}`},
		{"search", `{"query":"x","paths":"src/**","limit":"3.0"}`, `contexture.search {"deadlineMs":5000,"limit":3,"paths":["src/**"],"query":"x","workspace":"file:///ws"}`},
		{"recall", `{"query":"x","type":"any","id":""}`, `contexture.recall {"memoryType":"any","query":"x","workspace":"file:///ws"}`},
		{"recall", `{"query":"a.go:7:2","type":"blame","budget":99}`, `contexture.act {"limit":8,"moved":true,"path":"a.go","position":{"line":6,"character":0},"workspace":"file:///ws"}`},
		{"recall", `{"query":"a.go","type":"blame"}`, `contexture.act {"limit":8,"moved":true,"path":"a.go","workspace":"file:///ws"}`},
		{"recall", `{"query":"go test","type":"how"}`, `contexture.act {"command":"go test","limit":8,"workspace":"file:///ws"}`},
		{"recall", `{"query":"a.go:7: no","type":"fix"}`, `contexture.act {"limit":8,"output":"a.go:7: no","workspace":"file:///ws"}`},
		{"recall", `{"id":"i","type":"decision"}`, `contexture.recall {"expand":"i","memoryType":"decision","workspace":"file:///ws"}`},
		{"turn", `{"conversationId":"c","turnId":"T-1","detail":"brief"}`, `contexture.conversation.turn {"conversationId":"c","level":"C","pin":false,"turnId":"T-1","workspace":"file:///ws"}`},
	} {
		f := &fake{}
		if _, failed := calling(t, f, tt.tool, tt.args); failed || len(f.asked) != 1 || f.asked[0] != tt.want {
			t.Errorf("%s %s asks %v, want %s", tt.tool, tt.args, f.asked, tt.want)
		}
	}
	// Errors of the server also use the tool's names.
	f := &fake{answers: map[string][]any{"contexture.recall": {command.InvalidParams("memoryType", "is wrong")}, "contexture.symbol": {command.InvalidParams("workspace", "is required")}}}
	if text, failed := calling(t, f, "recall", `{"query":"x"}`); !failed || text != "type: is wrong" {
		t.Errorf("recall is refused with %q", text)
	}
	if text, failed := calling(t, f, "symbol", `{"name":"x"}`); !failed || text != "root: is required" {
		t.Errorf("symbol is refused with %q", text)
	}
}

// TestWaitsForTheIndex checks that a request whose answer lacks the index is repeated once the
// index has caught up.
func TestWaitsForTheIndex(t *testing.T) {
	lacking := command.SearchResult{Degraded: []command.Degradation{{Stage: "index", Reason: "indexing"}}}
	first := 4
	found := command.SearchResult{Hits: []command.Hit{{
		ID: "c-1", Kind: "code", Title: "func F", URI: "file:///ws/a.go", Snippet: "func F() {\n}\n", SnippetLine: &first,
		Range: &command.Range{Start: command.Position{Line: 4}, End: command.Position{Line: 9}},
	}}}
	f := &fake{answers: map[string][]any{
		"contexture.search": {lacking, found}, "contexture.index.status": {command.IndexStatusResult{State: "scanning"}, command.IndexStatusResult{State: "idle"}},
	}}
	text, failed := calling(t, f, "search", `{"query":"F"}`)
	if failed || !strings.HasPrefix(text, "a.go:5-6 in func F (lines 5-10, id c-1)\n```go\nfunc F() {\n}\n```\n") {
		t.Errorf("search: %q", text)
	}
	if want := []string{"contexture.search", "contexture.index.status", "contexture.index.status", "contexture.search"}; len(f.asked) != len(want) {
		t.Errorf("asked %v", f.asked)
	}
}

// TestContextText checks that a bundle is shown without its prompt and within its budget, the least
// relevant items left out first.
func TestContextText(t *testing.T) {
	code := func(name string, n int) string {
		return "<ctx-code path=\"" + name + "\" lines=\"1-" + number(n) + "\">\n" + strings.TrimSuffix(strings.Repeat("line of code\n", n), "\n") + "\n</ctx-code>\n"
	}
	text := code("low.go", 40) + code("high.go", 40) + "<ctx-prompt>\nthe prompt\n</ctx-prompt>\n"
	span := func(part string) *command.Span {
		i := strings.Index(text, part)
		return &command.Span{Start: i, End: i + len(part)}
	}
	b := command.BundleResult{
		Text: text, Budget: 261, Dropped: []command.Dropped{{ID: "x", Kind: "code", Reason: "budget"}, {ID: "y", Kind: "code", Reason: "threshold"}},
		Items: []command.Item{{ID: "1", Kind: "code", Score: 1, Span: span(code("low.go", 40))}, {ID: "2", Kind: "code", Score: 2, Span: span(code("high.go", 40))}},
	}
	got, _ := calling(t, &fake{answers: map[string][]any{"contexture.bundle": {b}}}, "context", `{"prompt":"x","budget":260}`)
	if !strings.HasPrefix(got, "high.go:1-40\n```go\nline of code\n") || strings.Contains(got, "low.go") || strings.Contains(got, "the prompt") ||
		!strings.Contains(got, "2 pieces more did not fit into 260 tokens") {
		t.Errorf("context: %s", got)
	}
	b.Budget = 2001
	if got, _ = calling(t, &fake{answers: map[string][]any{"contexture.bundle": {b}}}, "context", `{"prompt":"x"}`); !strings.Contains(got, "low.go:1-40\n") {
		t.Errorf("context: %s", got)
	}
	got, _ = calling(t, &fake{answers: map[string][]any{"contexture.bundle": {command.BundleResult{Text: "<ctx-prompt>\nhi\n</ctx-prompt>\n", Budget: 2000}}}}, "context", `{"prompt":"hi"}`)
	if !strings.HasPrefix(got, "Nothing is shown, because nothing found is clearly about this request.") {
		t.Errorf("with nothing: %s", got)
	}
}

// TestLongPrompt checks that a prompt of any size that the contract allows leaves the budget to the
// answer, which does not contain it.
func TestLongPrompt(t *testing.T) {
	prompt := strings.Repeat("Zeile für Zeile ein Protokoll, 12:00:00.\n", 12_000)
	f := &fake{answers: map[string][]any{"contexture.bundle": {command.BundleResult{}}}}
	if text, failed := calling(t, f, "context", fmt.Sprintf(`{"prompt":%q,"budget":700}`, prompt)); failed {
		t.Fatal(text)
	}
	var asked struct {
		Budget           int
		Prompt, Encoding string
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(f.asked[0], "contexture.bundle ")), &asked); err != nil || asked.Prompt != prompt {
		t.Fatalf("asked %.100s, %v", f.asked[0], err)
	}
	count, err := tokens.For(tokens.Encoding(asked.Encoding))
	if err != nil {
		t.Fatal(err)
	}
	if want := count.Count(prompt) + 700; asked.Budget != want {
		t.Errorf("a bundle of %d tokens, want %d", asked.Budget, want)
	}
}

// TestSymbolText checks that definitions are shown with their text, then lists of locations, one a
// line, without file URIs.
func TestSymbolText(t *testing.T) {
	at := func(first, last int) command.Range {
		return command.Range{Start: command.Position{Line: first}, End: command.Position{Line: last}}
	}
	r := command.SymbolResult{
		Name:        "Acquire",
		Definitions: []command.Definition{{Name: "Acquire", Container: "*Pool", Kind: "method", Path: "pool.go", URI: "file:///ws/pool.go", Range: at(4, 5), TextLine: 3, Text: "// Acquire takes.\nfunc (p *Pool) Acquire() {\n}", Signature: "func (p *Pool) Acquire()"}},
		Occurrences: []command.Occurrence{
			{Path: "main.go", Range: at(8, 8), Text: "p.Acquire()", In: "main", Call: true},
			{Path: "other.go", Range: at(1, 1), Text: "x.Acquire()", Call: true, Unsure: true},
		},
		Implementations: []command.Definition{{Name: "Acquire", Container: "Fake", Kind: "method", Path: "fake.go", Range: at(0, 2), Signature: "func (f Fake) Acquire()"}},
		More:            command.SymbolMore{Occurrences: 3},
	}
	want := "pool.go:4-6 method Pool.Acquire\n```go\n// Acquire takes.\nfunc (p *Pool) Acquire() {\n}\n```\n\n" +
		"Implemented or overridden by:\n```\nfake.go:1-3 method Fake.Acquire: func (f Fake) Acquire()\n```\n\n" +
		"Called or used by:\n```\nmain.go:9 in main: p.Acquire()\n```\n\n" +
		"Perhaps this one, perhaps another of the same name (1 of 4):\n```\nother.go:2: x.Acquire()\n```\n\n" +
		"3 lines not shown: symbol with a larger limit, with Type.name, or with path."
	if got, _ := calling(t, &fake{answers: map[string][]any{"contexture.symbol": {r}}}, "symbol", `{"name":"Acquire"}`); got != want {
		t.Errorf("symbol:\n%s\nwant:\n%s", got, want)
	}
	none := command.SymbolResult{Name: "acquier", Similar: []command.Definition{{Name: "Acquire", Kind: "function", Path: "a.go", Range: at(0, 1), Signature: "func Acquire()"}}}
	got, _ := calling(t, &fake{answers: map[string][]any{"contexture.symbol": {none}}}, "symbol", `{"name":"acquier"}`)
	if want := "Nothing in the project defines acquier.\nSimilar names:\n```\na.go:1-2 function Acquire: func Acquire()\n```"; got != want {
		t.Errorf("nothing found: %q, want %q", got, want)
	}
}
