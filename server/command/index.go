package command

// IndexStatusResult is the state of a workspace's index. It is also the body of the notification
// `contexture/status`, which is sent for each workspace separately.
type IndexStatusResult struct {
	// Workspace is the URI of the root, as the client spells it; absent without a root.
	Workspace string `json:"workspace,omitempty"`
	// State of the indexer.
	State string `json:"state" check:"enum=idle|scanning|indexing|error"`
	// Files that are indexed.
	Files int `json:"files"`
	// FilesTotal that are to be indexed; it never shrinks within one run.
	FilesTotal int `json:"filesTotal"`
	// Chunks that they were cut into.
	Chunks int `json:"chunks"`
	// Symbols that they define.
	Symbols int `json:"symbols"`
	// Bytes of the indexed files.
	Bytes int64 `json:"bytes"`
	// Queue is the number of waiting files.
	Queue int `json:"queue"`
	// Stale is the number of indexed files that are known to have changed since.
	Stale int `json:"stale"`
	// Embedder that makes the vectors.
	Embedder EmbedderStatus `json:"embedder"`
	// Version of the index; it never decreases.
	Version uint64 `json:"version"`
	// IndexedAt is when the last run ended; absent before the first.
	IndexedAt Time `json:"indexedAt,omitzero"`
	// Skipped counts what was left out, by reason.
	Skipped []SkipCount `json:"skipped"`
	// Languages of the indexed files, the one with the most files first.
	Languages []LanguageCount `json:"languages"`
	// Folders of the root, the one with the most indexed files first, at most 40.
	Folders []FolderCount `json:"folders"`
	// Errors is the number of files that could not be read.
	Errors int `json:"errors"`
	// Quarantined lists files that broke the indexer or took too long.
	Quarantined []Quarantined `json:"quarantined"`
	// Watcher that reports changes.
	Watcher WatcherStatus `json:"watcher"`
}

// EmbedderStatus describes the source of vectors.
type EmbedderStatus struct {
	// Name of the model.
	Name string `json:"name"`
	// Dimensions of its vectors.
	Dimensions int `json:"dimensions"`
	// Source of the model.
	Source string `json:"source" check:"enum=builtin|ollama"`
	// Digest that identifies the model: vectors of different digests are never compared.
	Digest string `json:"digest"`
	// Pending is the number of chunks without a vector of this model.
	Pending int `json:"pending"`
	// Total is the number of chunks that are to have one; only for a model server's model.
	Total int `json:"total,omitempty"`
	// Problem is the reason that pending chunks get no vector at the moment; empty when they do.
	Problem string `json:"problem,omitempty"`
}

// SkipCount counts files that were left out for one reason.
type SkipCount struct {
	// Reason that they were left out.
	Reason string `json:"reason"`
	// Count of files or, for whole folders, of folders.
	Count int `json:"count"`
}

// LanguageCount counts the indexed files of one language.
type LanguageCount struct {
	// Language by its name; `other` for files in an unknown language.
	Language string `json:"language"`
	// Files in it.
	Files int `json:"files"`
	// Chunks that they were cut into.
	Chunks int `json:"chunks"`
}

// MaxFolders bounds the folders that a status lists.
const MaxFolders = 40

// FolderCount counts the indexed files below one folder of the root.
type FolderCount struct {
	// Folder by its name; empty for the files in the root itself.
	Folder string `json:"folder"`
	// Files below it.
	Files int `json:"files"`
	// Chunks that they were cut into.
	Chunks int `json:"chunks"`
}

// Quarantined is a file that is not indexed until it changes.
type Quarantined struct {
	// Path relative to the root.
	Path string `json:"path"`
	// Reason of the quarantine.
	Reason string `json:"reason"`
}

// WatcherStatus describes how changes are noticed.
type WatcherStatus struct {
	// Mode of watching.
	Mode string `json:"mode" check:"enum=inotify|client|poll"`
	// Watches that are held.
	Watches int `json:"watches"`
	// Problem is the reason that folders are polled although the system could report their changes,
	// with what to do about it; absent when there is none.
	Problem string `json:"problem,omitempty"`
}

