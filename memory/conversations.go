package memory

import (
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// Conversations are the conversations of a [View] as they are stored.
type Conversations struct {
	state   store.View
	cleaner cleaner
}

// Find returns a conversation. Error: conversation.ErrNotFound.
func (v *Conversations) Find(id string) (conversation.Info, error) {
	return conversation.Find(v.state, v.cleaner.name(id))
}

// Beginning returns the ids of at most limit conversations that begin with a prefix, or do so after
// the name of their source. It reads every id of the workspace.
func (v *Conversations) Beginning(prefix string, limit int) ([]string, error) {
	return conversation.Beginning(v.state, v.cleaner.name(prefix), limit)
}

// List returns conversations, the one with the latest message first; before is the next of the
// previous page, or "".
func (v *Conversations) List(limit int, before string) (page []conversation.Info, next string, err error) {
	return conversation.List(v.state, limit, before)
}

// Select returns a page of the conversations for which keep returns true, in the order of List.
func (v *Conversations) Select(limit int, before string, keep func(conversation.Info) (bool, error)) (page []conversation.Info, next string, err error) {
	return conversation.Select(v.state, limit, before, keep)
}

// Turn returns a turn. Error: conversation.ErrNotFound.
func (v *Conversations) Turn(info conversation.Info, number int) (dialogue.Turn, error) {
	return conversation.Turn(v.state, info, number)
}

// Origin returns conversation.Origin.
func (v *Conversations) Origin(info conversation.Info) (b conversation.Branch, ok bool, err error) {
	return conversation.Origin(v.state, info)
}

// Forks returns conversation.Forks.
func (v *Conversations) Forks(info conversation.Info) ([]conversation.Branch, error) {
	return conversation.Forks(v.state, info)
}

// Has returns which of some messages, by id, a conversation contains. The conversation need not
// exist.
func (v *Conversations) Has(id string, messages []string) (map[string]bool, error) {
	names := make([]string, len(messages))
	for i, message := range messages {
		names[i] = v.cleaner.name(message)
	}
	given, err := conversation.Given(v.state, v.cleaner.name(id), names)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for i, message := range messages {
		if given[names[i]] {
			out[message] = true
		}
	}
	return out, nil
}

// TurnWith returns the turn of a conversation that contains the message with an id.
func (v *Conversations) TurnWith(id, message string) (turn int, found bool, err error) {
	return conversation.TurnWith(v.state, v.cleaner.name(id), v.cleaner.name(message))
}

// MessageCount returns the number of messages in all conversations.
func (v *Conversations) MessageCount() (int, error) {
	_, messages, _, err := counts(v.state)
	return messages, err
}
