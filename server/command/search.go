package command

// SearchArgs asks for ranked hits, or for the lines that match a pattern.
type SearchArgs struct {
	Scope
	// Query in words, or an identifier, a path, an error message. In mode `exact` the text of a
	// part of a line, in mode `regex` a regular expression for it, in RE2's syntax.
	Query string `json:"query" check:"required,bytes=1..1048576"`
	// Limit of hits: at most 200 if they are ranked.
	Limit int `json:"limit,omitempty" check:"default=20,min=1,max=10000"`
	// Mode of the search: four rankings, or `exact` and `regex` for the matching lines of files, by
	// path and line.
	Mode string `json:"mode,omitempty" check:"default=hybrid,enum=hybrid|lexical|semantic|symbol|exact|regex"`
	// Case makes the case of letters matter in the modes `exact` and `regex`.
	Case bool `json:"case,omitempty"`
	// Word restricts the modes `exact` and `regex` to matches that neither begin nor end within a
	// word.
	Word bool `json:"word,omitempty"`
	// Kinds of hits wanted; all when absent or empty.
	Kinds []string `json:"kinds,omitempty" check:"items=0..100" each:"enum=code|doc|lesson|reference|turn|tickler|arc|message|summary|task|blocker|rule|identity|preference|topic|entity|notice|prompt"`
	// Paths are globs relative to the root, one of which must match; all when absent or empty.
	Paths []string `json:"paths,omitempty" check:"items=0..1000" each:"bytes=1..4096,format=glob"`
	// Languages wanted, such as `go`; all when absent or empty.
	Languages []string `json:"languages,omitempty" check:"items=0..100" each:"chars=1..64,format=id"`
	// DeadlineMS bounds the whole command, in milliseconds.
	DeadlineMS int `json:"deadlineMs,omitempty" check:"default=1000,min=50,max=60000"`
}

// SearchResult holds ranked hits, best first, or matching lines, by path and line.
type SearchResult struct {
	// Hits, best first; in the modes `exact` and `regex` each is a line.
	Hits []Hit `json:"hits"`
	// Matched counts what `exact` and `regex` found; absent in other modes.
	Matched *Matched `json:"matched,omitempty"`
	// Stages in order.
	Stages []Stage `json:"stages"`
	// Degraded lists what the answer lacks.
	Degraded []Degradation `json:"degraded"`
	// Versions that were searched.
	Versions Versions `json:"versions"`
}

// Matched counts the lines that match a pattern, whether they are among the hits or not.
type Matched struct {
	// Lines with a match.
	Lines int `json:"lines"`
	// Files with a match.
	Files int `json:"files"`
	// Searched is the number of files that were searched.
	Searched int `json:"searched"`
	// Complete reports whether the hits are all matching lines of all indexed files. If it is
	// false, `lines` is above the number of hits, or `unread` or `degraded` has the reason.
	Complete bool `json:"complete"`
	// Unread is the number of indexed files that could not be read, or not within the deadline.
	Unread int `json:"unread"`
	// NotIndexed counts the files of the workspace that are not indexed and so were not searched,
	// by reason.
	NotIndexed []SkipCount `json:"notIndexed"`
}

