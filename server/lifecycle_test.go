package server_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
	"github.com/contexture-dev/contexture/server/transport"
)

// code returns the code of an answer's error, 0 for none.
func code(t *testing.T, err error) int {
	t.Helper()
	var e *servertest.Error
	if err != nil && !errors.As(err, &e) {
		t.Fatalf("no answer: %v", err)
	}
	if e == nil {
		return 0
	}
	return e.Code
}

func TestInitialize(t *testing.T) {
	for _, tt := range []struct {
		name  string
		offer any
		want  string
	}{
		{"nothing offered", nil, "utf-16"},
		{"both", []string{"utf-16", "utf-8"}, "utf-8"},
		{"only the old one", []string{"utf-16"}, "utf-16"},
		{"one that is not known", []string{"utf-32"}, "utf-16"},
		{"ill-typed", 7, "utf-16"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := servertest.Options{Capabilities: map[string]any{"general": map[string]any{"positionEncodings": tt.offer}}}
			got := servertest.Launch(t, o).Initialize(o)
			c := got.Capabilities
			if c.PositionEncoding != tt.want {
				t.Errorf("position encoding %q, want %q", c.PositionEncoding, tt.want)
			}
			if !c.TextDocumentSync.OpenClose || c.TextDocumentSync.Change != 2 || len(c.TextDocumentSync.Save) == 0 {
				t.Errorf("text sync %+v", c.TextDocumentSync)
			}
			if !c.Workspace.WorkspaceFolders.Supported || c.Workspace.WorkspaceFolders.ChangeNotifications != true {
				t.Errorf("workspace folders %+v", c.Workspace.WorkspaceFolders)
			}
			if !slices.Equal(c.ExecuteCommandProvider.Commands, command.Names) {
				t.Errorf("commands %v", c.ExecuteCommandProvider.Commands)
			}
			if c.Experimental.Contexture.Version != command.Version || got.ServerInfo.Name != "contexture" || got.ServerInfo.Version == "" {
				t.Errorf("version %d of %+v", c.Experimental.Contexture.Version, got.ServerInfo)
			}
			if string(c.HoverProvider) != "true" || !strings.HasPrefix(string(c.CodeLensProvider), "{") {
				t.Errorf("hover %s, lens %s", c.HoverProvider, c.CodeLensProvider)
			}
			if len(c.Workspace.FileOperations.DidRename.Filters) != 1 {
				t.Errorf("renamed files %+v", c.Workspace.FileOperations)
			}
		})
	}
}

func TestPhases(t *testing.T) {
	e := servertest.Launch(t, servertest.Options{})
	e.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "untitled:early", "text": "early"}})
	if got := code(t, e.Execute("contexture.index.status", nil, nil)); got != command.CodeServerNotInitialized {
		t.Errorf("a command before initialize answers %d", got)
	}
	if got := code(t, e.Request("shutdown", nil, nil)); got != command.CodeServerNotInitialized {
		t.Errorf("shutdown before initialize answers %d", got)
	}
	if got := code(t, e.Request("initialize", []int{1}, nil)); got != command.CodeInvalidParams {
		t.Errorf("initialize with parameters that do not decode answers %d", got)
	}
	e.Initialize(servertest.Options{})
	if got := code(t, e.Request("initialize", map[string]any{"capabilities": map[string]any{}}, nil)); got != command.CodeInvalidRequest {
		t.Errorf("a second initialize answers %d", got)
	}
	e.MustExecute("contexture.index.status", nil, nil)
	for _, method := range []string{"textDocument/completion", "$/unknown", "workspace/symbol"} {
		if got := code(t, e.Request(method, map[string]any{}, nil)); got != command.CodeMethodNotFound {
			t.Errorf("%s answers %d", method, got)
		}
	}
	for _, method := range []string{"$/setTrace", "$/unknown", "workspace/unknown", "textDocument/willSave"} {
		e.Notify(method, map[string]any{"value": "off"})
	}
	e.MustExecute("contexture.index.status", nil, nil)
	var answer any = "something"
	if err := e.Request("shutdown", nil, &answer); err != nil || answer != nil {
		t.Errorf("shutdown answers %v, %v", answer, err)
	}
	if got := code(t, e.Execute("contexture.index.status", nil, nil)); got != command.CodeInvalidRequest {
		t.Errorf("a command after shutdown answers %d", got)
	}
	e.Notify("exit", nil)
	if x := e.Exited(); x.Code != 0 || x.Err != nil {
		t.Errorf("exit %+v", x)
	}
}

