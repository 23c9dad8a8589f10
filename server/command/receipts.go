package command

// ReceiptsArgs asks what hooks and tools gave to conversations, and what came of it.
type ReceiptsArgs struct {
	Scope
	// ConversationID of one conversation, of which the result also has each prompt.
	ConversationID string `json:"conversationId,omitempty" check:"chars=1..200,format=id"`
	// Reset begins the trial of the names of places again: they are named as in a new workspace.
	Reset bool `json:"reset,omitempty"`
	// Days counts only what was given in so many last days, each of 24 hours; with fewer than 30
	// the trial of places does not go on.
	Days int `json:"days,omitempty" check:"default=30,min=1,max=30"`
	// Limit of conversations, or of prompts of one.
	Limit int `json:"limit,omitempty" check:"default=20,min=1,max=200"`
}

// ReceiptsResult is what hooks and the tools of the Model Context Protocol gave lately, at most
// thirty days ago, and what came of it. Tokens are a quarter of the bytes, on both sides alike. An
// answer of a tool counts for the conversation in whose log a call precedes it, and bears on
// look-ups after it.
type ReceiptsResult struct {
	// Conversations that were given something, the latest first.
	Conversations []ConversationReceipt `json:"conversations"`
	// Prompts of the one conversation that was asked for and to which something was given, the
	// latest first.
	Prompts []PromptReceipt `json:"prompts,omitempty"`
	// Total of all conversations, also of those beyond the limit.
	Total Receipt `json:"total"`
	// Moments at which something was given, in all.
	Moments []MomentReceipt `json:"moments"`
	// Places is the trial of the names of places in this workspace. Reading receipts counts what
	// was not counted yet.
	Places PlacesTrial `json:"places"`
	// Unseen is how many conversations were given something but are not in memory, where their log
	// is not captured: only what they were given is known.
	Unseen int `json:"unseen"`
}

// Receipt is what was given, and what came of it by the log of the conversation.
type Receipt struct {
	// Prompts with which something was given.
	Prompts int `json:"prompts"`
	// Given is the tokens that were given.
	Given int `json:"given"`
	// Places are those of the given tokens that name places.
	Places int `json:"places"`
	// Named is how many files were named.
	Named int `json:"named"`
	// Opened is how many of the named files the assistant then read or changed.
	Opened int `json:"opened"`
	// Words are how many words that are spelled as code were given besides the names of places.
	Words int `json:"words"`
	// Taken is how many of these words the assistant then wrote, and the person had not.
	Taken int `json:"taken"`
	// Looks are the assistant's look-ups until it first changed a file.
	Looks int `json:"looks"`
	// LookTokens are the tokens of their results.
	LookTokens int `json:"lookTokens"`
	// Needless are the searches and listings among them that told nothing beyond what was given:
	// all files that they listed were named, or the one that was opened next.
	Needless int `json:"needless"`
	// Spared are the tokens of the results of needless look-ups.
	Spared int `json:"spared"`
	// Milliseconds until the texts were there.
	Milliseconds int64 `json:"milliseconds"`
}

// PlacesTrial is how naming places before prompts pays in a workspace. Its level rises if, after
// fifty prompts with names or a multiple of that, their needless look-ups surely returned less than
// the names took.
type PlacesTrial struct {
	// Level is 0 where places are named, 1 where only those that surely pay are, and 2 where none
	// is.
	Level int `json:"level"`
	// Prompts with names since the level rose.
	Prompts int `json:"prompts"`
	// Given are the tokens of their names.
	Given int `json:"given"`
	// Spared are the tokens of the results of the look-ups that were needless for them.
	Spared int `json:"spared"`
}

// ConversationReceipt is the receipt of a conversation.
type ConversationReceipt struct {
	// ConversationID of the conversation.
	ConversationID string `json:"conversationId"`
	// Title of the conversation, "" when it is not in memory.
	Title string `json:"title"`
	// At is when something was given last.
	At Time `json:"at"`
	// Seen means that the conversation is in memory: without its log, only what it was given is
	// known.
	Seen bool `json:"seen"`
	Receipt
}

// PromptReceipt is the receipt of a prompt.
type PromptReceipt struct {
	// TurnID of the turn that the prompt begins, "" when it is not in memory.
	TurnID string `json:"turnId"`
	// Prompt is the beginning of its text, "" when that is neither in memory nor kept.
	Prompt string `json:"prompt"`
	// At is when something was given first.
	At Time `json:"at"`
	// Names of the files that were named.
	Names []string `json:"names"`
	// Deliveries are what was given, the earliest first.
	Deliveries []Delivery `json:"deliveries"`
	Receipt
}

// Delivery is one text that was given.
type Delivery struct {
	// Moment as of a MomentReceipt.
	Moment string `json:"moment"`
	// At is when it was given.
	At Time `json:"at"`
	// Given is its tokens.
	Given int `json:"given"`
	// Text as the model got it. It is kept for a day, and until something is forgotten.
	Text string `json:"text,omitempty"`
	// Prompt for which it was given, without secrets; kept as the text is.
	Prompt string `json:"prompt,omitempty"`
}

// MomentReceipt is what was given at one kind of moment.
type MomentReceipt struct {
	// Moment by the name of its setting: `atStart`, `beforePrompt`, `beforeEdit`, `afterFailure`,
	// `beforeSubagent`, `afterCompaction`; or `asked`, what the assistant asked for itself by a
	// tool of the Model Context Protocol.
	Moment string `json:"moment"`
	// Times that something was given.
	Times int `json:"times"`
	// Given is the tokens that were given.
	Given int `json:"given"`
	// Milliseconds that it took in all.
	Milliseconds int64 `json:"milliseconds"`
}
