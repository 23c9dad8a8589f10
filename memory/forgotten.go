package memory

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/store"
)

// What was deleted or forgotten must not be captured again: the logs of assistants' hosts still
// contain it. So a hash of its id is stored independently of its workspace, because logs are
// checked against it before they are stored. What a client appends is not refused: there the client
// decides.
//
// The kinds of what was forgotten. They are part of the format on disk.
const (
	forgottenConversation = 'c'
	forgottenMessage      = 'm'
)

func forgottenKey(kind byte, conversation, message string) []byte {
	sum := sha256.Sum256([]byte(conversation + "\x00" + message))
	return append(append(store.Prefix(store.Meta, 0), 't', kind), sum[:16]...)
}

// Deletion is what was deleted or forgotten of a conversation.
type Deletion struct {
	Conversation bool            // all of it
	Messages     map[string]bool // by id, among the requested ones
}

// Forgotten reports whether a conversation, or any of some messages of it, was deleted or forgotten
// in any workspace.
func (w *Workspace) Forgotten(id string, messages []string) (Deletion, error) {
	id = w.name(id)
	out := Deletion{}
	var err error
	if _, out.Conversation, err = w.memory.store.Get(forgottenKey(forgottenConversation, id, "")); err != nil || out.Conversation {
		return out, err
	}
	any, err := w.memory.forgotAny()
	if err != nil || !any {
		return out, err
	}
	for _, message := range messages {
		_, found, err := w.memory.store.Get(forgottenKey(forgottenMessage, id, w.name(message)))
		if err != nil {
			return out, err
		}
		if found {
			if out.Messages == nil {
				out.Messages = map[string]bool{}
			}
			out.Messages[message] = true
		}
	}
	return out, nil
}

// forgotAny reports whether any message was ever forgotten: usually none, so that no lookup is
// needed.
func (m *Memory) forgotAny() (any bool, err error) {
	prefix := append(store.Prefix(store.Meta, 0), 't', forgottenMessage)
	err = m.store.Scan(prefix, store.PrefixEnd(prefix), func(_, _ []byte) (bool, error) {
		any = true
		return false, nil
	})
	return any, err
}

// keepForgotten stages the record that keeps a conversation, by its stored id, from being captured
// again.
func keepForgotten(b *store.Batch, id string) {
	b.Set(forgottenKey(forgottenConversation, id, ""), nil)
}

// keepForgottenMessages stages such records for the messages of some conversations.
func keepForgottenMessages(b *store.Batch, ids []string, parts []conversation.Part) {
	for _, part := range parts {
		for _, m := range part.Messages {
			for _, id := range ids {
				b.Set(forgottenKey(forgottenMessage, id, m.ID), nil)
			}
		}
	}
}

// keepForgottenAll stages such records for all conversations of the workspace.
func keepForgottenAll(tx store.Tx) error {
	for info, err := range conversation.All(tx.View) {
		if err != nil {
			return fmt.Errorf("list what is forgotten: %w", err)
		}
		keepForgotten(tx.Batch, info.ID)
	}
	return nil
}

// Bulk suspends making versions of turns until end is called: a bulk import leaves the processor to
// interactive requests, and the versions are made when it is complete.
func (m *Memory) Bulk() (end func()) {
	m.pace.held.Add(1)
	return sync.OnceFunc(func() { m.pace.held.Add(-1) })
}

// Roots lists the roots of all workspaces with stored data.
func (m *Memory) Roots() ([]string, error) {
	list, err := m.store.Workspaces()
	out := make([]string, len(list))
	for i, info := range list {
		out[i] = info.Root
	}
	return out, err
}
