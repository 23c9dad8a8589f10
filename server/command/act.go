package command

// MostOutput is how much of a failing call's output is read, in bytes: failures are told at its
// end.
const MostOutput = 32 << 10

// MostCommand is the size of the longest command that is read, in bytes.
const MostCommand = 4096

// ActArgs asks what memory has at an act of an assistant: before a file is edited, after a call
// failed, or before a command is run. One of `path`, `output` and `command` is given, or the last
// two for the command that failed.
type ActArgs struct {
	Scope
	// Path of the file that is about to be edited: absolute, or relative to the workspace's root.
	Path string `json:"path,omitempty" check:"bytes=1..4096"`
	// Position in the file: what was stated about the symbol there comes first, and what was stated
	// about other symbols of the file is left out.
	Position *Position `json:"position,omitempty"`
	// Moved asks what changed in the file since each statement was made, which runs Git.
	Moved bool `json:"moved,omitempty"`
	// Output of the call that failed; only its last part is read if it is long.
	Output string `json:"output,omitempty" check:"bytes=1..1048576"`
	// Command that is to be run: its program and other words of its line, in their order. With
	// `output` it is the command that failed, byte for byte: what passed instead is told as a
	// lesson.
	Command string `json:"command,omitempty" check:"bytes=1..4096"`
	// ConversationID of the conversation that acts: what was said in it is not told.
	ConversationID string `json:"conversationId,omitempty" check:"chars=1..200,format=id"`
	// DeadlineMS bounds the wait for an index that is being opened, which knows the names that
	// several files have: what has only such a name is not told without it.
	DeadlineMS int `json:"deadlineMs,omitempty" check:"default=25,min=5,max=60000"`
	// Limit of statements, and of runs.
	Limit int `json:"limit,omitempty" check:"default=3,min=1,max=20"`
}

// ActResult is what is told at an act; usually nothing.
type ActResult struct {
	// Statements, the most important first.
	Statements []ActStatement `json:"statements"`
	// Runs are the lines by which the command was run, those that ran often and lately first.
	Runs []ActRun `json:"runs,omitempty"`
	// MoreRuns is true when there are more lines, or older conversations that were not read: of the
	// messages with the command's words, the newest 2,000 are.
	MoreRuns bool `json:"moreRuns,omitempty"`
	// Degraded says what was not looked at.
	Degraded []Degradation `json:"degraded,omitempty"`
}

// ActStatement is what somebody stated about a file or a failure.
type ActStatement struct {
	// ID of the item: `expand` of `contexture.recall` accepts it.
	ID string `json:"id"`
	// Kind of the statement.
	Kind string `json:"kind" check:"enum=rule|decision|lesson"`
	// Text of the statement; a lesson's is its failure and what was done about it.
	Text string `json:"text"`
	// Date of the statement, `2026-10-31`.
	Date string `json:"date,omitempty"`
	// ConversationID of the conversation in which it was stated.
	ConversationID string `json:"conversationId,omitempty"`
	// TurnID of the turn in which it was stated.
	TurnID string `json:"turnId,omitempty"`
	// Passed is the command that passed after the same failure, byte for byte; absent for none.
	Passed string `json:"passed,omitempty"`
	// Doubtful means of a lesson that a failing call taught it: what was changed meanwhile may not
	// be why the call passed then.
	Doubtful bool `json:"doubtful,omitempty"`
	// Moved is what changed in the file since; absent if nothing did, or if that was not asked.
	Moved *ActMoved `json:"moved,omitempty"`
}

// ActMoved are the commits that changed a file since something was stated about it.
type ActMoved struct {
	// Commits, without merges; 1,000 stands for more.
	Commits int `json:"commits"`
	// Date of the last one, `2026-10-31`.
	Date string `json:"date"`
	// Subject of the last one.
	Subject string `json:"subject"`
}

// ActRun is a command line that was run in conversations, and what came of it.
type ActRun struct {
	// Command line, byte for byte, without a `cd` before it. Of a script it is the line that runs
	// the command.
	Command string `json:"command"`
	// Folder in which it ran last, as that call has it; absent when unknown.
	Folder string `json:"folder,omitempty"`
	// Times that it was run.
	Times int `json:"times"`
	// Failures are how often it failed.
	Failures int `json:"failures"`
	// Outcome of the last run; `unknown` if neither the host nor the output says it.
	Outcome string `json:"outcome" check:"enum=passed|failed|unknown"`
	// Failure is the line of the last failing run's output that says what failed.
	Failure string `json:"failure,omitempty"`
	// Date of the last run, `2026-10-31`.
	Date string `json:"date,omitempty"`
	// ConversationID of the conversation of the last run.
	ConversationID string `json:"conversationId"`
	// TurnID of the turn of the last run.
	TurnID string `json:"turnId"`
	// Passed is the next run of the same kind after the last failing one that passed.
	Passed *ActPassed `json:"passed,omitempty"`
}

// ActPassed is a run that passed after one that failed.
type ActPassed struct {
	// Command line, byte for byte.
	Command string `json:"command"`
	// ConversationID of its conversation.
	ConversationID string `json:"conversationId"`
	// TurnID of its turn.
	TurnID string `json:"turnId"`
}