// Hit is one place or memory that was found.
type Hit struct {
	// ID of the item, unique within an answer: `expand` of `contexture.recall` accepts it. Messages
	// of one turn are one hit. That of a matching line stands for the code around it.
	ID string `json:"id"`
	// Kind of the hit.
	Kind string `json:"kind" check:"enum=code|doc|lesson|reference|turn|tickler|arc|message|summary|task|blocker|rule|identity|preference|topic|entity|notice|prompt"`
	// Score; comparable within one answer only.
	Score float64 `json:"score"`
	// Title for a list of hits.
	Title string `json:"title"`
	// URI of the document.
	URI string `json:"uri,omitempty"`
	// Range in the document.
	Range *Range `json:"range,omitempty"`
	// Snippet of the text.
	Snippet string `json:"snippet"`
	// SnippetLine is the line of the document at which the snippet begins, from 0; absent for a
	// memory.
	SnippetLine *int `json:"snippetLine,omitempty"`
	// SnippetCharacter is the character of its line at which the snippet of a long matching line
	// begins; absent for the first.
	SnippetCharacter int `json:"snippetCharacter,omitempty"`
	// Matches are the ranges of a line's matches in the document, in the modes `exact` and `regex`.
	Matches []Range `json:"matches,omitempty"`
	// Symbols are the names that a code hit defines.
	Symbols []string `json:"symbols,omitempty"`
	// ConversationID of the conversation it comes from.
	ConversationID string `json:"conversationId,omitempty"`
	// TurnID of the turn it comes from.
	TurnID string `json:"turnId,omitempty"`
	// MessageIDs of the messages that it was made from, the best match first.
	MessageIDs []string `json:"messageIds"`
	// Signals names each ranker that found it.
	Signals map[string]Signal `json:"signals"`
}

// Signal is one ranker's verdict on a hit.
type Signal struct {
	// Rank in this ranker's own list, from 1.
	Rank int `json:"rank"`
	// Score on this ranker's own scale.
	Score float64 `json:"score"`
}

// RecallArgs asks for what is known about a query, or for one item in full.
type RecallArgs struct {
	Scope
	// Query in words; required unless `expand` is given.
	Query string `json:"query,omitempty" check:"bytes=1..1048576"`
	// MemoryType wanted: `any` is everything, `memory` is everything except the workspace's own
	// text.
	MemoryType string `json:"memoryType,omitempty" check:"default=any,enum=any|memory|turn|lesson|reference|task|decision|fact|procedure|episode|code|rule"`
	// ConversationID to search in; all when absent.
	ConversationID string `json:"conversationId,omitempty" check:"chars=1..200,format=id"`
	// Budget of the text, in tokens.
	Budget int `json:"budget,omitempty" check:"default=2000,min=64,max=100000"`
	// Expand is the id of an item that is wanted in full.
	Expand string `json:"expand,omitempty" check:"bytes=1..16384"`
}

// RecallResult holds what was found.
type RecallResult struct {
	// Items as in a bundle.
	Items []Item `json:"items"`
	// Text of the items, each in its own delimiters. Without any, a line for people that names
	// what nothing was found about.
	Text string `json:"text"`
	// Tokens of the text.
	Tokens int `json:"tokens"`
	// Degraded lists what the answer lacks.
	Degraded []Degradation `json:"degraded"`
}

// TicklersArgs asks for reminders: either for a prompt, or for a location in a document, given by
// its position or range (the range is used when both are given).
type TicklersArgs struct {
	Scope
	// Prompt that the reminders are for.
	Prompt string `json:"prompt,omitempty" check:"bytes=1..1048576"`
	// TextDocument of the location.
	TextDocument *TextDocument `json:"textDocument,omitempty"`
	// Position in the document.
	Position *Position `json:"position,omitempty"`
	// Range in the document.
	Range *Range `json:"range,omitempty"`
	// ConversationID of the current conversation; turns that are in view in it are not repeated.
	ConversationID string `json:"conversationId,omitempty" check:"chars=1..200,format=id"`
	// Limit of ticklers.
	Limit int `json:"limit,omitempty" check:"default=5,min=1,max=20"`
}

// TicklersResult holds reminders, best first.
type TicklersResult struct {
	// Ticklers, best first.
	Ticklers []Tickler `json:"ticklers"`
}

// Tickler is a reminder of a turn.
type Tickler struct {
	// ID of the tickler.
	ID string `json:"id"`
	// Title for a list or a code lens.
	Title string `json:"title"`
	// Date of the turn, `2026-10-31`.
	Date string `json:"date"`
	// Summary of the turn in one sentence.
	Summary string `json:"summary"`
	// Text as it would be in a bundle.
	Text string `json:"text"`
	// ConversationID of the turn.
	ConversationID string `json:"conversationId"`
	// TurnID of the turn.
	TurnID string `json:"turnId"`
	// Score; comparable within one answer only.
	Score float64 `json:"score"`
	// URIs of the documents that the turn concerns.
	URIs []string `json:"uris"`
	// Symbols that the turn names.
	Symbols []string `json:"symbols"`
	// Retrieve is the prepared call that fetches the turn.
	Retrieve Call `json:"retrieve"`
}

