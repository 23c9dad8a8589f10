package command

// KnowledgePutArgs stores an item of knowledge.
type KnowledgePutArgs struct {
	Scope
	// Kind of item.
	Kind string `json:"kind" check:"required,enum=lesson|reference|rule"`
	// ID of the item; made when absent, replaced when it exists.
	ID string `json:"id,omitempty" check:"chars=1..200,format=id"`
	// Title of the item.
	Title string `json:"title" check:"required,chars=1..1000"`
	// Content of the item.
	Content string `json:"content" check:"required,bytes=1..1048576"`
	// Topics that it belongs to.
	Topics []string `json:"topics" check:"required,items=0..1000" each:"chars=1..200"`
	// Keywords that it is found by.
	Keywords []string `json:"keywords" check:"required,items=0..1000" each:"chars=1..200"`
	// Weight over other items of its kind and topic.
	Weight float64 `json:"weight,omitempty" check:"default=1,min=0,max=100"`
	// About names the files and symbols that the item is about, as the `scope` of an item does; an
	// item that is replaced keeps its own where this is absent.
	About *string `json:"scope,omitempty" check:"chars=0..1000"`
	// SourceTurns that it comes from.
	SourceTurns []string `json:"sourceTurns,omitempty" check:"items=0..10000" each:"chars=1..300,format=id"`
}

// RememberArgs stores a person's own words.
type RememberArgs struct {
	Scope
	// Kind of what is said.
	Kind string `json:"kind" check:"required,enum=rule|decision|lesson|note"`
	// Text in the person's own words; a rule may have 2,000 characters.
	Text string `json:"text" check:"required,bytes=1..1048576"`
	// Topics that it belongs to.
	Topics []string `json:"topics,omitempty" check:"items=0..1000" each:"chars=1..200"`
}

// RememberResult holds what was stored.
type RememberResult struct {
	// Item as it is stored, without secrets. A decision or a note is a reference with that label.
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
	// Kind wanted; when absent, all but episodes and the months that episodes make.
	Kind string `json:"kind,omitempty" check:"enum=lesson|reference|rule|episode|month"`
	// Topic wanted; all when absent.
	Topic string `json:"topic,omitempty" check:"chars=1..200"`
	// Superseded lists items too that a later one has replaced.
	Superseded bool `json:"superseded,omitempty"`
}

// KnowledgeItemResult holds one item.
type KnowledgeItemResult struct {
	// Item as it is stored.
	Item KnowledgeItem `json:"item"`
}

// KnowledgeListResult holds items.
type KnowledgeListResult struct {
	// Items, heaviest first.
	Items []KnowledgeItem `json:"items"`
}

// KnowledgeItem is a lesson, a reference or a standing rule; or an episode, which is one or several
// sittings about one matter, or a month with its weightiest episodes. Each line of those two says
// what its quotation is: decided, replaced, open, wrong, worked or stated.
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
	// Keywords that it is found by.
	Keywords []string `json:"keywords"`
	// Weight over other items of its kind and topic.
	Weight float64 `json:"weight"`
	// SourceTurns that it comes from.
	SourceTurns []string `json:"sourceTurns"`
	// State says how sure the item is: a candidate that memory found by itself, confirmed (stored
	// on purpose, accepted, said in two conversations, or confirmed by a model), or superseded by a
	// later one.
	State string `json:"state" check:"enum=candidate|confirmed|superseded"`
	// Why it has that state, in words.
	Why string `json:"why,omitempty"`
	// Quotations that it consists of, byte for byte; none for what was stored on purpose.
	Quotations []Quotation `json:"quotations"`
	// Scope names the files and symbols that it was said about, or was stored with.
	Scope string `json:"scope,omitempty"`
	// SupersededBy is the id of the item that holds in its place.
	SupersededBy string `json:"supersededBy,omitempty"`
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
	// week of the latest message that the learning has read. Absent where no history is known.
	HistoryWeek *Time `json:"historyWeek,omitempty"`
}

// Topic is what conversations are about.
type Topic struct {
	// Topic is its label: one to four words, as people write them, or as somebody renamed it.
	Topic string `json:"topic"`
	// Weight among the topics, from 0 to 1.
	Weight float64 `json:"weight"`
	// Trend of the weight.
	Trend string `json:"trend" check:"enum=rising|steady|falling"`
	// LastEngagedAt is when it last came up.
	LastEngagedAt Time `json:"lastEngagedAt"`
	// ID stays the same over runs of the offline learning.
	ID string `json:"id"`
	// Names are words and names that go with it.
	Names []string `json:"names"`
	// TurnCount is how many turns are about it.
	TurnCount int `json:"turnCount"`
	// History is how many turns were about it in each of twelve weeks, the oldest first, up to the
	// week of the latest message that the learning has read; empty until it has run in this
	// version.
	History []int `json:"history"`
	// Pinned by a person.
	Pinned bool `json:"pinned,omitempty"`
}

// ProcessArgs runs the offline learning.
type ProcessArgs struct {
	Scope
	// Full starts from all conversations, not only from what is new.
	Full bool `json:"full,omitempty"`
}

// ProcessResult tells what the learning did.
type ProcessResult struct {
	// Version of the knowledge from now on.
	Version uint64 `json:"version"`
	// Lessons that there are.
	Lessons int `json:"lessons"`
	// References that there are.
	References int `json:"references"`
	// Rules that there are.
	Rules int `json:"rules"`
	// Topics that there are.
	Topics int `json:"topics"`
	// Entities that there are.
	Entities int `json:"entities"`
	// Merged items, near-duplicates of others.
	Merged int `json:"merged"`
	// Pruned items.
	Pruned int `json:"pruned"`
	// MS is how long it took, in milliseconds.
	MS float64 `json:"ms"`
}

// RecommendationsResult holds recommendations.
type RecommendationsResult struct {
	// Recommendations, most useful first.
	Recommendations []Recommendation `json:"recommendations"`
}

// Recommendation is something that a person should do about the knowledge.
type Recommendation struct {
	// Kind says what is the matter: `reference` and `document` are what is missing on a topic,
	// `accept` is a rule that was said again and again and never confirmed, `contradiction` two
	// rules in force, `outdated` a reference that later decisions are not in, `merge` two topics
	// that are one.
	Kind string `json:"kind" check:"enum=reference|document|accept|contradiction|outdated|merge"`
	// Topic that it concerns; of rules, the beginning of one.
	Topic string `json:"topic"`
	// Reason for a person.
	Reason string `json:"reason"`
	// Action for a person: what to do.
	Action string `json:"action"`
	// Command that does it, or that shows what is to be decided, word by word.
	Command []string `json:"command"`
	// Evidence: turns or items that show it.
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
	// Path of the document below the root.
	Path string `json:"path,omitempty"`
	// Line of the document that the text begins in, from 1.
	Line int `json:"line,omitempty"`
	// Text as it stands in the message or the document.
	Text string `json:"text"`
	// At is when the message was written; absent where that is not known.
	At *Time `json:"at,omitempty"`
	// Author of the message by name, where one is known.
	Author string `json:"author,omitempty"`
}
