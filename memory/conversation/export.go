package conversation

import (
	"fmt"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// The types of a Record; a file may contain other types of records between them.
const (
	TypeConversation = "conversation" // begins a conversation: its id, title, and the past that it shares
	TypeMessages     = "messages"     // the next messages of one
)

// Record is one line of an export. A conversation is a record of its own followed by its messages,
// without those that it shares. Numbers of conversations are not included. Written with
// encoding/json (without escaping HTML) the lines of Export, imported into an empty store and
// exported again, are the same bytes.
type Record struct {
	Type         string `json:"type"`
	Conversation string `json:"conversation"`
	// Title is a title that was given; a generated one is generated again from the messages.
	Title    string            `json:"title,omitempty"`
	Fork     *ForkRecord       `json:"fork,omitempty"`
	From     int               `json:"from,omitempty"` // index of the first of Messages
	Messages []ExportedMessage `json:"messages,omitempty"`
}

// ForkRecord means that a conversation begins with the first messages of one in an earlier record.
type ForkRecord struct {
	Of       string `json:"of"`
	Messages int    `json:"messages"` // how many
}

// ExportedMessage is a message, or what remains of a forgotten one: its role and time.
type ExportedMessage struct {
	dialogue.Message
	Forgotten bool `json:"forgotten,omitempty"`
}

// A line has at most this many messages, and ends after the message with which it exceeds this many
// bytes.
const (
	lineMessages = 100
	lineBytes    = 1 << 20
)

// Export calls f for the records of all conversations, in the order of their creation. An error of
// f ends it. What a deleted conversation left to its forks is exported with the first fork that has
// it, and the others become forks of that one. view must not change meanwhile: pass a snapshot.
func Export(view store.View, f func(Record) error) error {
	x := exporter{view: view, f: f, said: make(map[Number][]stretch)}
	prefix := key(view.Workspace, kindInfo)
	err := view.Scan(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
		info, err := decodeInfo(Number(lastUint32(key)), value)
		if err != nil || info.ID == "" {
			return true, err
		}
		return true, x.conversation(info)
	})
	if err != nil {
		return fmt.Errorf("export conversations: %w", err)
	}
	return nil
}

type exporter struct {
	view store.View
	f    func(Record) error
	// said maps each number to the conversations with which its messages were exported, ascending
	// by to. Forks are always created after what they share, so that with all messages of a
	// conversation the earlier ones have been exported too.
	said map[Number][]stretch
}

type stretch struct {
	to int
	in string // id of the conversation
}

func (x *exporter) conversation(info Info) error {
	head := Record{Type: TypeConversation, Conversation: info.ID}
	if info.titleFrom == titleGiven {
		head.Title = info.Title
	}
	from := 0
	for _, s := range info.Spans() {
		for _, said := range x.said[s.Conversation] {
			if from >= s.From && from < min(said.to, s.To) {
				from = min(said.to, s.To)
				head.Fork = &ForkRecord{Of: said.in, Messages: from}
			}
		}
		if from < s.To {
			x.said[s.Conversation] = append(x.said[s.Conversation], stretch{to: s.To, in: info.ID})
		}
	}
	if err := x.f(head); err != nil {
		return err
	}
	return x.messages(info, from)
}

func (x *exporter) messages(info Info, from int) error {
	line := Record{Type: TypeMessages, Conversation: info.ID, From: from}
	size := 0
	flush := func() error {
		if len(line.Messages) == 0 {
			return nil
		}
		done := line
		line.From, line.Messages, size = line.From+len(line.Messages), nil, 0
		return x.f(done)
	}
	err := eachEntry(x.view, info, from, info.Messages, func(_ int, e entry) error {
		line.Messages = append(line.Messages, ExportedMessage{Message: e.Message, Forgotten: e.forgotten})
		size += len(e.Content) + len(e.Reasoning)
		for _, c := range e.ToolCalls {
			size += len(c.Arguments) + len(c.Result)
		}
		if len(line.Messages) >= lineMessages || size > lineBytes {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}
