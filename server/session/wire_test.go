package session

import (
	"encoding/json"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/transport"
	"go.lsp.dev/protocol"
)

// quoted is the list of commands as JSON.
func quoted(t *testing.T) string {
	t.Helper()
	raw, err := json.Marshal(command.Names)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestGreeting compares the answer to initialize with its documented form, byte for byte: no
// additional member, and no null.
func TestGreeting(t *testing.T) {
	for _, e := range []transport.Encoding{transport.UTF8, transport.UTF16} {
		got, err := greeting(e, "1.2")
		if err != nil {
			t.Fatal(err)
		}
		want := `{"capabilities":{"positionEncoding":"` + string(e) + `","textDocumentSync":{"openClose":true,"change":2,"save":{"includeText":false}},` +
			`"hoverProvider":true,"codeLensProvider":{"resolveProvider":false},"executeCommandProvider":{"commands":` + quoted(t) + `},` +
			`"workspace":{"workspaceFolders":{"supported":true,"changeNotifications":true},` +
			`"fileOperations":{"didRename":{"filters":[{"scheme":"file","pattern":{"glob":"**/*"}}]}}},` +
			`"experimental":{"contexture":{"version":1}}},"serverInfo":{"name":"contexture","version":"1.2"}}`
		if string(got) != want {
			t.Errorf("the answer is\n%s\nwant\n%s", got, want)
		}
	}
}

// TestSentMessages checks the exact text of the other messages sent.
func TestSentMessages(t *testing.T) {
	all, err := client{watchFiles: true, watchSettings: true}.registrations()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		message any
		want    string
	}{
		{&protocol.RegistrationParams{Registrations: all}, `{"registrations":[` +
			`{"id":"contexture/watch","method":"workspace/didChangeWatchedFiles","registerOptions":{"watchers":[{"globPattern":"**/*"}]}},` +
			`{"id":"contexture/configuration","method":"workspace/didChangeConfiguration","registerOptions":{"section":"contexture"}}]}`},
		{&protocol.ShowMessageParams{Type: protocol.MessageTypeWarning, Message: "a\xff <b>"}, "{\"type\":2,\"message\":\"a\uFFFD <b>\"}"},
		{&protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: new(Name)}}}, `{"items":[{"section":"contexture"}]}`},
		{&protocol.WorkDoneProgressBegin{Kind: "begin", Title: "Indexing", Cancellable: new(false), Percentage: new(uint32(0))},
			`{"kind":"begin","title":"Indexing","cancellable":false,"percentage":0}`},
		{&protocol.WorkDoneProgressEnd{Kind: "end"}, `{"kind":"end"}`},
		{&protocol.ProgressParams{Token: protocol.String("t"), Value: protocol.LSPAny(`{"kind":"end"}`)}, `{"token":"t","value":{"kind":"end"}}`},
	} {
		if got, err := marshal(tt.message); err != nil || string(got) != tt.want {
			t.Errorf("%T is sent as\n%s (%v)\nwant\n%s", tt.message, got, err, tt.want)
		}
	}
}

// TestReadInitialize checks that one parameter of the wrong type does not affect the others.
func TestReadInitialize(t *testing.T) {
	const odd = `"clientInfo":{"name":"ed","version":7},"trace":null,"locale":3,"workDoneToken":{},"rootPath":[],"processId":"x",`
	const able = `"general":{"positionEncodings":["utf-8"]},"workspace":{"configuration":true,` +
		`"didChangeWatchedFiles":{"dynamicRegistration":true},"didChangeConfiguration":{"dynamicRegistration":true}},"window":{"workDoneProgress":true}`
	folders := []uriRef{{"file:///%FF"}, {"file:///C:/a(b)"}}
	const list = `"rootUri":"file:////r","workspaceFolders":[{"uri":"file:///%FF","name":"a"},{"uri":"file:///C:/a(b)"}],`
	everything := client{utf8: true, progress: true, configuration: true, watchFiles: true, watchSettings: true}
	for _, tt := range []struct {
		name, raw string
		client    client
		root      string
		folders   []uriRef
	}{
		{"all is well", `{"processId":4,` + list + `"capabilities":{` + able + `}}`, everything, "file:////r", folders},
		{"others are odd", `{` + odd + list + `"capabilities":{` + able + `}}`, everything, "file:////r", folders},
		{"odd capabilities", `{` + list + `"capabilities":{"textDocument":{"hover":7,"semanticTokens":{"requests":{"full":true}}},` + able + `}}`, everything, "file:////r", folders},
		{"a capability that matters is odd", `{"capabilities":{"general":{"positionEncodings":7},"window":{"workDoneProgress":true}}}`, client{progress: true}, "", nil},
		{"no capabilities", `{"rootUri":"file:///r","capabilities":7,"workspaceFolders":null}`, client{}, "file:///r", nil},
		{"odd folders", `{"rootUri":"file:///r","workspaceFolders":"x"}`, client{}, "file:///r", nil},
		{"odd root", `{"rootUri":{},"capabilities":{"window":{"workDoneProgress":true}}}`, client{progress: true}, "", nil},
		{"nulls", `{"processId":null,"rootUri":null,"rootPath":null,"workspaceFolders":null,"clientInfo":null,"locale":null,"capabilities":null,"initializationOptions":null}`, client{}, "", nil},
		{"nothing", `{}`, client{}, "", nil},
		{"null", `null`, client{}, "", nil},
		{"unknown", `{"zzz":[{}],"capabilities":{"zzz":7,"window":{"zzz":null,"workDoneProgress":true}}}`, client{progress: true}, "", nil},
	} {
		p, err := readInitialize(json.RawMessage(tt.raw), slog.New(slog.NewTextHandler(io.Discard, nil)))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := clientOf(&p.Capabilities); got != tt.client || p.root != tt.root || !reflect.DeepEqual(p.folders, tt.folders) {
			t.Errorf("%s: %+v, root %q, folders %q", tt.name, got, p.root, p.folders)
		}
	}
	for _, raw := range []string{"", "7", "[1]", `"x"`} {
		if _, err := readInitialize(json.RawMessage(raw), slog.New(slog.DiscardHandler)); err == nil {
			t.Errorf("%q is taken", raw)
		}
	}
}

