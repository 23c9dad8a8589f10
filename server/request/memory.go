package request

import (
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Methods about the memory of the session's root. They also work while memory is switched off.
const (
	// MemoryExport returns an [ExportResult], the first part of an export of one state of the
	// memory; MemoryExportNext returns the next part.
	MemoryExport     = "contexture/memory/export"
	MemoryExportNext = "contexture/memory/export/next"
	// MemoryImport takes [ImportParams], the parts of an import in order. All but the last are kept
	// until the session ends; the last one imports all of them or nothing and returns an
	// [ImportResult].
	MemoryImport = "contexture/memory/import"
	// MemoryForget takes [ForgetParams] and returns once no byte of the forgotten data is left.
	MemoryForget = "contexture/memory/forget"
	// MemoryStats returns a memory.Stats.
	MemoryStats = "contexture/memory/stats"
	// MemoryMoved returns a [MovedResult].
	MemoryMoved = "contexture/memory/moved"
	// MemoryAdopt takes [AdoptParams] and returns once what is stored of that folder belongs to the
	// session's root.
	MemoryAdopt = "contexture/memory/adopt"
	// ChatFind takes [ChatFindParams] and returns a [ChatFindResult].
	ChatFind = "contexture/chat/find"
	// ChatRead takes [ChatReadParams] and returns a [ChatReadResult].
	ChatRead = "contexture/chat/read"
)

// PartBytes is the maximum size of a part of an export or an import.
const PartBytes = 1 << 20

// ExportResult is a part of an export.
type ExportResult struct {
	Data []byte `json:"data"`
	// End reports that this is the last part.
	End bool `json:"end,omitempty"`
}

// ImportParams is a part of an import.
type ImportParams struct {
	Data []byte `json:"data"`
	// Last reports that this is the last part. Broken is then the reason why the import could not
	// be read to its end, and nothing of it is imported; "" if it was read to its end.
	Last   bool   `json:"last,omitempty"`
	Broken string `json:"broken,omitempty"`
}

// ImportResult counts what was imported.
type ImportResult struct {
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
	Records       int `json:"records"`
	// Unlearned is the reason why no rules were extracted from the import; "" if they were.
	Unlearned string `json:"unlearned,omitempty"`
}

// ForgetParams names what to forget: an item of knowledge, a turn of a conversation, a
// conversation, or everything if no field is set.
type ForgetParams struct {
	Knowledge    string `json:"knowledge,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	Turn         int    `json:"turn,omitempty"`
}

// MovedResult lists the folders about which something is stored and that no longer exist.
type MovedResult struct {
	Folders []string `json:"folders"`
}

// AdoptParams names a folder that no longer exists, by the path that it had.
type AdoptParams struct {
	Folder string `json:"folder"`
}

// ChatFindParams names a conversation by its id or a prefix of it, with the source of an imported
// conversation or without.
type ChatFindParams struct {
	ID string `json:"id"`
}

// ChatFindResult lists the matching conversations: the one with that id, else all whose ids begin
// with it.
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

// ChatReadParams selects turns of a conversation by number, From and To included.
type ChatReadParams struct {
	ID   string `json:"id"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

// ChatReadResult holds the first of the requested turns, at least one.
type ChatReadResult struct {
	Turns []Turn `json:"turns"`
}

// Turn is a turn with its messages.
type Turn struct {
	TurnID   string             `json:"turnId"`
	Messages []dialogue.Message `json:"messages"`
}
