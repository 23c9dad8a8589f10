package servertest_test

//lint:file-ignore SA1019 clients that speak a protocol from before 2026-07-28 tell their folders by roots

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/mcp"
	"github.com/contexture-dev/contexture/server/transport"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// assistant connects the SDK's client to our MCP server over a real language server, whose root
// holds the files.
func assistant(t *testing.T, files map[string]string, clientOptions *sdk.ClientOptions, roots ...*sdk.Root) (*sdk.ClientSession, string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v, err := server.New(engine.Options{Version: "test", StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := net.Pipe()
	over := make(chan struct{})
	go func() { // ends with the language client, which the test's cleanup closes
		defer close(over)
		if _, err := v.Serve(context.WithoutCancel(t.Context()), theirs, engine.SessionOptions{Offline: true}); err != nil {
			t.Errorf("language server: %v", err)
		}
	}()
	language, err := transport.NewClient(t.Context(), ours, transport.ClientOptions{
		Folders: []string{root}, Name: "test", Version: "1", Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	all, err := mcp.Tools(mcp.AllTools)
	if err != nil {
		t.Fatal(err)
	}
	var own atomic.Value
	own.Store("file://" + filepath.ToSlash(root))
	s, err := mcp.New(mcp.Options{
		Execute: language.Execute, Status: language.Status, Version: "test", Tools: all, Logger: slog.New(slog.DiscardHandler),
		Move: func(folders []string) { own.Store("file://" + filepath.ToSlash(folders[0])); language.Move(folders) },
		Open: func(context.Context, string) (string, error) { return own.Load().(string), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.WithoutCancel(t.Context()), toServer, fromServer) }()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, clientOptions)
	c.AddRoots(roots...)
	options := &sdk.ClientSessionOptions{}
	if len(roots) > 0 {
		options.ProtocolVersion = "2025-11-25" // the last revision in which a server asks for roots
	}
	session, err := c.Connect(t.Context(), &sdk.IOTransport{Reader: toClient, Writer: fromClient}, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close() // only the server's end matters
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		if err := language.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
		<-over
		if err := v.Close(); err != nil {
			t.Errorf("close server: %v", err)
		}
	})
	return session, root
}

var shop = map[string]string{
	"retry.go":  "package shop\n\n// retryPayment tries a payment again.\nfunc retryPayment(attempts int) error {\n\treturn nil\n}\n",
	"README.md": "# Shop\n\nPayments are retried three times.\n",
}

// call calls a tool and returns its text.
func call(t *testing.T, s *sdk.ClientSession, name string, args any) (string, *sdk.CallToolResult) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var text strings.Builder
	for _, c := range r.Content {
		text.WriteString(c.(*sdk.TextContent).Text)
	}
	return text.String(), r
}

type object = map[string]any

// TestTools checks that every command is a tool or is called by a tool made for models, with true
// annotations. Only the commands that follow a person's conversations in other programs are
// withheld from models.
func TestTools(t *testing.T) {
	s, _ := assistant(t, shop, nil)
	tools := map[string]*sdk.Tool{}
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		tools[tool.Name] = tool
	}
	personal := 0
	forModels := map[string]string{
		"contexture.bundle": "context", "contexture.conversation.turn": "turn", "contexture.search": "search", "contexture.symbol": "symbol",
		"contexture.recall": "recall", "contexture.remember": "remember",
	}
	for _, info := range command.Infos {
		name, made := forModels[info.Name]
		if !made {
			name = strings.ReplaceAll(strings.TrimPrefix(info.Name, command.Prefix), ".", "_")
		}
		tool := tools[name]
		if strings.HasPrefix(info.Name, "contexture.capture.") || strings.HasPrefix(info.Name, "contexture.team.") {
			personal++
			if tool != nil {
				t.Errorf("a model may call %s", info.Name)
			}
			continue
		}
		if tool == nil {
			t.Errorf("%s is no tool", info.Name)
			continue
		}
		a := tool.Annotations
		reads := info.Writes == "" || name == "turn" // which pins nothing
		if a == nil || a.ReadOnlyHint != reads || a.OpenWorldHint == nil || *a.OpenWorldHint || a.DestructiveHint == nil || *a.DestructiveHint && a.ReadOnlyHint {
			t.Errorf("%s: annotations %+v, writes %q", info.Name, a, info.Writes)
		}
		if text := made || name == "conversation_history"; text != (tool.OutputSchema == nil) {
			t.Errorf("%s: answers with a text alone: %v; output schema %v", name, text, tool.OutputSchema)
		}
		raw, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(raw); tool.Description == "" || strings.Contains(text, `"null"`) || strings.Contains(text, "maxBytes") {
			t.Errorf("%s: %s", info.Name, text)
		}
		input, ok := tool.InputSchema.(object)
		if !ok || input["type"] != "object" || input["additionalProperties"] != false || input["properties"].(object)["root"] == nil ||
			input["properties"].(object)["workspace"] != nil {
			t.Errorf("%s takes %v", name, tool.InputSchema)
		}
	}
	if len(tools) != len(command.Names)-personal || personal == 0 {
		t.Errorf("%d tools for %d commands", len(tools), len(command.Names))
	}
	input := tools["ticklers"].InputSchema.(object)
	if defs, ok := input["$defs"].(object); !ok || defs["Position"] == nil || defs["SearchArgs"] != nil {
		t.Errorf("the schema of ticklers stands not alone: %v", input["$defs"])
	}
}

// TestCalls checks that calls return the commands' results as text for a model, and that an error
// says why.
func TestCalls(t *testing.T) {
	s, root := assistant(t, shop, nil)
	text, r := call(t, s, "context", object{"prompt": "where are payments retried?", "budget": 2000})
	if r.IsError || r.StructuredContent != nil || !strings.Contains(text, "retry.go:1-6\n```go\n") || !strings.Contains(text, "func retryPayment(attempts int) error") ||
		strings.Contains(text, "where are payments") {
		t.Fatalf("context: %+v\n%s", r, text)
	}
	for name, args := range map[string]object{"search": {"query": "retryPayment"}, "symbol": {"name": "retryPayment"}, "recall": {"query": "retryPayment"}} {
		text, r = call(t, s, name, args)
		if !strings.Contains(text, "retry.go:") || !strings.Contains(text, "func retryPayment") || r.StructuredContent != nil || strings.Contains(text, root) || strings.Contains(text, "file:") {
			t.Errorf("%s: %s", name, text)
		}
	}
	text, r = call(t, s, "remember", object{"kind": "decision", "text": "Payments stop after three attempts."})
	if r.IsError || !strings.Contains(text, "three attempts") {
		t.Errorf("remember: %s", text)
	}
	if text, _ = call(t, s, "recall", object{"query": "after how many attempts do payments stop?", "type": "decision"}); !strings.Contains(text, "Decision of ") || !strings.Contains(text, "Payments stop after three attempts.") {
		t.Errorf("recall: %s", text)
	}
	for _, test := range []struct {
		name string
		args object
		want string
	}{
		{"context", object{}, "prompt: "},
		{"context", object{"prompt": "x", "budget": 2_000_000}, "budget: "},
		{"context", object{"prompt": "x", "conversationId": strings.Repeat("x", 300)}, "conversationId: "},
		{"turn", object{"conversationId": "x", "turnId": "7"}, "turnId: "},
		{"search", object{"query": "x", "nonsense": 1}, "nonsense: "},
		{"conversation_arc", object{"conversationId": "nobody"}, "notFound: "},
		{"turn", object{"conversationId": "nobody", "turnId": "T-1"}, `conversation "nobody" does not exist`},
	} {
		if text, r := call(t, s, test.name, test.args); !r.IsError || !strings.Contains(text, test.want) {
			t.Errorf("%s %v: %v %q, want %q", test.name, test.args, r.IsError, text, test.want)
		}
	}
	if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "nonsense"}); err == nil {
		t.Error("a tool that does not exist was called")
	}
}

