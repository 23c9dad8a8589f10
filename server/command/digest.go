package command

// DigestResult summarises what was learned.
type DigestResult struct {
	// Preferences are the active rules that were learned or stored, the most often said first.
	Preferences []Preference `json:"preferences"`
	// Mistakes to avoid, the most frequent first.
	Mistakes []Mistake `json:"mistakes"`
}

// Preference is a standing rule with its quotations.
type Preference struct {
	// ID of the rule.
	ID string `json:"id"`
	// Text of the rule.
	Text string `json:"text"`
	// State of the rule.
	State string `json:"state" check:"enum=candidate|confirmed"`
	// Times it was said; 0 when it was only stored on purpose.
	Times int `json:"times"`
	// ConversationCount counts the conversations in which it was said.
	ConversationCount int `json:"conversationCount"`
	// LastAt is when it was last said or changed.
	LastAt Time `json:"lastAt"`
	// Quotations of it, at most sixteen.
	Quotations []Quotation `json:"quotations"`
}

// Mistake is a problem that came up, and what worked.
type Mistake struct {
	// Problem as it first appeared: a line of a message or of a tool's answer.
	Problem string `json:"problem"`
	// Times it came up.
	Times int `json:"times"`
	// Worked lists the files that were changed and the commands that passed then, the latest first.
	Worked []string `json:"worked"`
	// Lessons are the ids of the lessons about it, the latest first.
	Lessons []string `json:"lessons"`
	// LastAt is when it last came up.
	LastAt Time `json:"lastAt"`
	// Quotations of the latest lesson.
	Quotations []Quotation `json:"quotations"`
}

// WorkspaceFactsResult lists facts about a workspace's files.
type WorkspaceFactsResult struct {
	// Facts by kind, those with more supporting files first.
	Facts []WorkspaceFact `json:"facts"`
	// Degraded lists what the facts lack, such as files that the index has not read yet.
	Degraded []Degradation `json:"degraded"`
}

// WorkspaceFact is one fact about a workspace.
type WorkspaceFact struct {
	// Kind of the fact.
	Kind string `json:"kind" check:"enum=language|version|dependency|service|command|tool|convention|pattern"`
	// Name of its subject.
	Name string `json:"name"`
	// Value of the fact; absent when the name is enough.
	Value string `json:"value,omitempty"`
	// Count of the files that agree; for a dependency, of those that import it; for errors, of
	// lines.
	Count int `json:"count,omitempty"`
	// Of how many that were examined.
	Of int `json:"of,omitempty"`
	// Evidence for it, at most four locations.
	Evidence []FactEvidence `json:"evidence"`
}

// FactEvidence is a location that supports a fact.
type FactEvidence struct {
	// Path of the file, relative to the root; absent for a commit.
	Path string `json:"path,omitempty"`
	// Line, from 1; absent for the file as a whole.
	Line int `json:"line,omitempty"`
	// Text of the line, byte for byte without the space around it, or a commit's first line.
	Text string `json:"text,omitempty"`
}
