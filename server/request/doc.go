// Package request is what the program's own command line asks of the server beyond the contract:
// requests of a session that commands for editors and assistants have no use for, such as to wait
// for an index or to export the memory.
//
// They are methods of JSON-RPC beside workspace/executeCommand and are answered only in a session
// that was begun for a command line (engine.SessionOptions.CommandLine). Client and server are of
// the same [Version], or do not talk to each other; so what is here can change with every build.
//
// The server answers them in server/commandline.go and the files beside it; cmd/contexture asks.
package request

// Version is the version of the requests. It is raised with every change that another build would
// misunderstand.
const Version = 1

// Methods about the session and the process.
const (
	// Stop cancels the work of all current and later requests of the session, because the person
	// has interrupted the command. Each request is answered with what was done until then.
	Stop = "contexture/stop"
	// Process takes [ProcessParams] and returns a [ProcessResult].
	Process = "contexture/process"
	// Workspace takes [WorkspaceParams] and returns a [WorkspaceResult].
	Workspace = "contexture/workspace"
	// KnownRoot takes [KnownRootParams] and records a root without opening it.
	KnownRoot = "contexture/knownRoot"
	// StateList returns the indexes of the state directory, a list of engine.StoredIndex.
	StateList = "contexture/state/list"
	// StateRemove takes [StateRemoveParams] and removes an index.
	StateRemove = "contexture/state/remove"
)

// ProcessParams are the parameters of Process, which describes the process that answers.
type ProcessParams struct {
	// Metrics is the setting metrics.listen.
	Metrics string `json:"metrics,omitempty"`
}

// ProcessResult describes the process that answers.
type ProcessResult struct {
	PID int `json:"pid"`
	// Build describes the program, with its commit.
	Build string `json:"build"`
	// Sessions counts the sessions besides the one that asks.
	Sessions int `json:"sessions"`
	// Metrics is the address at which the metrics of the setting are served; "" if they are not
	// served.
	Metrics string `json:"metrics,omitempty"`
}

// WorkspaceParams are the parameters of Workspace, which describes the root of the session.
type WorkspaceParams struct {
	// Memory opens the memory of the root first; if that fails, the request fails with the reason.
	Memory bool `json:"memory,omitempty"`
}

// WorkspaceResult describes the root of the session.
type WorkspaceResult struct {
	// IndexDir is the folder of the root's index. HasIndex reports whether that folder exists, for
	// a session that opens only what exists whether it did when the session began. Indexed reports
	// whether the session opens the index.
	IndexDir string `json:"indexDir"`
	HasIndex bool   `json:"hasIndex"`
	Indexed  bool   `json:"indexed"`

	// Settings that the command line uses.
	Enabled       bool   `json:"enabled"`
	MemoryEnabled bool   `json:"memoryEnabled"`
	IndexPaused   bool   `json:"indexPaused"`
	Budget        int    `json:"budget"`
	Encoding      string `json:"encoding"`
	// Sources names where enabled, memory.enabled and index.paused are set, by key.
	Sources map[string]string `json:"sources"`
	// Problems lists what is wrong in the settings files.
	Problems []string `json:"problems"`
}

// KnownRootParams names a root.
type KnownRootParams struct {
	Path string `json:"path"`
}

// StateRemoveParams names an index of the state directory.
type StateRemoveParams struct {
	Name string `json:"name"`
}
