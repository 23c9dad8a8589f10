package command

// MostOutput is how much of a failing call's output is read, in bytes: failures are told at its
// end.
const MostOutput = 32 << 10

// ActArgs asks what memory has at an act of an assistant: before a file is edited, or after a call
// failed. One of `path` and `output` is given.
type ActArgs struct {
	Scope
	// Path of the file that is about to be edited: absolute, or relative to the workspace's root.
	Path string `json:"path,omitempty" check:"bytes=1..4096"`
	// Output of the call that failed; only its last part is read if it is long.
	Output string `json:"output,omitempty" check:"bytes=1..1048576"`
	// ConversationID of the conversation that acts: what was said in it is not told.
	ConversationID string `json:"conversationId,omitempty" check:"chars=1..200,format=id"`
	// DeadlineMS bounds the wait for an index that is being opened, which knows the names that
	// several files have: what has only such a name is not told without it.
	DeadlineMS int `json:"deadlineMs,omitempty" check:"default=25,min=5,max=60000"`
	// Limit of statements.
	Limit int `json:"limit,omitempty" check:"default=3,min=1,max=20"`
}

// ActResult is what is told at an act; usually nothing.
type ActResult struct {
	// Statements, the most important first.
	Statements []ActStatement `json:"statements"`
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
}
