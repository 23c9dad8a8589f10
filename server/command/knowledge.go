package command

// KnowledgePutArgs stores an item of knowledge.
type KnowledgePutArgs struct {
	Scope
	// Kind of item.
	Kind string `json:"kind" check:"required,enum=lesson|reference|rule"`
	// ID of the item; generated when absent, replaced when it exists.
	ID string `json:"id,omitempty" check:"chars=1..200,format=id"`
	// Title of the item.
	Title string `json:"title" check:"required,chars=1..1000"`
	// Content of the item.
	Content string `json:"content" check:"required,bytes=1..1048576"`
	// Topics that it belongs to.
	Topics []string `json:"topics" check:"required,items=0..1000" each:"chars=1..200"`
	// Keywords by which it is found.
	Keywords []string `json:"keywords" check:"required,items=0..1000" each:"chars=1..200"`
	// Weight relative to other items of its kind and topic.
	Weight float64 `json:"weight,omitempty" check:"default=1,min=0,max=100"`
	// About lists the files and symbols that the item is about, as in the `scope` of an item; when
	// it is absent, a replaced item keeps its own.
	About *string `json:"scope,omitempty" check:"chars=0..1000"`
	// SourceTurns that it comes from.
	SourceTurns []string `json:"sourceTurns,omitempty" check:"items=0..10000" each:"chars=1..300,format=id"`
}

// RememberArgs stores a person's own words.
type RememberArgs struct {
	Scope
	// Kind of statement.
	Kind string `json:"kind" check:"required,enum=rule|decision|lesson|note"`
	// Text in the person's own words; for a rule at most 2,000 characters.
	Text string `json:"text" check:"required,bytes=1..1048576"`
	// Topics that it belongs to.
	Topics []string `json:"topics,omitempty" check:"items=0..1000" each:"chars=1..200"`
}

// RememberResult holds what was stored.
type RememberResult struct {
	// Item as stored, without secrets. A decision or a note is a reference with that label.
	Item KnowledgeItem `json:"item"`
	// Replaced are the rules that are no longer in force because of it.
	Replaced []KnowledgeItem `json:"replaced"`
}

// KnowledgeIDArgs names an item of knowledge.
type KnowledgeIDArgs struct {
	Scope
	// ID of the item.
	ID string `json:"id" check:"required,chars=1..200,format=id"`
}

// KnowledgeListArgs asks for items of knowledge.
type KnowledgeListArgs struct {
	Scope
	// Kind wanted; when absent, all except episodes and their months.
	Kind string `json:"kind,omitempty" check:"enum=lesson|reference|rule|episode|month"`
	// Topic wanted; all when absent.
	Topic string `json:"topic,omitempty" check:"chars=1..200"`
	// Superseded also lists items that a later one has replaced.
	Superseded bool `json:"superseded,omitempty"`
}

// KnowledgeItemResult holds one item.
type KnowledgeItemResult struct {
	// Item as stored.
	Item KnowledgeItem `json:"item"`
}

// KnowledgeListResult holds items.
type KnowledgeListResult struct {
	// Items, heaviest first.
	Items []KnowledgeItem `json:"items"`
}

// KnowledgeItem is a lesson, a reference or a standing rule; or an episode, which is a conversation
// that the learning has read, or a month with its most important episodes. In those two, each line
// begins with the kind of its quotation: decided, replaced, open, wrong or worked.
type KnowledgeItem struct {
	// ID of the item.
	ID string `json:"id"`
	// Kind of item.
	Kind string `json:"kind" check:"enum=lesson|reference|rule|episode|month"`
	// Label of a reference that a person asked to be remembered.
	Label string `json:"label,omitempty" check:"enum=decision|note"`
	// Title of the item.
	Title string `json:"title"`
	// Content of the item.
	Content string `json:"content"`
	// Topics that it belongs to.
	Topics []string `json:"topics"`
	// Keywords by which it is found.
	Keywords []string `json:"keywords"`
	// Weight relative to other items of its kind and topic.
	Weight float64 `json:"weight"`
	// SourceTurns that it comes from.
	SourceTurns []string `json:"sourceTurns"`
	// State is how certain the item is: a candidate that memory found by itself, confirmed (stored
	// on purpose, accepted, said outright for the future, said in two conversations, or confirmed
	// by a model), or superseded by a later one.
	State string `json:"state" check:"enum=candidate|confirmed|superseded"`
	// Cause of that state: memory found it, a teammate suggested it; it was stored on purpose,
	// said outright for the future, said in two conversations, accepted, or confirmed by a model; a
	// later one replaced it, or what it refers to is gone.
	Cause string `json:"cause" check:"enum=found|suggested|stored|stated|repeated|accepted|model|replaced|outdated"`
	// Why is that cause in words.
	Why string `json:"why,omitempty"`
	// Quotations that it consists of, byte for byte; none for what was stored on purpose.
	Quotations []Quotation `json:"quotations"`
	// Scope lists the files and symbols that it refers to, or was stored with.
	Scope string `json:"scope,omitempty"`
	// SupersededBy is the id of the item that replaced it.
	SupersededBy string `json:"supersededBy,omitempty"`
	// SharedBy says which member of the team wrote it; absent for the person's own.
	SharedBy *SharedBy `json:"sharedBy,omitempty"`
	// CreatedAt is when it was first stored.
	CreatedAt Time `json:"createdAt"`
	// UpdatedAt is when it was last changed.
	UpdatedAt Time `json:"updatedAt"`
}