func TestReadInitializeOptions(t *testing.T) {
	p, err := readInitialize(json.RawMessage(`{"trace":null,"processId":4,"rootPath":"/r","initializationOptions":{"a":[1, 2]},"clientInfo":{"name":"ed","version":"2"}}`), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	version, _ := p.ClientInfo.Version.Get()
	if p.ProcessID == nil || *p.ProcessID != 4 || p.path != "/r" || string(p.InitializationOptions) != `{"a":[1, 2]}` || p.ClientInfo.Name != "ed" || version != "2" {
		t.Errorf("read %+v", p.InitializeParams)
	}
}

func TestReadCommand(t *testing.T) {
	for _, tt := range []struct {
		raw, name, arguments string
		fails                bool
	}{
		{`{"command":"c","arguments":[{"a" : 1,"a":2}, null]}`, "c", `{"a" : 1,"a":2}|null`, false},
		{`{"command":"c","arguments":[{}],"workDoneToken":{"odd":1}}`, "c", `{}`, false},
		{`{"command":"c","arguments":null,"workDoneToken":null}`, "c", "", false},
		{`{"command":"c"}`, "c", "", false},
		{`{"command":"c","arguments":{}}`, "", "", true},
		{`{"command":7}`, "", "", true},
		{`[]`, "", "", true},
		{``, "", "", true},
	} {
		name, arguments, err := readCommand(json.RawMessage(tt.raw))
		var parts []string
		for _, a := range arguments {
			parts = append(parts, string(a))
		}
		if (err != nil) != tt.fails || !tt.fails && (name != tt.name || strings.Join(parts, "|") != tt.arguments) {
			t.Errorf("%s: %q %q %v", tt.raw, name, parts, err)
		}
	}
}

// TestReadChanges checks that unusual forms of changes leave the buffer as the editor has it.
func TestReadChanges(t *testing.T) {
	for raw, want := range map[string]string{
		`{"text":"x"}`:              "x",
		`{"range":null,"text":"x"}`: "x",
		`{"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":2}},"rangeLength":-1,"text":"x"}`:                  "axc",
		`{"range":{"start":{"line":0,"character":1},"end":{"line":9007199254740991,"character":0}},"rangeLength":null,"text":"x"}`: "ax",
		`{"range":{"start":{"line":0,"character":-1},"end":{"line":0,"character":1}},"text":"x"}`:                                  "xbc",
	} {
		var p changeParams
		if err := decode(json.RawMessage(`{"textDocument":{"uri":"untitled:a(b)","version":null},"contentChanges":[`+raw+`]}`), &p); err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if got := transport.UTF16.Apply("abc", p.ContentChanges[0]); got != want || p.TextDocument.URI != "untitled:a(b)" {
			t.Errorf("%s gives %q of %q, want %q", raw, got, p.TextDocument.URI, want)
		}
	}
}

// FuzzReadInitialize checks that any object begins a session.
func FuzzReadInitialize(f *testing.F) {
	f.Add(`{"capabilities":{"window":{"workDoneProgress":true}},"trace":null}`)
	f.Add(`{"\u0022":1,"processId":1e400}`)
	f.Fuzz(func(t *testing.T, raw string) {
		var object map[string]json.RawMessage
		fine := json.Unmarshal([]byte(raw), &object) == nil
		if _, err := readInitialize(json.RawMessage(raw), slog.New(slog.DiscardHandler)); fine != (err == nil) {
			t.Fatalf("%q: %v", raw, err)
		}
	})
}