// RebuildArgs selects what to rebuild.
type RebuildArgs struct {
	Scope
	// Scope of the rebuild: everything, or only the vectors.
	What string `json:"scope,omitempty" check:"default=all,enum=all|embeddings"`
}

// WhyArgs names a file.
type WhyArgs struct {
	Scope
	// TextDocument is the file.
	TextDocument TextDocument `json:"textDocument" check:"required"`
}

// WhyResult reports whether a file is indexed, and why.
type WhyResult struct {
	// Indexed is true when the file is indexed.
	Indexed bool `json:"indexed"`
	// Rule that decides it: a pattern, or the name of a built-in rule.
	Rule string `json:"rule,omitempty"`
	// Source of the rule: a file, a setting's key, or `builtin`.
	Source string `json:"source,omitempty"`
	// Line of the rule in its file, from 1.
	Line int `json:"line,omitempty"`
}

// SkippedArgs selects entries of what is left out.
type SkippedArgs struct {
	Scope
	// Reason that they were left out; all when absent.
	Reason string `json:"reason,omitempty" check:"enum=ignored|excluded|vendored|binary|tooLarge|generated|minified|link|unreadable|special"`
	// Query that paths must contain, ignoring case.
	Query string `json:"query,omitempty" check:"chars=0..1000"`
	// Limit of entries on a page.
	Limit int `json:"limit,omitempty" check:"default=100,min=1,max=1000"`
	// After continues after a page: its `next`.
	After string `json:"after,omitempty" check:"bytes=1..16384"`
}

// SkippedResult is a page of what is not indexed, in the order of paths.
type SkippedResult struct {
	// Files and whole folders of the page.
	Files []SkippedFile `json:"files"`
	// Next is the value of `after` for the next page; absent on the last one. A page may have fewer
	// entries than its limit, even none, and still have a next one.
	Next string `json:"next,omitempty"`
}

// SkippedFile is a file, or a folder with everything in it, that is not indexed. Rule, source and
// line are those of `contexture.index.why`.
type SkippedFile struct {
	// Path relative to the root.
	Path string `json:"path"`
	// Folder is true for a folder.
	Folder bool `json:"folder"`
	// Reason that it is left out, as in the counts of `contexture.index.status`.
	Reason string `json:"reason"`
	// Rule that decides it: a pattern, or the name of a built-in rule.
	Rule string `json:"rule,omitempty"`
	// Source of the rule: a file, a setting's key, or `builtin`.
	Source string `json:"source,omitempty"`
	// Line of the rule in its file, from 1.
	Line int `json:"line,omitempty"`
}

// ExcludeArgs is a line of the root's `.contextureignore`.
type ExcludeArgs struct {
	Scope
	// Pattern in the syntax of `.gitignore`: one line, and no comment.
	Pattern string `json:"pattern" check:"required,bytes=1..4096"`
	// Remove removes the pattern instead of adding it.
	Remove bool `json:"remove,omitempty"`
}

// ExcludeResult describes the file afterwards.
type ExcludeResult struct {
	// URI of the file.
	URI string `json:"uri"`
	// Patterns in the file, in order, as they are written.
	Patterns []string `json:"patterns"`
}

// SecretsArgs selects a page.
type SecretsArgs struct {
	Scope
	// Limit of findings on a page.
	Limit int `json:"limit,omitempty" check:"default=100,min=1,max=1000"`
	// After continues after a page: its `next`.
	After string `json:"after,omitempty" check:"bytes=1..16384"`
}

// SecretsResult is a page of the secrets that were removed from indexed files, sorted by path and
// rule.
type SecretsResult struct {
	// Findings of the page.
	Findings []SecretFinding `json:"findings"`
	// Total number of secrets on all pages.
	Total int `json:"total"`
	// Next is the value of `after` for the next page; absent on the last one.
	Next string `json:"next,omitempty"`
}

// SecretFinding counts the secrets that one rule of the scanner removed from one file.
type SecretFinding struct {
	// Rule of the scanner, such as `github-pat`: `rule:<rule>` in the setting `secrets.allow` lets
	// its matches through.
	Rule string `json:"rule"`
	// Path relative to the root.
	Path string `json:"path"`
	// Count of the secrets.
	Count int `json:"count"`
}