// TopicsResult holds topics.
type TopicsResult struct {
	// Topics, heaviest first.
	Topics []Topic `json:"topics"`
	// HistoryWeek is the beginning of the last week of the topics' histories, a Monday in UTC: the
	// week of the latest message with a name. Absent when no history is known.
	HistoryWeek *Time `json:"historyWeek,omitempty"`
}

// Topic is a subject of conversations.
type Topic struct {
	// Topic is its label as people write it, or as somebody renamed it.
	Topic string `json:"topic"`
	// Weight among the topics, from 0 to 1.
	Weight float64 `json:"weight"`
	// Trend of the weight.
	Trend string `json:"trend" check:"enum=rising|steady|falling"`
	// LastEngagedAt is when it last came up.
	LastEngagedAt Time `json:"lastEngagedAt"`
	// ID stays the same while the name does.
	ID string `json:"id"`
	// Names are its other spellings, and the names of what was merged into it.
	Names []string `json:"names"`
	// TurnCount is the number of turns about it.
	TurnCount int `json:"turnCount"`
	// History is the number of turns about it in each of twelve weeks, the oldest first, up to the
	// week of the latest message with a name.
	History []int `json:"history"`
	// Pinned is true when a person pinned it.
	Pinned bool `json:"pinned,omitempty"`
}

// ProcessArgs runs the offline learning.
type ProcessArgs struct {
	Scope
	// Full reads all conversations, not only what is new.
	Full bool `json:"full,omitempty"`
}

// ProcessResult summarises a run of the offline learning.
type ProcessResult struct {
	// Version of the knowledge afterwards.
	Version uint64 `json:"version"`
	// Lessons in the knowledge.
	Lessons int `json:"lessons"`
	// References in the knowledge.
	References int `json:"references"`
	// Rules in the knowledge.
	Rules int `json:"rules"`
	// Topics in the knowledge.
	Topics int `json:"topics"`
	// Entities in the knowledge.
	Entities int `json:"entities"`
	// Merged items, near-duplicates of others.
	Merged int `json:"merged"`
	// Pruned items.
	Pruned int `json:"pruned"`
	// MS is the duration in milliseconds.
	MS float64 `json:"ms"`
}

// RecommendationsResult holds recommendations.
type RecommendationsResult struct {
	// Recommendations, most useful first.
	Recommendations []Recommendation `json:"recommendations"`
}

// Recommendation is something that a person should do to improve the knowledge.
type Recommendation struct {
	// Kind of recommendation: `reference` and `document` are missing on a topic, `accept` is a rule
	// that was said repeatedly and never confirmed, `contradiction` is a pair of active rules,
	// `outdated` is a reference without later decisions, `merge` is a pair of topics that are one.
	Kind string `json:"kind" check:"enum=reference|document|accept|contradiction|outdated|merge"`
	// Topic that it concerns; for rules, the beginning of one.
	Topic string `json:"topic"`
	// Reason for a person.
	Reason string `json:"reason"`
	// Action for a person: what to do.
	Action string `json:"action"`
	// Command that does it, or that shows what is to be decided; one element an argument.
	Command []string `json:"command"`
	// Evidence: turns or items that support it.
	Evidence []string `json:"evidence"`
	// Quotations of those turns, byte for byte.
	Quotations []Quotation `json:"quotations"`
}

// Quotation is a part of a message or of a document of the workspace, byte for byte.
type Quotation struct {
	// ConversationID of the message; empty for a document.
	ConversationID string `json:"conversationId"`
	// TurnID of the message; empty for a document.
	TurnID string `json:"turnId"`
	// MessageID of the message; empty for a document.
	MessageID string `json:"messageId"`
	// Path of the document relative to the root.
	Path string `json:"path,omitempty"`
	// Line of the document in which the text begins, from 1.
	Line int `json:"line,omitempty"`
	// Text as in the message or the document.
	Text string `json:"text"`
	// At is when the message was written; absent when unknown.
	At *Time `json:"at,omitempty"`
	// Author of the message by name, if known.
	Author string `json:"author,omitempty"`
}
