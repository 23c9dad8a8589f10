package command

import "encoding/json"

// AppendArgs adds messages to a conversation.
type AppendArgs struct {
	Scope
	// ConversationID; the conversation is created if it does not exist.
	ConversationID string `json:"conversationId" check:"required,chars=1..200,format=id"`
	// Messages in order.
	Messages []Message `json:"messages" check:"required,items=0..10000"`
	// Title of the conversation from now on.
	Title string `json:"title,omitempty" check:"chars=0..1000"`
}

// Message is one message of a conversation. Content, reasoning and tool calls together are at most
// 4 MiB.
type Message struct {
	// Role of the author.
	Role string `json:"role" check:"required,enum=user|assistant|system|tool"`
	// Content is the text.
	Content string `json:"content" check:"required,bytes=0..4194304"`
	// ID of the message: one that is already in the conversation is not added twice.
	ID string `json:"id,omitempty" check:"chars=1..1000,format=id"`
	// Author by name.
	Author string `json:"author,omitempty" check:"chars=0..1000"`
	// At is when it was written; now when absent.
	At *Time `json:"at,omitempty"`
	// ToolCalls that the message made.
	ToolCalls []ToolCall `json:"toolCalls,omitempty" check:"items=0..10000"`
	// Reasoning that led to it.
	Reasoning string `json:"reasoning,omitempty" check:"bytes=0..4194304"`
	// URIs of the documents that it concerns.
	URIs []string `json:"uris,omitempty" check:"items=0..10000" each:"bytes=1..8192,format=uri"`
	// Symbols that it names.
	Symbols []string `json:"symbols,omitempty" check:"items=0..10000" each:"bytes=1..8192"`
}

// ToolCall is a call of a tool with its result.
type ToolCall struct {
	// Name of the tool.
	Name string `json:"name" check:"required,chars=1..1000"`
	// Arguments of the call: any JSON value, null included.
	Arguments json.RawMessage `json:"arguments" check:"required"`
	// Result of the call: any JSON value; null when there is none.
	Result json.RawMessage `json:"result" check:"required"`
	// IsError is true when the call failed.
	IsError bool `json:"isError,omitempty"`
}

// AppendResult describes what was added.
type AppendResult struct {
	// TurnIDs of the turns that got messages, in order.
	TurnIDs []string `json:"turnIds"`
	// MessageCount of the conversation afterwards.
	MessageCount int `json:"messageCount"`
	// TurnCount of the conversation afterwards.
	TurnCount int `json:"turnCount"`
	// Duplicates are the ids that existed already.
	Duplicates []string `json:"duplicates"`
}

// TurnArgs asks for one turn.
type TurnArgs struct {
	Scope
	// ConversationID of the turn.
	ConversationID string `json:"conversationId" check:"required,chars=1..200,format=id"`
	// TurnID of the turn.
	TurnID string `json:"turnId" check:"required,format=turn"`
	// Level of detail: raw, smoothed, compressed, tiny.
	Level string `json:"level,omitempty" check:"default=S,enum=R|S|C|T"`
	// Pin shows the turn on the board for five turns.
	Pin bool `json:"pin" check:"default=true"`
}

// TurnResult is one turn.
type TurnResult struct {
	// TurnID of the turn.
	TurnID string `json:"turnId"`
	// Level of detail.
	Level string `json:"level" check:"enum=R|S|C|T"`
	// Text is the tagged element, `<T-7-S>…</T-7-S>`.
	Text string `json:"text"`
	// Tokens of the text.
	Tokens int `json:"tokens"`
	// Pending is true while a better version is being made.
	Pending bool `json:"pending"`
	// Source of the version.
	Source string `json:"source" check:"enum=raw|model|extractive"`
	// MessageIDs of the turn's messages.
	MessageIDs []string `json:"messageIds"`
}

// HistoryArgs asks for a conversation under a budget.
type HistoryArgs struct {
	Scope
	// ConversationID of the conversation.
	ConversationID string `json:"conversationId" check:"required,chars=1..200,format=id"`
	// Budget of the text, in tokens.
	Budget int `json:"budget,omitempty" check:"default=12000,min=256,max=1000000"`
	// Strategy: bands of detail, newest whole turns, or specification and log.
	Strategy string `json:"strategy,omitempty" check:"setting=history.strategy,enum=gradient|regular|oneShot"`
}

