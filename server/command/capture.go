package command

// CaptureSetArgs switches a source on or off.
type CaptureSetArgs struct {
	Scope
	// Source to switch, such as `claude-code`.
	Source string `json:"source" check:"required,chars=1..100"`
	// On says whether its conversations may be read.
	On bool `json:"on" check:"required"`
}

// CapturePokeArgs names what may have changed.
type CapturePokeArgs struct {
	Scope
	// Source whose log may have changed.
	Source string `json:"source" check:"required,chars=1..100"`
	// Path of the log; all logs of the source when absent.
	Path string `json:"path,omitempty" check:"bytes=0..8192"`
}

// CapturePokeResult tells whether anything is going to be read.
type CapturePokeResult struct {
	// On says whether the source is switched on: else nothing is read.
	On bool `json:"on"`
	// Following says whether this process reads logs.
	Following bool `json:"following"`
}

// CaptureImportArgs says what to bring in.
type CaptureImportArgs struct {
	Scope
	// Sources to read; those that are switched on when absent.
	Sources []string `json:"sources,omitempty" check:"items=0..100" each:"chars=1..100"`
	// Since leaves out logs that have not changed from then on.
	Since *Time `json:"since,omitempty"`
}

// CaptureImportResult lists what was added, by source.
type CaptureImportResult struct {
	// Sources that were read.
	Sources []CaptureImported `json:"sources"`
}

// CaptureImported counts what was read and added of a source.
type CaptureImported struct {
	// Source that was read.
	Source string `json:"source"`
	// Logs that were looked at.
	Logs int `json:"logs"`
	// Bytes of the logs.
	Bytes int64 `json:"bytes"`
	// Messages that were not there yet.
	Messages int `json:"messages"`
	// Errors that named logs met.
	Errors []string `json:"errors"`
}

// CaptureStatusResult tells how capture stands.
type CaptureStatusResult struct {
	// Sources that there are.
	Sources []CaptureSource `json:"sources"`
}

// CaptureSource tells how a source stands.
type CaptureSource struct {
	// Source by name.
	Source string `json:"source"`
	// On says whether the person switched it on.
	On bool `json:"on"`
	// Watching says how changes are noticed: `inotify`, `poll`, or `off` while nobody follows.
	Watching string `json:"watching" check:"enum=inotify|poll|off"`
	// Places are the folders that are looked at.
	Places []string `json:"places"`
	// Logs that were read.
	Logs int `json:"logs"`
	// Sessions that were stored.
	Sessions int `json:"sessions"`
	// Messages that were stored.
	Messages int `json:"messages"`
	// LastReadAt is when a log was last read; absent when never.
	LastReadAt *Time `json:"lastReadAt,omitempty"`
	// Unknown are the records that were not understood, by kind.
	Unknown []CaptureUnknown `json:"unknown"`
	// Skipped counts the records that are known and hold no message, by kind.
	Skipped map[string]int `json:"skipped"`
	// Left counts the sessions that were not stored, by the reason.
	Left map[string]int `json:"left"`
	// Errors that named logs met.
	Errors []string `json:"errors"`
}

// CaptureUnknown is a kind of record that was not understood.
type CaptureUnknown struct {
	// Kind of the record.
	Kind string `json:"kind"`
	// Count of them.
	Count int `json:"count"`
	// File that holds the first one.
	File string `json:"file"`
	// Line of the first one, from 1; 0 in a log without lines.
	Line int `json:"line"`
}
