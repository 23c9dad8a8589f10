package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/usage"
)

// All input passes here first, before anything is derived from it, compared with it or stored: what
// Options.Redact removes from a text has never been in the memory. Positions in texts refer to the
// redacted ones. The root of a workspace is the only text that stays as it is, since it is the
// workspace's location.
//
// Redacting is idempotent, so that an export, imported and exported again, is the same bytes.

// clean returns a text in the form in which it may be stored.
func (w *Workspace) clean(text string) string {
	redact := w.memory.opts.Redact
	if redact == nil || text == "" {
		return text
	}
	if !utf8.ValidString(text) { // checked in the form in which it is stored
		text = string(bytes.ToValidUTF8([]byte(text), []byte("\uFFFD")))
	}
	return redact(w.root, text)
}

// name returns an id in the form in which it may be stored. Ids that differ only in what is
// redacted stay distinct: they end with a few digits of their hash. Every method with an id also
// accepts the original one.
func (w *Workspace) name(id string) string {
	redact := w.memory.opts.Redact
	if redact == nil || id == "" {
		return id
	}
	clean := redact(w.root, id)
	if clean == id {
		return id
	}
	hash := fmt.Sprintf("~%08x", uint32(xxh3.HashString(id)))
	if list := []rune(clean); len(list) > maxNameRunes-len(hash) && utf8.RuneCountInString(id) <= maxNameRunes {
		clean = string(list[:maxNameRunes-len(hash)]) // what was within the limit stays within it
	}
	return clean + hash
}

// maxNameRunes is the contract's limit of the ids of conversations.
const maxNameRunes = 200

// source returns a turn in the form in which items of knowledge name it.
func (w *Workspace) source(s string) string {
	if c, turn, ok := knowledge.ParseSource(s); ok {
		return knowledge.SourceTurn(w.name(c), w.clean(turn))
	}
	return w.clean(s)
}

// each returns a list with f applied to its texts; the argument stays as it is.
func each(list []string, f func(string) string) []string {
	list = slices.Clone(list)
	for i := range list {
		list[i] = f(list[i])
	}
	return list
}

// cleanMessages returns messages in the form in which they may be stored; the caller's stay as they
// are.
func (w *Workspace) cleanMessages(list []dialogue.Message) []dialogue.Message {
	if w.memory.opts.Redact == nil {
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		list[i] = w.cleanMessage(list[i])
	}
	return list
}

func (w *Workspace) cleanMessage(m dialogue.Message) dialogue.Message {
	m.Content, m.Reasoning, m.Author, m.ID = w.clean(m.Content), w.clean(m.Reasoning), w.clean(m.Author), w.name(m.ID)
	m.URIs, m.Symbols = each(m.URIs, w.clean), each(m.Symbols, w.clean)
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for i, c := range m.ToolCalls {
		c.Name, c.Arguments, c.Result = w.clean(c.Name), w.cleanJSON(c.Arguments), w.cleanJSON(c.Result)
		m.ToolCalls[i] = c
	}
	return m
}

// cleanConversation returns an imported conversation in the form in which it may be stored.
func (w *Workspace) cleanConversation(rec conversation.Record) conversation.Record {
	rec.Conversation, rec.Title = w.name(rec.Conversation), w.clean(rec.Title)
	if rec.Fork != nil {
		rec.Fork = &conversation.ForkRecord{Of: w.name(rec.Fork.Of), Messages: rec.Fork.Messages}
	}
	for i, m := range rec.Messages {
		rec.Messages[i].Message = w.cleanMessage(m.Message)
	}
	return rec
}

// cleanItem returns an item that was put by hand in the form in which it may be stored.
func (w *Workspace) cleanItem(it knowledge.Item) knowledge.Item {
	it.ID, it.SupersededBy, it.Conversation = w.name(it.ID), w.name(it.SupersededBy), w.name(it.Conversation)
	it.Title, it.Content, it.Author = w.clean(it.Title), w.clean(it.Content), w.clean(it.Author)
	it.Topics, it.Keywords = each(it.Topics, w.clean), each(it.Keywords, w.clean)
	it.Worked = each(it.Worked, w.clean)
	it.SourceTurns, it.MessageIDs = each(it.SourceTurns, w.source), each(it.MessageIDs, w.name)
	it.Scope, it.Outdated = w.clean(it.Scope), w.clean(it.Outdated)
	if it.Team != nil {
		team := *it.Team
		team.Fact, team.Key, team.Name = w.name(team.Fact), w.name(team.Key), w.clean(team.Name)
		team.Earlier, team.Rivals = each(team.Earlier, w.name), each(team.Rivals, w.name)
		it.Team = &team
	}
	it.Quotations = slices.Clone(it.Quotations)
	for i, q := range it.Quotations {
		it.Quotations[i] = knowledge.Quotation{
			Conversation: w.name(q.Conversation), Turn: w.clean(q.Turn), Message: w.name(q.Message), Text: w.clean(q.Text), At: q.At, Author: w.clean(q.Author),
			Path: w.clean(q.Path), Line: q.Line,
		}
	}
	return it
}

// cleanShown returns items of a bundle in the form in which their words may be stored.
func (w *Workspace) cleanShown(items []usage.Shown) []usage.Shown {
	if w.memory.opts.Redact == nil {
		return items
	}
	items = slices.Clone(items)
	for i, it := range items {
		items[i] = usage.Shown{ID: w.name(it.ID), Text: w.clean(it.Text), Layer: w.name(it.Layer), Tokens: it.Tokens}
	}
	return items
}

// settling bounds how often a JSON value is checked again after something was redacted from it.
const settling = 4

// cleanJSON returns a JSON value in the form in which it may be stored: compact, and valid if it
// was. Invalid input stays as it is; the caller refuses it.
func (w *Workspace) cleanJSON(raw []byte) []byte {
	if w.memory.opts.Redact == nil || len(raw) == 0 {
		return raw
	}
	var compact bytes.Buffer
	if json.Compact(&compact, bytes.ToValidUTF8(raw, []byte("\uFFFD"))) != nil {
		return raw
	}
	value := compact.String()
	for range settling {
		next := w.cleanValue(value)
		if next == value {
			break
		}
		value = next
	}
	return []byte(value)
}

// cleanValue redacts each string of a JSON value in its unescaped form, since escapes may hide
// something, and then the value as it is written, since a name may show what the text after it is.
// If the redacted value is not valid JSON, it becomes a string.
func (w *Workspace) cleanValue(value string) string {
	value = mapStrings(value, func(_, s string) string { return w.clean(s) })
	whole := w.clean(value)
	if whole == value || json.Valid([]byte(whole)) {
		return whole
	}
	return quoted(whole)
}

// cleanAnswer returns a model's answer in the form in which it may be used.
func (w *Workspace) cleanAnswer(answer string) string {
	if w.memory.opts.Redact == nil {
		return answer
	}
	if json.Valid([]byte(answer)) {
		return string(w.cleanJSON([]byte(answer)))
	}
	return w.clean(answer)
}

// cleanLine returns a line of an import, valid JSON other than a conversation, in the form in which
// it may be stored.
func (w *Workspace) cleanLine(line []byte) []byte {
	if w.memory.opts.Redact == nil {
		return line
	}
	return []byte(mapStrings(string(line), func(field, s string) string {
		switch field {
		case "id", "taskId", "conversationId", "conversation", "fileKey", "supersededBy", "messageIds", "message":
			return w.name(s)
		case "sourceTurns":
			return w.source(s)
		}
		return w.clean(s)
	}))
}