// TestMemory checks that conversations can be written and read, as tools and as resources.
func TestMemory(t *testing.T) {
	s, _ := assistant(t, shop, nil)
	const id = "a/b c%"
	_, r := call(t, s, "conversation_append", object{"conversationId": id, "messages": []object{
		{"id": "1", "role": "user", "content": "Shall retryPayment stop after three attempts?"},
		{"id": "2", "role": "assistant", "content": "Decision: we stop after three attempts, the bank blocks after four."},
	}})
	if r.IsError {
		t.Fatalf("append: %+v", r.Content[0])
	}
	if text, _ := call(t, s, "turn", object{"conversationId": id, "turnId": "T-1"}); !strings.HasPrefix(text, "Turn T-1\n```\nuser: Shall retryPayment") {
		t.Errorf("turn: %s", text)
	}
	if text, r := call(t, s, "conversation_history", object{"conversationId": id}); !strings.Contains(text, "Turn T-1") || r.StructuredContent != nil {
		t.Errorf("history: %s", text)
	}
	read := func(uri string) (string, error) {
		r, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			return "", err
		}
		return r.Contents[0].Text, nil
	}
	for uri, want := range map[string]string{
		"contexture://conversation/a%2Fb%20c%25/arc":      "three attempts",
		"contexture://conversation/a%2Fb%20c%25/turn/T-1": "the bank blocks after four",
		"contexture://index/status":                       `"state"`,
	} {
		if text, err := read(uri); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %v %q, want %q", uri, err, text, want)
		}
	}
	for _, uri := range []string{"contexture://conversation/nobody/arc", "contexture://conversation/a%2Fb%20c%25/turn/T-9", "contexture://conversation//arc", "contexture://else"} {
		if text, err := read(uri); err == nil {
			t.Errorf("%s: %q", uri, text)
		}
	}
	templates, err := s.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 2 {
		t.Errorf("templates: %v %+v", err, templates)
	}
}

