package command

// DigestResult sums up what was learned.
type DigestResult struct {
	// Preferences are the rules in force that were learned or stored, the most often said first.
	Preferences []Preference `json:"preferences"`
	// Mistakes to avoid, the most frequent first.
	Mistakes []Mistake `json:"mistakes"`
}

// Preference is a standing rule with all that says it.
type Preference struct {
	// ID of the rule.
	ID string `json:"id"`
	// Text of the rule.
	Text string `json:"text"`
	// State of the rule.
	State string `json:"state" check:"enum=candidate|confirmed"`
	// Times it was said; 0 where it was stored on purpose alone.
	Times int `json:"times"`
	// ConversationCount counts the conversations that say it.
	ConversationCount int `json:"conversationCount"`
	// LastAt is when it was said or changed last.
	LastAt Time `json:"lastAt"`
	// Quotations of it, at most sixteen.
	Quotations []Quotation `json:"quotations"`
}

// Mistake is a problem that came up, and what worked.
type Mistake struct {
	// Problem as it showed first: a line of a message or of a tool's answer.
	Problem string `json:"problem"`
	// Times it came up.
	Times int `json:"times"`
	// Worked are the files that were changed and the commands that passed then, the latest first.
	Worked []string `json:"worked"`
	// Lessons are the ids of the lessons that tell of it, the latest first.
	Lessons []string `json:"lessons"`
	// LastAt is when it came up last.
	LastAt Time `json:"lastAt"`
	// Quotations of the latest lesson.
	Quotations []Quotation `json:"quotations"`
}

// WorkspaceFactsResult holds what is known of a workspace's files.
type WorkspaceFactsResult struct {
	// Facts by kind, those that more files show first.
	Facts []WorkspaceFact `json:"facts"`
	// Degraded says what the facts lack, such as files that the index has not read yet.
	Degraded []Degradation `json:"degraded"`
}

// WorkspaceFact is one thing that is so of a workspace.
type WorkspaceFact struct {
	// Kind of the fact.
	Kind string `json:"kind" check:"enum=language|version|dependency|service|command|tool|convention|pattern"`
	// Name of what it is about.
	Name string `json:"name"`
	// Value: what is so of it; absent where the name says all.
	Value string `json:"value,omitempty"`
	// Count of the files that agree; of a dependency, of those that import it; of errors, of lines.
	Count int `json:"count,omitempty"`
	// Of how many that were looked at.
	Of int `json:"of,omitempty"`
	// Evidence shows it, at most four places.
	Evidence []FactEvidence `json:"evidence"`
}

// FactEvidence is a place that shows a fact.
type FactEvidence struct {
	// Path of the file, below the root; absent for a commit.
	Path string `json:"path,omitempty"`
	// Line, from 1; absent for the file as a whole.
	Line int `json:"line,omitempty"`
	// Text of the line, byte for byte without the space around it, or a commit's first line.
	Text string `json:"text,omitempty"`
}
