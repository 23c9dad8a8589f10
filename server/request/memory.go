package request

import (
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Methods about the memory of the session's root. They are answered where memory is switched off
// too.
const (
	// MemoryExport is answered with an [ExportResult], the first part of an export of one state of
	// the memory; MemoryExportNext with the next part.
	MemoryExport     = "contexture/memory/export"
	MemoryExportNext = "contexture/memory/export/next"
	// MemoryImport takes [ImportParams], the parts of an import one after the other. All but the
	// last are kept until the session ends; the last one imports all of them or nothing and is
	// answered with an [ImportResult].
	MemoryImport = "contexture/memory/import"
	// MemoryForget takes [ForgetParams] and is answered when no byte is left of what is forgotten.
	MemoryForget = "contexture/memory/forget"
	// MemoryStats is answered with a memory.Stats.
	MemoryStats = "contexture/memory/stats"
	// ChatFind takes [ChatFindParams] and is answered with a [ChatFindResult].
	ChatFind = "contexture/chat/find"
	// ChatRead takes [ChatReadParams] and is answered with a [ChatReadResult].
	ChatRead = "contexture/chat/read"
)

// PartBytes is the size of a part of an export or an import, at most.
const PartBytes = 1 << 20

// ExportResult is a part of an export.
type ExportResult struct {
	Data []byte `json:"data"`
	// End says that there is no further part.
	End bool `json:"end,omitempty"`
}

// ImportParams is a part of an import.
type ImportParams struct {
	Data []byte `json:"data"`
	// Last says that there is no further part. Broken is then why the import could not be read to
	// its end, "" where it was: nothing is imported of it.
	Last   bool   `json:"last,omitempty"`
	Broken string `json:"broken,omitempty"`
}

// ImportResult counts what was imported.
type ImportResult struct {
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
	Records       int `json:"records"`
	// Unlearned is why no rules were found in what was imported; "" where they were.
	Unlearned string `json:"unlearned,omitempty"`
}

// ForgetParams names what is to be forgotten: an item of knowledge, a turn of a conversation, a
// conversation, or everything where nothing is named.
type ForgetParams struct {
	Knowledge    string `json:"knowledge,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	Turn         int    `json:"turn,omitempty"`
}

// ChatFindParams names a conversation by its id or the beginning of it.
type ChatFindParams struct {
	ID string `json:"id"`
}

// ChatFindResult lists the conversations that are meant: the one of that id, else all whose id
// begins so.
type ChatFindResult struct {
	Chats []Chat `json:"chats"`
}

// Chat describes a conversation.
type Chat struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Turns     int       `json:"turns"`
	StartedAt time.Time `json:"startedAt"`
	LastAt    time.Time `json:"lastAt"`
}

// ChatReadParams names turns of a conversation by their numbers, From and To included.
type ChatReadParams struct {
	ID   string `json:"id"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

// ChatReadResult is the first of the turns that were asked for, one at least.
type ChatReadResult struct {
	Turns []Turn `json:"turns"`
}

// Turn is a turn with its messages.
type Turn struct {
	TurnID   string             `json:"turnId"`
	Messages []dialogue.Message `json:"messages"`
}
