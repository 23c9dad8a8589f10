package servertest

import (
	"encoding/json"
	"maps"
	"net/url"
	"path/filepath"

	"github.com/contexture-dev/contexture/server/transport"
)

// Initialized is the answer to initialize, as far as tests look at it.
type Initialized struct {
	Capabilities struct {
		PositionEncoding string `json:"positionEncoding"`
		TextDocumentSync struct {
			OpenClose bool            `json:"openClose"`
			Change    int             `json:"change"`
			Save      json.RawMessage `json:"save"`
		} `json:"textDocumentSync"`
		Workspace struct {
			WorkspaceFolders struct {
				Supported           bool `json:"supported"`
				ChangeNotifications any  `json:"changeNotifications"`
			} `json:"workspaceFolders"`
			FileOperations struct {
				DidRename struct {
					Filters []json.RawMessage `json:"filters"`
				} `json:"didRename"`
			} `json:"fileOperations"`
		} `json:"workspace"`
		ExecuteCommandProvider struct {
			Commands []string `json:"commands"`
		} `json:"executeCommandProvider"`
		CodeLensProvider json.RawMessage `json:"codeLensProvider"`
		HoverProvider    json.RawMessage `json:"hoverProvider"`
		Experimental     struct {
			Contexture struct {
				Version int `json:"version"`
			} `json:"contexture"`
		} `json:"experimental"`
	} `json:"capabilities"`
	ServerInfo struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"serverInfo"`
}

// Initialize begins the session with both messages.
func (e *Editor) Initialize(o Options) Initialized {
	e.t.Helper()
	params := map[string]any{"processId": nil, "rootUri": nil, "capabilities": o.Capabilities, "initializationOptions": o.InitOptions}
	if o.Capabilities == nil {
		params["capabilities"] = map[string]any{}
	}
	if o.ProcessID != 0 {
		params["processId"] = o.ProcessID
	}
	folders := []any{}
	for _, root := range o.Roots {
		folders = append(folders, Folder(root))
	}
	if len(folders) > 0 {
		params["workspaceFolders"] = folders
	}
	var answer Initialized
	if err := e.Request("initialize", params, &answer); err != nil {
		e.t.Fatalf("initialize: %v", err)
	}
	e.Notify("initialized", map[string]any{})
	return answer
}

// Folder is a workspace folder on the wire.
func Folder(path string) map[string]any {
	return map[string]any{"uri": URI(path), "name": filepath.Base(path)}
}

// URI of a path.
func URI(path string) string {
	if filepath.VolumeName(path) != "" {
		return transport.FileURI(path)
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// Open opens a document.
func (e *Editor) Open(uri, text string) {
	e.t.Helper()
	e.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "x", "version": 1, "text": text}})
}

// Edit is a change of a range, given by its four numbers.
type Edit struct {
	Line, Character, EndLine, EndCharacter int
	Text                                   string
}

// Change edits a document.
func (e *Editor) Change(uri string, version int, edits ...Edit) {
	e.t.Helper()
	changes := make([]any, len(edits))
	for i, d := range edits {
		changes[i] = map[string]any{"text": d.Text, "range": map[string]any{
			"start": map[string]any{"line": d.Line, "character": d.Character}, "end": map[string]any{"line": d.EndLine, "character": d.EndCharacter},
		}}
	}
	e.change(uri, version, changes)
}

// Replace gives a document a new text.
func (e *Editor) Replace(uri string, version int, text string) {
	e.t.Helper()
	e.change(uri, version, []any{map[string]any{"text": text}})
}

func (e *Editor) change(uri string, version int, changes []any) {
	e.t.Helper()
	e.Notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": changes})
}

// CloseDocument closes a document.
func (e *Editor) CloseDocument(uri string) {
	e.t.Helper()
	e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
}

// Save tells that a document was saved.
func (e *Editor) Save(uri string) {
	e.t.Helper()
	e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": uri}})
}

// Hit is a hit of contexture.search, as far as tests look at it.
type Hit struct {
	ID, Kind, Title, URI, Snippet string
	Range                         struct {
		Start, End struct{ Line, Character int }
	}
	Symbols []string
}

// Search returns the hits of a query.
func (e *Editor) Search(args map[string]any) []Hit {
	e.t.Helper()
	var r struct{ Hits []Hit }
	if _, given := args["deadlineMs"]; !given { // a busy machine must not turn an answer into none
		args = maps.Clone(args)
		args["deadlineMs"] = Patience.Milliseconds()
	}
	e.MustExecute("contexture.search", args, &r)
	return r.Hits
}
