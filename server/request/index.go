package request

import "github.com/contexture-dev/contexture/indexer"

// Methods about the index of the session's root.
const (
	// IndexOpen waits until the index is open and returns an [IndexResult].
	IndexOpen = "contexture/index/open"
	// IndexState returns an [IndexResult] without waiting.
	IndexState = "contexture/index/state"
	// IndexUpdate waits until the index has every change on disk and returns an [IndexResult] that
	// counts as parsed only what was read since the session opened it.
	IndexUpdate = "contexture/index/update"
	// IndexModel takes [IndexModelParams], waits until the model server has answered, and returns
	// an [IndexModelResult].
	IndexModel = "contexture/index/model"
	// IndexEmbed waits until the model server's model has embedded everything, or cannot.
	IndexEmbed = "contexture/index/embed"
	// IndexNames takes [IndexNamesParams] and returns an [IndexNamesResult].
	IndexNames = "contexture/index/names"
)

// IndexResult describes an index.
type IndexResult struct {
	// Off reports that the program is switched off for the root, so that there is no index.
	Off    bool                `json:"off,omitempty"`
	Status indexer.Status      `json:"status"`
	Model  indexer.ModelStatus `json:"model"`
}

// IndexNamesParams asks for the names that a shell completes.
type IndexNamesParams struct {
	// Begins is the beginning of the names.
	Begins string `json:"begins"`
	// Limit of the names.
	Limit int `json:"limit"`
}

// IndexNamesResult has names that the workspace defines, sorted.
type IndexNamesResult struct {
	Names []DefinedName `json:"names"`
}

// DefinedName is a name, with the kind and the path of one of its definitions.
type DefinedName struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Path string `json:"path"`
}

// IndexModelParams limits the wait for the model server.
type IndexModelParams struct {
	PatienceMs int64 `json:"patienceMs"`
}

// IndexModelResult reports whether there is an embedding model.
type IndexModelResult struct {
	// Embeds reports whether the index uses a model of the server, or will.
	Embeds bool `json:"embeds"`
	// Late reports that the server had not answered in time.
	Late bool `json:"late,omitempty"`
}
