package command

// IndexStatusResult tells how a workspace's index stands. It is also the body of the notification
// `contexture/status`, which comes for each workspace by itself.
type IndexStatusResult struct {
	// Workspace is the URI of the root, as the client spells it; absent where there is none.
	Workspace string `json:"workspace,omitempty"`
	// State of the indexer.
	State string `json:"state" check:"enum=idle|scanning|indexing|error"`
	// Files that are indexed.
	Files int `json:"files"`
	// FilesTotal that are to be indexed; never shrinks within one run.
	FilesTotal int `json:"filesTotal"`
	// Chunks that they were cut into.
	Chunks int `json:"chunks"`
	// Symbols that they define.
	Symbols int `json:"symbols"`
	// Bytes of the indexed files.
	Bytes int64 `json:"bytes"`
	// Queue is the number of files that wait.
	Queue int `json:"queue"`
	// Stale is the number of indexed files that are known to have changed since.
	Stale int `json:"stale"`
	// Embedder that vectors come from.
	Embedder EmbedderStatus `json:"embedder"`
	// Version of the index; only ever grows.
	Version uint64 `json:"version"`
	// IndexedAt is when the last run ended; absent before the first.
	IndexedAt Time `json:"indexedAt,omitzero"`
	// Skipped counts what was left out, by reason.
	Skipped []SkipCount `json:"skipped"`
	// Errors is the number of files that could not be read.
	Errors int `json:"errors"`
	// Quarantined files broke the indexer or took too long.
	Quarantined []Quarantined `json:"quarantined"`
	// Watcher that changes come from.
	Watcher WatcherStatus `json:"watcher"`
}

// EmbedderStatus tells where vectors come from.
type EmbedderStatus struct {
	// Name of the model.
	Name string `json:"name"`
	// Dimensions of its vectors.
	Dimensions int `json:"dimensions"`
	// Source of the model.
	Source string `json:"source" check:"enum=builtin|ollama"`
	// Digest that identifies it: vectors of different digests are never compared.
	Digest string `json:"digest"`
	// Pending is the number of chunks without a vector of this model.
	Pending int `json:"pending"`
	// Total is the number of chunks that are to have one; only of a model server's model.
	Total int `json:"total,omitempty"`
	// Problem says why pending chunks get no vector now; empty where they do.
	Problem string `json:"problem,omitempty"`
}

// SkipCount counts files that were left out for one reason.
type SkipCount struct {
	// Reason why.
	Reason string `json:"reason"`
	// Count of files or, for whole folders, of folders.
	Count int `json:"count"`
}

// Quarantined is a file that is not indexed until it changes.
type Quarantined struct {
	// Path relative to the root.
	Path string `json:"path"`
	// Reason why.
	Reason string `json:"reason"`
}

// WatcherStatus tells where changes come from.
type WatcherStatus struct {
	// Mode of watching.
	Mode string `json:"mode" check:"enum=inotify|client|poll"`
	// Watches that are held.
	Watches int `json:"watches"`
}

// RebuildArgs says what to build anew.
type RebuildArgs struct {
	Scope
	// Scope of the rebuild: everything, or the vectors alone.
	What string `json:"scope,omitempty" check:"default=all,enum=all|embeddings"`
}

// WhyArgs names a file.
type WhyArgs struct {
	Scope
	// TextDocument is the file.
	TextDocument TextDocument `json:"textDocument" check:"required"`
}

// WhyResult tells whether a file is indexed, and why.
type WhyResult struct {
	// Indexed says whether it is.
	Indexed bool `json:"indexed"`
	// Rule that says so: a pattern, or the name of a built-in rule.
	Rule string `json:"rule,omitempty"`
	// Source of the rule: a file, a setting's key, or `builtin`.
	Source string `json:"source,omitempty"`
	// Line of the rule in its file, from 1.
	Line int `json:"line,omitempty"`
}