func TestEnds(t *testing.T) {
	t.Run("exit without shutdown", func(t *testing.T) {
		e := servertest.Start(t, servertest.Options{})
		e.Notify("exit", nil)
		if x := e.Exited(); x.Code != 1 || x.Err != nil {
			t.Errorf("exit %+v", x)
		}
	})
	t.Run("exit before initialize", func(t *testing.T) {
		e := servertest.Launch(t, servertest.Options{})
		e.Notify("exit", nil)
		if x := e.Exited(); x.Code != 1 || x.Err != nil {
			t.Errorf("exit %+v", x)
		}
	})
	t.Run("malformed header", func(t *testing.T) {
		e := servertest.Start(t, servertest.Options{})
		e.Write("GET / HTTP/1.1\r\n")
		var header *transport.HeaderError
		if x := e.Exited(); x.Code != 1 || !errors.As(x.Err, &header) {
			t.Errorf("exit %+v", x)
		}
	})
	t.Run("end inside a message", func(t *testing.T) {
		e := servertest.Start(t, servertest.Options{})
		e.Write("Content-Length: 9\r\n\r\n{")
		e.Hang()
		// A pipe closes both ways: the server's current write may fail first.
		if x := e.Exited(); x.Code != 1 || !errors.Is(x.Err, io.ErrUnexpectedEOF) && !errors.Is(x.Err, io.ErrClosedPipe) {
			t.Errorf("exit %+v", x)
		}
	})
}

func TestExitsWithItsClient(t *testing.T) {
	client := exec.Command("sleep", "600")
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	e := servertest.Start(t, servertest.Options{ProcessID: client.Process.Pid})
	e.MustExecute("contexture.index.status", nil, nil)
	if err := client.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = client.Wait() // reaped, so that its id is free
	if x := e.Exited(); x.Code != 1 || x.Err != nil {
		t.Errorf("exit %+v", x)
	}
}

func TestStaysWithItsClient(t *testing.T) {
	e := servertest.Start(t, servertest.Options{ProcessID: os.Getpid()})
	e.MustExecute("contexture.index.status", nil, nil)
}

// TestUndecodable checks that parameters that do not decode are rejected in a request and logged
// for a notification.
func TestUndecodable(t *testing.T) {
	var log syncBuffer
	e := servertest.Start(t, servertest.Options{Log: &log})
	for _, method := range []string{
		"textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "textDocument/didSave", "workspace/didChangeWatchedFiles",
		"workspace/didChangeWorkspaceFolders", "workspace/didChangeConfiguration",
	} {
		for _, params := range []any{[]int{1}, nil, map[string]any{"textDocument": 3, "changes": 3, "event": 3, "settings": 3, "contentChanges": 1}} {
			e.Notify(method, params)
		}
	}
	e.Change("untitled:never-opened", 2, servertest.Edit{Text: "x"})
	e.CloseDocument("untitled:never-opened")
	if got := code(t, e.Request("workspace/executeCommand", []int{3}, nil)); got != command.CodeInvalidParams {
		t.Errorf("undecodable parameters of a request answer %d", got)
	}
	e.MustExecute("contexture.index.status", nil, nil)
	if n := strings.Count(log.String(), "notification failed"); n < 14 {
		t.Errorf("%d notifications were logged:\n%s", n, log.String())
	}
}