// HistoryResult is a conversation under a budget. A newer turn never has less detail than an older
// one.
type HistoryResult struct {
	// Text of the turns, tagged, oldest first, preceded by a notice of what is left out if there is
	// room.
	Text string `json:"text"`
	// Tokens of the text.
	Tokens int `json:"tokens"`
	// Bands of equal detail.
	Bands []Band `json:"bands"`
	// LeftOut are the turns that do not fit in the budget; absent when there are none.
	LeftOut *LeftOut `json:"leftOut,omitempty"`
	// Strategy that applied.
	Strategy string `json:"strategy" check:"enum=gradient|regular|oneShot"`
	// RecalculatedAtTurn is the number of the turn at which the bands were last laid out.
	RecalculatedAtTurn int `json:"recalculatedAtTurn"`
}

// LeftOut is a run of turns that are not shown.
type LeftOut struct {
	// From is the first turn.
	From string `json:"from"`
	// To is the last turn, inclusive.
	To string `json:"to"`
	// ID for `expand` of `contexture.recall`, which returns these turns.
	ID string `json:"id"`
	// Tokens of the notice at the beginning of the text; 0 when there is no room for one.
	Tokens int `json:"tokens"`
}

// Band is a run of turns with the same level of detail.
type Band struct {
	// Level of detail.
	Level string `json:"level" check:"enum=R|S|C|T"`
	// From is the first turn's id.
	From string `json:"from"`
	// To is the last turn's id, inclusive.
	To string `json:"to"`
	// Tokens of the band.
	Tokens int `json:"tokens"`
}

// WindowArgs asks for the messages to send to a model.
type WindowArgs struct {
	Scope
	// ConversationID of the conversation.
	ConversationID string `json:"conversationId" check:"required,chars=1..200,format=id"`
	// Budget of arc and messages, in tokens.
	Budget int `json:"budget,omitempty" check:"default=12000,min=256,max=1000000"`
	// ArcBudget is the part of the budget that the arc may take, less than the budget; 15 % of it
	// when absent.
	ArcBudget *int `json:"arcBudget,omitempty" check:"min=0,max=1000000"`
}

// WindowResult holds the messages to send to a model.
type WindowResult struct {
	// Strategy chosen by the ratio of tokens to budget.
	Strategy string `json:"strategy" check:"enum=full|windowed|compacted|multi_level"`
	// Arc of the conversation.
	Arc string `json:"arc"`
	// Messages to send, oldest first.
	Messages []WindowMessage `json:"messages"`
	// ArcTokens of the arc.
	ArcTokens int `json:"arcTokens"`
	// MessageTokens of the messages.
	MessageTokens int `json:"messageTokens"`
	// Coverage counts messages by what happened to them.
	Coverage Coverage `json:"coverage"`
	// Compactions that replace runs of messages.
	Compactions []Compaction `json:"compactions"`
}

// WindowMessage is a message of a window, or a summary that replaces several.
type WindowMessage struct {
	// Index of the message in the conversation, from 0; the first one's for a summary.
	Index int `json:"index"`
	// To is the index of the last message that a summary replaces, inclusive.
	To *int `json:"to,omitempty"`
	// Role of the author; `system` for a summary.
	Role string `json:"role" check:"enum=user|assistant|system|tool"`
	// Content to send.
	Content string `json:"content"`
	// ID of the message.
	ID string `json:"id,omitempty"`
	// TurnID of its turn.
	TurnID string `json:"turnId,omitempty"`
	// Tokens of the content.
	Tokens int `json:"tokens"`
	// Summary is true for a summary that replaces several messages.
	Summary bool `json:"summary,omitempty"`
}

// Coverage counts messages: the three parts add up to the total.
type Coverage struct {
	// TotalMessages of the conversation.
	TotalMessages int `json:"totalMessages"`
	// FullMessages are sent in full.
	FullMessages int `json:"fullMessages"`
	// SummarizedMessages are replaced by a summary.
	SummarizedMessages int `json:"summarizedMessages"`
	// DroppedMessages are neither sent nor summarised.
	DroppedMessages int `json:"droppedMessages"`
}