// TestPrompt checks that the prompt is a bundle, and that an error names a bad argument.
func TestPrompt(t *testing.T) {
	s, _ := assistant(t, shop, nil)
	r, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "context", Arguments: map[string]string{"prompt": "what is in the shop?", "budget": "600"}})
	if err != nil || !strings.Contains(r.Messages[0].Content.(*sdk.TextContent).Text, "what is in the shop?") {
		t.Errorf("prompt: %v %+v", err, r)
	}
	for want, args := range map[string]map[string]string{"budget": {"prompt": "x", "budget": "many"}, "prompt": {}, "nonsense": {"prompt": "x", "nonsense": "y"}} {
		if _, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "context", Arguments: args}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("prompt %v: %v, want %q", args, err, want)
		}
	}
}

// TestProgress checks that a client that asks for progress receives the index's.
func TestProgress(t *testing.T) {
	heard := make(chan *sdk.ProgressNotificationParams, 100)
	s, _ := assistant(t, shop, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		select {
		case heard <- r.Params:
		default:
		}
	}})
	for {
		params := &sdk.CallToolParams{Name: "search", Arguments: object{"query": "retryPayment"}}
		params.SetProgressToken("p")
		if _, err := s.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		select {
		case p := <-heard:
			if p.ProgressToken != "p" || p.Total != 2 || p.Progress > p.Total {
				t.Errorf("progress %+v", p)
			}
			return
		default: // the server has not sent its status yet
		}
	}
}

// TestCancelled checks that a cancelled call ends and that the session goes on.
func TestCancelled(t *testing.T) {
	s, _ := assistant(t, shop, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "context", Arguments: object{"prompt": "x"}}); err == nil {
		t.Error("a cancelled call was answered")
	}
	if text, r := call(t, s, "index_status", object{}); r.IsError {
		t.Errorf("after it: %s", text)
	}
}

// TestRoots checks that a client with its own folders is served over those.
func TestRoots(t *testing.T) {
	other, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "own.go"), []byte("package own\n\nfunc onlyHere() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := assistant(t, shop, nil, &sdk.Root{URI: "file://" + other})
	deadline := time.Now().Add(20 * time.Second)
	for {
		text, _ := call(t, s, "search", object{"query": "onlyHere"})
		if strings.Contains(text, "own.go") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the client's folder is not searched: %s", text)
		}
	}
}

func TestUnknownTool(t *testing.T) {
	if _, err := mcp.New(mcp.Options{Tools: []string{"bundle", "bundel"}, Logger: slog.New(slog.DiscardHandler)}); err == nil || !strings.Contains(err.Error(), "bundel") {
		t.Errorf("New: %v", err)
	}
	s, err := mcp.New(mcp.Options{Tools: []string{"bundle"}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil || s == nil {
		t.Errorf("New: %v", err)
	}
}

// TestPrivate checks that no cacheable answer is marked as shareable: answers are about a person's
// workspace.
func TestPrivate(t *testing.T) {
	client, _ := assistant(t, map[string]string{"a.go": "package a\n"}, nil)
	call(t, client, "conversation_append", map[string]any{
		"conversationId": "login", "messages": []map[string]any{{"role": "user", "content": "Let's use sessions."}},
	})
	read := func(uri string) func() (sdk.CacheableResult, error) {
		return func() (sdk.CacheableResult, error) {
			return client.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		}
	}
	for what, ask := range map[string]func() (sdk.CacheableResult, error){
		"tools/list":               func() (sdk.CacheableResult, error) { return client.ListTools(t.Context(), nil) },
		"prompts/list":             func() (sdk.CacheableResult, error) { return client.ListPrompts(t.Context(), nil) },
		"resources/list":           func() (sdk.CacheableResult, error) { return client.ListResources(t.Context(), nil) },
		"resources/templates/list": func() (sdk.CacheableResult, error) { return client.ListResourceTemplates(t.Context(), nil) },
		"an arc":                   read("contexture://conversation/login/arc"),
		"the index's status":       read("contexture://index/status"),
	} {
		r, err := ask()
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if r.GetCacheScope() != "private" {
			t.Errorf("%s may be kept by %q", what, r.GetCacheScope())
		}
	}
}