// TestErrorTexts checks that an error quotes a client's long text in shortened form, and names a
// field that cannot be decoded by its own name, not by the program's type.
func TestErrorTexts(t *testing.T) {
	e := servertest.Start(t, servertest.Options{})
	long := strings.Repeat("x", 1<<20)
	for _, tt := range []struct{ request, code, says string }{
		{`"id":"raw-1","method":"foo` + "\xff" + `"`, "-32601", "foo\uFFFD is not a method"},
		{`"id":"raw-1` + "\xff" + `","method":"foo"`, "-32601", "foo is not a method"},
		{`"id":"raw-1","method":"` + long + `"`, "-32601", "x… is not a method"},
		{`"id":"raw-1","method":"workspace/executeCommand","params":{"command":"contexture.` + "\xff" + `"}`, "-32602", "\uFFFD"},
		{`"id":"raw-1","method":"workspace/executeCommand","params":{"command":"contexture.search","arguments":[{"` + "\xff" + `":1}]}`, "-32602", "\uFFFD"},
		{`"id":"raw-1","method":"workspace/executeCommand","params":{"command":7}`, "-32602", `"field":"command"`},
		{`"id":"raw-1","method":"workspace/executeCommand","params":{"command":"contexture.search","arguments":{}}`, "-32602", `arguments: must be a list`},
		{`"id":"raw-1","method":"workspace/executeCommand","params":"x"`, "-32602", "the parameters must be an object"},
		{`"id":"raw-1","method":"workspace/executeCommand"`, "-32602", "the parameters are missing"},
		{`"id":"raw-1","method":"textDocument/hover","params":{"textDocument":{"uri":5}}`, "-32602", "textDocument.uri: must be a string"},
		{`"id":"raw-1","method":"textDocument/hover","params":{"textDocument":{"uri":"a:b"},"position":{"line":1e99}}`, "-32602", "position.line: must be a whole number"},
		{`"id":"raw-1","method":"textDocument/codeLens","params":{"textDocument":"x"}`, "-32602", "textDocument: must be an object"},
	} {
		before := len(e.State().Unmatched)
		body := `{"jsonrpc":"2.0",` + tt.request + `}`
		e.Write(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
		e.Await("an answer to "+tt.request[:min(len(tt.request), 80)], func(s *servertest.State) servertest.Verdict {
			return servertest.If(len(s.Unmatched) > before)
		})
		answer := string(e.State().Unmatched[before])
		switch {
		case !strings.Contains(answer, `"code":`+tt.code), !strings.Contains(answer, tt.says), len(answer) > 1000:
			t.Errorf("%.100s: answers %.300s", tt.request, answer)
		case strings.Contains(answer, "json:"), strings.Contains(answer, "struct"):
			t.Errorf("%.100s: answers %s", tt.request, answer)
		}
	}
}

func TestCommandErrors(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	for _, tt := range []struct {
		name, command string
		args          any
		code          int
		field, data   string
	}{
		{"unknown command", "contexture.nothing", nil, command.CodeInvalidParams, "command", ""},
		{"unknown field", "contexture.search", map[string]any{"query": "x", "color": 1}, command.CodeInvalidParams, "color", ""},
		{"missing field", "contexture.bundle", map[string]any{}, command.CodeInvalidParams, "prompt", ""},
		{"out of range", "contexture.bundle", map[string]any{"prompt": "x", "budget": 255}, command.CodeInvalidParams, "budget", ""},
		{"override", "contexture.bundle", map[string]any{"prompt": "x", "layers": map[string]any{"L5_jit": map[string]any{"min": 5, "max": 4}}}, command.CodeInvalidParams, "layers.L5_jit.min", ""},
		{"unknown workspace", "contexture.search", map[string]any{"query": "x", "workspace": "file:///nowhere"}, command.CodeRequestFailed, "", "notFound"},
		{"unknown workspace of the status", "contexture.index.status", map[string]any{"workspace": "file:///nowhere"}, command.CodeRequestFailed, "", "notFound"},
		{"workspace that is no path", "contexture.config", map[string]any{"workspace": "untitled:x"}, command.CodeRequestFailed, "", "notFound"},
		{"why of no file", "contexture.index.why", map[string]any{"textDocument": map[string]any{"uri": "http://x/y"}}, command.CodeInvalidParams, "textDocument.uri", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got *servertest.Error
			if err := e.Execute(tt.command, tt.args, nil); !errors.As(err, &got) {
				t.Fatalf("answers %v", err)
			}
			if got.Code != tt.code || got.Data.Field != tt.field || got.Data.Code != tt.data {
				t.Errorf("answers %v", got)
			}
		})
	}
	if err := e.Request("workspace/executeCommand", map[string]any{"command": "contexture.index.status"}, nil); err != nil {
		t.Errorf("without arguments: %v", err)
	}
}

func TestPromptExceedsBudget(t *testing.T) {
	e := servertest.Start(t, servertest.Options{})
	prompt := strings.Repeat("many different words stand here ", 200)
	var got *servertest.Error
	err := e.Execute("contexture.bundle", map[string]any{"prompt": prompt, "budget": 256}, nil)
	if !errors.As(err, &got) || got.Code != command.CodeRequestFailed || got.Data.Code != "promptExceedsBudget" || got.Data.Needed <= 256 {
		t.Fatalf("answers %v", err)
	}
	var b command.BundleResult
	e.MustExecute("contexture.bundle", map[string]any{"prompt": prompt, "budget": got.Data.Needed}, &b)
	if b.Tokens > got.Data.Needed || !strings.Contains(b.Text, prompt) {
		t.Errorf("with what is needed: %d tokens of %d", b.Tokens, got.Data.Needed)
	}
}