// Call is a command that is ready to be executed.
type Call struct {
	// Command id.
	Command string `json:"command"`
	// Arguments of the command.
	Arguments []any `json:"arguments"`
}

// FeedbackArgs reports what a bundle led to.
type FeedbackArgs struct {
	Scope
	// BundleID of the bundle.
	BundleID string `json:"bundleId" check:"required,chars=1..200,format=id"`
	// Response of the model.
	Response string `json:"response" check:"required,bytes=0..4194304"`
	// Followups are later messages of the user.
	Followups []string `json:"followups,omitempty" check:"items=0..1000" each:"bytes=0..4194304"`
}

// FeedbackResult reports how each item of the bundle was used.
type FeedbackResult struct {
	// Items of the bundle.
	Items []Usage `json:"items"`
}

// Usage of one item.
type Usage struct {
	// ID of the item.
	ID string `json:"id"`
	// Overlap of its words with the response, from 0 to 1.
	Overlap float64 `json:"overlap"`
	// Referenced is true when it counts as used.
	Referenced bool `json:"referenced"`
	// Boost by which its score is multiplied from now on.
	Boost float64 `json:"boost"`
}

// LearnedResetArgs selects what is discarded.
type LearnedResetArgs struct {
	Scope
	// What is discarded.
	What string `json:"what,omitempty" check:"default=all,enum=budgets|prediction|all"`
}

// LearnedResetResult names what was discarded.
type LearnedResetResult struct {
	// Reset lists `budgets`, `prediction` or both.
	Reset []string `json:"reset"`
}

// PresenceArgs reports what the person is looking at.
type PresenceArgs struct {
	Scope
	// ActiveConversationID of the conversation in focus.
	ActiveConversationID string `json:"activeConversationId,omitempty" check:"chars=1..200,format=id"`
	// VisibleConversationIDs of the conversations in view.
	VisibleConversationIDs []string `json:"visibleConversationIds,omitempty" check:"items=0..100" each:"chars=1..200,format=id"`
	// ActiveDocument is the URI of the document in focus.
	ActiveDocument string `json:"activeDocument,omitempty" check:"format=uri"`
	// Navigation in recent time, oldest first.
	Navigation []Visit `json:"navigation,omitempty" check:"items=0..1000"`
	// LocalTime of the person, with its offset.
	LocalTime *Time `json:"localTime,omitempty"`
	// IdleSince is when the person last did something.
	IdleSince *Time `json:"idleSince,omitempty"`
}

// Visit is a location that the person has visited.
type Visit struct {
	// Path or URI of the location.
	Path string `json:"path" check:"required,bytes=1..4096"`
	// At is the time of the visit.
	At Time `json:"at" check:"required"`
}

// PresenceResult holds predictions.
type PresenceResult struct {
	// Predictions, at most eight, best first.
	Predictions []Prediction `json:"predictions"`
}

// Prediction is what the person will probably need.
type Prediction struct {
	// Type of the prediction, such as `conversation`, `topic`, `entity`.
	Type string `json:"type"`
	// ConversationID that is predicted.
	ConversationID string `json:"conversationId,omitempty"`
	// Topic that is predicted.
	Topic string `json:"topic,omitempty"`
	// Entity that is predicted.
	Entity string `json:"entity,omitempty"`
	// Probability from 0 to 1.
	Probability float64 `json:"probability"`
	// RequiredBundles names the parts that a bundle for it would need.
	RequiredBundles []string `json:"requiredBundles"`
	// Warm is true when nothing is being indexed that they could wait for.
	Warm bool `json:"warm"`
}