// Compaction is a summary of a run of messages.
type Compaction struct {
	// From is the index of the first message, from 0.
	From int `json:"from"`
	// To is the index of the last message, inclusive.
	To int `json:"to"`
	// Level of the summary.
	Level string `json:"level"`
	// Tokens of the summary.
	Tokens int `json:"tokens"`
	// Cached is true when it had been made before.
	Cached bool `json:"cached"`
}

// ArcArgs asks for a conversation's arc.
type ArcArgs struct {
	Scope
	// ConversationID of the conversation.
	ConversationID string `json:"conversationId" check:"required,chars=1..200,format=id"`
	// Style of the arc, by length.
	Style string `json:"style,omitempty" check:"default=rich,enum=light|rich|dense"`
	// Resume also lists what going on needs after the conversation was shortened.
	Resume bool `json:"resume,omitempty"`
}

// ArcResult is a conversation's arc.
type ArcResult struct {
	// Arc as text.
	Arc string `json:"arc"`
	// Decisions that are in force.
	Decisions []Decision `json:"decisions"`
	// OpenQuestions that have no answer yet.
	OpenQuestions []Question `json:"openQuestions"`
	// CurrentFocus is what the conversation is about at its end.
	CurrentFocus string `json:"currentFocus"`
	// Recent files and names of the conversation, sorted by how often and how recently they
	// occurred.
	Recent Mentions `json:"recent"`
	// WorkspaceRecent are those of the workspace's other conversations, when this one has named
	// only a few yet.
	WorkspaceRecent Mentions `json:"workspaceRecent"`
	// Source of the arc.
	Source string `json:"source" check:"enum=raw|model|extractive"`
	// Resume is what going on needs, if that was asked for.
	Resume *Resume `json:"resume,omitempty"`
}

// Resume is what going on needs after a conversation was shortened, from its last messages.
type Resume struct {
	// LastRequest is what the person asked for last, word for word.
	LastRequest string `json:"lastRequest"`
	// Commands that the assistant ran and that worked, word for word: the most frequent first.
	Commands []string `json:"commands"`
}

// Mentions are files and names that were mentioned.
type Mentions struct {
	// Files by their paths relative to the root.
	Files []string `json:"files"`
	// Names of symbols.
	Names []string `json:"names"`
}

// Decision is something that was decided.
type Decision struct {
	// Text of the decision.
	Text string `json:"text"`
	// TurnID of the turn in which it was made.
	TurnID string `json:"turnId"`
	// Rejected alternatives.
	Rejected []string `json:"rejected,omitempty"`
}

// Question is an open question.
type Question struct {
	// Text of the question.
	Text string `json:"text"`
	// TurnID of the turn in which it was asked.
	TurnID string `json:"turnId"`
}

// ForkArgs creates a conversation that shares another's past.
type ForkArgs struct {
	Scope
	// ConversationID of the conversation that is forked.
	ConversationID string `json:"conversationId" check:"required,chars=1..200,format=id"`
	// AtTurn is the last shared turn, `T-7`; its number alone is accepted too.
	AtTurn string `json:"atTurn" check:"required,format=turnRef"`
	// NewConversationID of the fork; an existing one answers exists.
	NewConversationID string `json:"newConversationId" check:"required,chars=1..200,format=id"`
}

// ForkResult describes the fork.
type ForkResult struct {
	// ConversationID of the fork.
	ConversationID string `json:"conversationId"`
	// TurnCount of the fork.
	TurnCount int `json:"turnCount"`
}

// ListArgs asks for conversations, page by page.
type ListArgs struct {
	Scope
	// Limit of conversations on a page.
	Limit int `json:"limit,omitempty" check:"default=50,min=1,max=1000"`
	// Before continues after a page: its `next`.
	Before string `json:"before,omitempty" check:"bytes=1..16384"`
	// Query selects the conversations whose title has all of its words, or that have a message with
	// all of its terms. Of a query that matches very many messages, only the thousand best count.
	Query string `json:"query,omitempty" check:"chars=1..1000"`
	// Source selects what was captured from this host, such as `claude-code`.
	Source string `json:"source,omitempty" check:"chars=1..100"`
	// ForkOf selects the forks of this conversation.
	ForkOf string `json:"forkOf,omitempty" check:"chars=1..200,format=id"`
}

