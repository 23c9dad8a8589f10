package memory

import (
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// Addition is the input of an append.
type Addition struct {
	Conversation, Title string
	Messages            []dialogue.Message
	// Learn means that standing rules are extracted from the messages.
	Learn bool
}

// AppendResult is the result of an append.
type AppendResult struct {
	Turns           []int // numbers of the turns that got messages
	Messages, Count int   // of the conversation afterwards: messages, turns
	Duplicates      []string
}

// Append adds messages to a conversation, creating it if it does not exist. It returns when they
// are on disk: all or none. Text, postings, mentions, rules and the board's lifetimes change in one
// step. Error: *conversation.InvalidError.
//
// It is [Workspace.Prepare] followed by the three steps of its result.
func (w *Workspace) Append(a Addition) (AppendResult, error) {
	p, err := w.Prepare(a)
	if err != nil {
		return AppendResult{}, err
	}
	p.Place()
	p.Stage()
	return p.Wait()
}

// Fork creates a conversation that shares another's past up to and including a turn. Errors:
// conversation.ErrNotFound for the conversation or the turn, conversation.ErrExists.
func (w *Workspace) Fork(id string, at int, newID string) (conversation.Info, error) {
	id, newID = w.name(id), w.name(newID)
	var out conversation.Info
	err := w.change(func(tx store.Tx) (err error) {
		out, err = conversation.Fork(tx, id, at, newID)
		return err
	})
	return out, err
}

// Delete removes a conversation from memory; its forks keep what they share. Its bytes stay in the
// store's files until those are rewritten and in checkpoints until they are replaced:
// ForgetConversation wipes them, also after Delete. Error: conversation.ErrNotFound.
func (w *Workspace) Delete(id string) error {
	id = w.name(id)
	return w.change(func(tx store.Tx) error {
		return deleteConversation(w, tx, id)
	})
}

// deleteConversation stages the removal of a conversation.
func deleteConversation(w *Workspace, tx store.Tx, id string) error {
	info, err := conversation.Find(tx.View, id)
	if err != nil {
		return err
	}
	w.removals.Add(1)
	gone, err := conversation.Delete(tx, id)
	if err != nil {
		return err
	}
	rememberDeleted(tx, deletedConversation, id, info.Spans())
	keepForgotten(tx.Batch, id)
	return w.memory.removeAll(tx, &removal{parts: gone, conversations: []string{id}})
}
