package server

import "encoding/json"

// The messages of the Language Server Protocol, as far as they are read or written here. Members that are not listed
// are passed over, so that a client's odd capability does not keep it out.

type wireInitialize struct {
	ProcessID             *int            `json:"processId"`
	ClientInfo            *wireInfo       `json:"clientInfo"`
	RootPath              string          `json:"rootPath"`
	RootURI               string          `json:"rootUri"`
	WorkspaceFolders      []wireFolder    `json:"workspaceFolders"`
	Capabilities          json.RawMessage `json:"capabilities"`
	InitializationOptions json.RawMessage `json:"initializationOptions"`
}

type wireInfo struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type wireFolder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// wireCapabilities are those of the client that matter.
type wireCapabilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
	} `json:"window"`
	Workspace struct {
		Configuration          bool        `json:"configuration"`
		DidChangeConfiguration wireDynamic `json:"didChangeConfiguration"`
		DidChangeWatchedFiles  wireDynamic `json:"didChangeWatchedFiles"`
	} `json:"workspace"`
}

type wireDynamic struct {
	DynamicRegistration bool `json:"dynamicRegistration"`
}

type wireInitialized struct {
	Capabilities map[string]any `json:"capabilities"`
	ServerInfo   wireInfo       `json:"serverInfo"`
}

type wirePosition struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type wireRange struct {
	Start wirePosition `json:"start"`
	End   wirePosition `json:"end"`
}

type wireDocument struct {
	URI        string `json:"uri"`
	LanguageID string `json:"languageId"`
	Version    int    `json:"version"`
	Text       string `json:"text"`
}

type wireOpen struct {
	TextDocument wireDocument `json:"textDocument"`
}

// wireChange replaces a range, or everything where there is none.
type wireChange struct {
	Range *wireRange `json:"range"`
	Text  string     `json:"text"`
}

type wireEdit struct {
	TextDocument   wireDocument `json:"textDocument"`
	ContentChanges []wireChange `json:"contentChanges"`
}

// wireDocumentOnly are the parameters of didClose and didSave.
type wireDocumentOnly struct {
	TextDocument wireDocument `json:"textDocument"`
}

type wireFolders struct {
	Event struct {
		Added   []wireFolder `json:"added"`
		Removed []wireFolder `json:"removed"`
	} `json:"event"`
}

type wireWatched struct {
	Changes []struct {
		URI string `json:"uri"`
	} `json:"changes"`
}

type wireSettings struct {
	Settings json.RawMessage `json:"settings"`
}

type wireCommand struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

// messageType is the kind of a window/showMessage.
type messageType int

const (
	messageError   messageType = 1
	messageWarning messageType = 2
)