// ListResult is a page of conversations, the one with the latest message first.
type ListResult struct {
	// Conversations of the page.
	Conversations []Conversation `json:"conversations"`
	// Next is the value of `before` for the next page; absent on the last one.
	Next string `json:"next,omitempty"`
}

// Conversation is one line of a list.
type Conversation struct {
	// ID of the conversation.
	ID string `json:"id"`
	// Title, given or generated from the first message.
	Title string `json:"title"`
	// TurnCount of the conversation.
	TurnCount int `json:"turnCount"`
	// MessageCount of the conversation.
	MessageCount int `json:"messageCount"`
	// StartedAt is the time of the first message.
	StartedAt Time `json:"startedAt"`
	// LastAt is the time of the last message.
	LastAt Time `json:"lastAt"`
	// Source is the host that it was captured from, such as `claude-code`; absent for other
	// conversations.
	Source string `json:"source,omitempty"`
	// ForkOf is the conversation with which it shares its past; absent when it is not a fork, or
	// when that conversation was deleted.
	ForkOf *Branch `json:"forkOf,omitempty"`
}

// Branch names another conversation and the last turn shared with it.
type Branch struct {
	// ConversationID of the other conversation.
	ConversationID string `json:"conversationId"`
	// TurnID of the last common turn.
	TurnID string `json:"turnId"`
}

// TurnsArgs asks for the turns of a conversation, page by page, the latest first.
type TurnsArgs struct {
	Scope
	// ConversationID of the conversation.
	ConversationID string `json:"conversationId" check:"required,chars=1..200,format=id"`
	// Limit of turns on a page.
	Limit int `json:"limit,omitempty" check:"default=200,min=1,max=1000"`
	// Before is a turn: the page ends with the one before it. It is a page's `next`, or any turn
	// id.
	Before string `json:"before,omitempty" check:"format=turnRef"`
}

// TurnsResult is a page of turns.
type TurnsResult struct {
	// Title of the conversation; empty when it has none.
	Title string `json:"title"`
	// Turns of the page, oldest first.
	Turns []TimelineTurn `json:"turns"`
	// Next is the value of `before` for the page of earlier turns; absent when there are none.
	Next string `json:"next,omitempty"`
	// ForkOf is the conversation with which this one shares its past; absent when it is not a fork,
	// or when that conversation was deleted.
	ForkOf *Branch `json:"forkOf,omitempty"`
	// Forks of the conversation, sorted by the turn at which they diverge.
	Forks []Branch `json:"forks"`
	// Source is the host that the conversation was captured from, such as `claude-code`; absent for
	// others.
	Source string `json:"source,omitempty"`
}

// TimelineTurn is a turn with its notable statements.
type TimelineTurn struct {
	// TurnID of the turn.
	TurnID string `json:"turnId"`
	// At is the time of its first message.
	At Time `json:"at"`
	// Author of its first user message with an author's name.
	Author string `json:"author,omitempty"`
	// Title is the beginning of the turn, at most 80 characters; empty when it has no words.
	Title string `json:"title"`
	// MessageCount of the turn.
	MessageCount int `json:"messageCount"`
	// Tokens of the turn at level R, in o200k_base.
	Tokens int `json:"tokens"`
	// Marks of the turn: decisions, questions, rules, lessons, in that order.
	Marks []TurnMark `json:"marks"`
}

// TurnMark is a notable statement of a turn.
type TurnMark struct {
	// Kind of mark. A question that was answered in its own turn has no mark.
	Kind string `json:"kind" check:"enum=decision|question|rule|lesson"`
	// Text as it was said; for a lesson its title.
	Text string `json:"text"`
	// ID of the item of knowledge; absent for what only the conversation's arc has.
	ID string `json:"id,omitempty"`
	// Superseded is true when it was replaced or withdrawn, or when the question was answered in a
	// later turn. In a conversation of more than 4,096 turns, only some later turns are checked for
	// that, at least the next 256.
	Superseded bool `json:"superseded,omitempty"`
}

// ConversationDeleteArgs names a conversation.
type ConversationDeleteArgs struct {
	Scope
	// ConversationID of the conversation.
	ConversationID string `json:"conversationId" check:"required,chars=1..200,format=id"`
	// Wipe rewrites memory's files and checkpoints, so that no byte of the conversation is left in
	// the state directory when the answer comes; it also wipes one that was deleted before.
	Wipe bool `json:"wipe,omitempty"`
}
