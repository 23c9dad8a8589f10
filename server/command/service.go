package command

// MetricsResult is what has been measured since the process started.
type MetricsResult struct {
	// Stages by name.
	Stages map[string]StageMetrics `json:"stages"`
	// Retrieval counts what was found and the fallbacks.
	Retrieval RetrievalMetrics `json:"retrieval"`
	// Injection counts what bundles hold.
	Injection InjectionMetrics `json:"injection"`
	// Memory counts what is stored.
	Memory MemoryMetrics `json:"memory"`
	// Index counts what is indexed.
	Index IndexMetrics `json:"index"`
	// Process measures the program itself.
	Process ProcessMetrics `json:"process"`
}

// RecentResult lists what the process did last.
type RecentResult struct {
	// Requests that were answered last, newest first; at most 100, without requests for this
	// command.
	Requests []RecentRequest `json:"requests"`
	// Faults are the warnings and errors that were logged last, newest first; at most 50.
	Faults []RecentFault `json:"faults"`
}

// RecentRequest is an answered request, without its arguments.
type RecentRequest struct {
	// Command by its id; `unknown` for one that does not exist.
	Command string `json:"command"`
	// At is when it arrived.
	At Time `json:"at"`
	// MS from its arrival to its answer, including waiting, in milliseconds.
	MS float64 `json:"ms"`
	// Outcome of the request.
	Outcome string `json:"outcome" check:"enum=ok|error|cancelled"`
	// Stages of the request, for commands that report any.
	Stages []RecentStage `json:"stages"`
}

// RecentStage is one stage of a request.
type RecentStage struct {
	// Name of the stage.
	Name string `json:"name"`
	// MS that it took, in milliseconds.
	MS float64 `json:"ms"`
}

// RecentFault is a warning or an error as it was logged.
type RecentFault struct {
	// At is when it was logged.
	At Time `json:"at"`
	// Component of the program that logged it, such as `indexer`.
	Component string `json:"component"`
	// Message that was logged, with its error; at most 1,000 bytes.
	Message string `json:"message"`
}

// StageMetrics measures one stage.
type StageMetrics struct {
	// Count of runs.
	Count int64 `json:"count"`
	// P50MS is the median time in milliseconds.
	P50MS float64 `json:"p50Ms"`
	// P95MS is the 95th percentile in milliseconds.
	P95MS float64 `json:"p95Ms"`
	// P99MS is the 99th percentile in milliseconds.
	P99MS float64 `json:"p99Ms"`
	// MaxMS is the longest time in milliseconds.
	MaxMS float64 `json:"maxMs"`
	// Outcomes by name: `ok`, `partial`, `timeout`, `error`, `skipped`, `fallback`.
	Outcomes map[string]int64 `json:"outcomes"`
}

// RetrievalMetrics measures retrieval.
type RetrievalMetrics struct {
	// Requests that retrieved.
	Requests int64 `json:"requests"`
	// Candidates that were found.
	Candidates int64 `json:"candidates"`
	// Filtered is how many the filter kept.
	Filtered int64 `json:"filtered"`
	// Hits is the number of requests that found something.
	Hits int64 `json:"hits"`
	// HitRate is hits per request.
	HitRate float64 `json:"hitRate"`
	// Fallbacks counts the requests that were answered without the wanted vectors: because a model
	// server did not answer, or because there were none yet. Their answers are `degraded` in the
	// stage `vector`.
	Fallbacks int64 `json:"fallbacks"`
	// FallbackRate is fallbacks per request.
	FallbackRate float64 `json:"fallbackRate"`
}

