package command

// CaptureSetArgs switches a source on or off.
type CaptureSetArgs struct {
	Scope
	// Source to switch, such as `claude-code`.
	Source string `json:"source" check:"required,chars=1..100"`
	// On is whether its conversations may be read.
	On bool `json:"on" check:"required"`
}

// CapturePokeArgs names a log that may have changed.
type CapturePokeArgs struct {
	Scope
	// Source whose log may have changed.
	Source string `json:"source" check:"required,chars=1..100"`
	// Path of the log; all logs of the source when absent.
	Path string `json:"path,omitempty" check:"bytes=0..8192"`
}

// CapturePokeResult reports whether anything will be read.
type CapturePokeResult struct {
	// On is true when the source is switched on: otherwise nothing is read.
	On bool `json:"on"`
	// Following is true when this process reads logs.
	Following bool `json:"following"`
}

// CaptureImportArgs selects what to import.
type CaptureImportArgs struct {
	Scope
	// Sources to read; those that are switched on when absent.
	Sources []string `json:"sources,omitempty" check:"items=0..100" each:"chars=1..100"`
	// Since leaves out logs that have not changed since then.
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
	// Logs that were examined.
	Logs int `json:"logs"`
	// Bytes of the logs.
	Bytes int64 `json:"bytes"`
	// Messages that were added.
	Messages int `json:"messages"`
	// Unread are the files and tables that may hold conversations and were not read.
	Unread []CaptureUnread `json:"unread"`
	// Errors, each with the name of its log.
	Errors []string `json:"errors"`
}

// CaptureStatusResult is the state of capture.
type CaptureStatusResult struct {
	// Sources that exist.
	Sources []CaptureSource `json:"sources"`
}

// CaptureSource is the state of a source.
type CaptureSource struct {
	// Source by name.
	Source string `json:"source"`
	// On is true when the person switched it on.
	On bool `json:"on"`
	// Watching is how changes are noticed: `inotify`, `poll`, or `off` while no process follows the
	// logs.
	Watching string `json:"watching" check:"enum=inotify|poll|off"`
	// Places are the folders that are searched for logs.
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
	// Skipped counts the records of known kinds that hold no message, by kind.
	Skipped map[string]int `json:"skipped"`
	// Left counts the sessions that were not stored, by reason: `memoryOff` in their workspace,
	// `forgotten`, `unplaced` if their folder is known by a hash only and they must be imported
	// from within it, `otherForm` if they are stored from another log of the host.
	Left map[string]int `json:"left"`
	// Unread are the files and tables that may hold conversations and are not read.
	Unread []CaptureUnread `json:"unread"`
	// Errors, each with the name of its log.
	Errors []string `json:"errors"`
}

// CaptureUnread is a kind of files beside a source's logs, or a table of its database, that is not
// read: a newer version of the host may keep conversations there.
type CaptureUnread struct {
	// What it is: a file's name, a pattern of names, or `table` with the table's name.
	What string `json:"what"`
	// Count of the files, or of the table's rows.
	Count int `json:"count"`
	// Bytes of the files; 0 for a table.
	Bytes int64 `json:"bytes"`
	// Example is the path of one of the files, or of the database.
	Example string `json:"example"`
}

// CaptureUnknown is a kind of record that was not understood.
type CaptureUnknown struct {
	// Kind of the record.
	Kind string `json:"kind"`
	// Count of them.
	Count int `json:"count"`
	// File that contains the first one.
	File string `json:"file"`
	// Line of the first one, from 1; 0 in a log without lines.
	Line int `json:"line"`
}