// InjectionMetrics measures what bundles hold.
type InjectionMetrics struct {
	// Bundles that were built.
	Bundles int64 `json:"bundles"`
	// Items in them.
	Items int64 `json:"items"`
	// Tokens in them.
	Tokens int64 `json:"tokens"`
	// TokensByLayer sums tokens by layer.
	TokensByLayer map[string]int64 `json:"tokensByLayer"`
	// Dropped counts what was left out, by reason.
	Dropped map[string]int64 `json:"dropped"`
	// UseRate is the share of items with feedback that were used, from 0 to 1.
	UseRate float64 `json:"useRate"`
	// StablePrefixShare is the share of tokens in stable prefixes, from 0 to 1.
	StablePrefixShare float64 `json:"stablePrefixShare"`
	// ReusedPrefixShare is the share of tokens that equal the previous bundle's beginning, from 0
	// to 1.
	ReusedPrefixShare float64 `json:"reusedPrefixShare"`
}

// MemoryMetrics measures memory.
type MemoryMetrics struct {
	// Conversations that are stored.
	Conversations int64 `json:"conversations"`
	// Turns that are stored.
	Turns int64 `json:"turns"`
	// Messages that are stored.
	Messages int64 `json:"messages"`
	// Knowledge items that are stored.
	Knowledge int64 `json:"knowledge"`
	// KnowledgeVersion in force.
	KnowledgeVersion uint64 `json:"knowledgeVersion"`
	// QueueDepth is the number of versions of turns that are not made yet.
	QueueDepth int64 `json:"queueDepth"`
	// Bytes on disk.
	Bytes int64 `json:"bytes"`
}

// IndexMetrics measures the index.
type IndexMetrics struct {
	// Files that are indexed.
	Files int64 `json:"files"`
	// Chunks that they were cut into.
	Chunks int64 `json:"chunks"`
	// QueueDepth is the number of waiting files.
	QueueDepth int64 `json:"queueDepth"`
	// AgeMS is the time since the index was last brought up to date, in milliseconds; 0 when never.
	AgeMS float64 `json:"ageMs"`
	// StaleShare is the share of files that are known to have changed since, from 0 to 1.
	StaleShare float64 `json:"staleShare"`
	// Bytes on disk.
	Bytes int64 `json:"bytes"`
	// Parsed is the number of files that were cut since the program started.
	Parsed int64 `json:"parsed"`
	// Embedded is the number of chunks that got a new vector since the program started.
	Embedded int64 `json:"embedded"`
	// EmbeddingCalls is the number of batches of texts that a model server embedded for the index
	// since the program started.
	EmbeddingCalls int64 `json:"embeddingCalls"`
	// EmbeddingsReused is the number of texts since the program started whose vector was stored
	// already, by an earlier run or by another index.
	EmbeddingsReused int64 `json:"embeddingsReused"`
}

// ProcessMetrics measures the program.
type ProcessMetrics struct {
	// PID of the process.
	PID int `json:"pid"`
	// UptimeMS in milliseconds.
	UptimeMS float64 `json:"uptimeMs"`
	// RSSBytes is the resident memory; 0 when the platform does not report it.
	RSSBytes int64 `json:"rssBytes"`
	// HeapBytes in use by Go.
	HeapBytes int64 `json:"heapBytes"`
	// Goroutines that run.
	Goroutines int `json:"goroutines"`
	// Sessions that are connected.
	Sessions int `json:"sessions"`
	// Requests that were answered.
	Requests int64 `json:"requests"`
	// Errors that were answered.
	Errors int64 `json:"errors"`
	// Cancelled requests.
	Cancelled int64 `json:"cancelled"`
}

// ConfigResult lists the settings.
type ConfigResult struct {
	// Settings by key, in alphabetical order, followed by what was learned.
	Settings []Setting `json:"settings"`
}

// Setting is one setting with its current value.
type Setting struct {
	// Key of the setting, such as `budget.default`.
	Key string `json:"key"`
	// Value in force.
	Value any `json:"value"`
	// Source of the value: `default`, a file's path, `editor`, or `learned` for what was learned
	// from use: the factors `budget.learned.<layer>` of the layers' ideals, which no file sets.
	Source string `json:"source"`
}
