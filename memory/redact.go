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

// cleaner brings what is stored of a workspace into the form in which it may be.
type cleaner struct {
	root   string
	redact func(root, text string) string // nil leaves all as it is
}

// clean returns a text in the form in which it may be stored.
func (c *cleaner) clean(text string) string {
	if c.redact == nil || text == "" {
		return text
	}
	if !utf8.ValidString(text) { // checked in the form in which it is stored
		text = string(bytes.ToValidUTF8([]byte(text), []byte("\uFFFD")))
	}
	return c.redact(c.root, text)
}

// name returns an id in the form in which it may be stored. Ids that differ only in what is
// redacted stay distinct: they end with a few digits of their hash. Every method with an id also
// accepts the original one.
func (c *cleaner) name(id string) string {
	if c.redact == nil || id == "" {
		return id
	}
	clean := c.redact(c.root, id)
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
func (c *cleaner) source(s string) string {
	if id, turn, ok := knowledge.ParseSource(s); ok {
		return knowledge.SourceTurn(c.name(id), c.clean(turn))
	}
	return c.clean(s)
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
func (c *cleaner) cleanMessages(list []dialogue.Message) []dialogue.Message {
	if c.redact == nil {
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		list[i] = c.cleanMessage(list[i])
	}
	return list
}

func (c *cleaner) cleanMessage(m dialogue.Message) dialogue.Message {
	m.Content, m.Reasoning, m.Author, m.ID = c.clean(m.Content), c.clean(m.Reasoning), c.clean(m.Author), c.name(m.ID)
	m.URIs, m.Symbols = each(m.URIs, c.clean), each(m.Symbols, c.clean)
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for i, call := range m.ToolCalls {
		call.Name, call.Arguments, call.Result = c.clean(call.Name), c.cleanJSON(call.Arguments), c.cleanJSON(call.Result)
		m.ToolCalls[i] = call
	}
	return m
}

// cleanConversation returns an imported conversation in the form in which it may be stored.
func (c *cleaner) cleanConversation(rec conversation.Record) conversation.Record {
	rec.Conversation, rec.Title = c.name(rec.Conversation), c.clean(rec.Title)
	if rec.Fork != nil {
		rec.Fork = &conversation.ForkRecord{Of: c.name(rec.Fork.Of), Messages: rec.Fork.Messages}
	}
	for i, m := range rec.Messages {
		rec.Messages[i].Message = c.cleanMessage(m.Message)
	}
	return rec
}

// cleanItem returns an item that was put by hand in the form in which it may be stored.
func (c *cleaner) cleanItem(it knowledge.Item) knowledge.Item {
	it.ID, it.SupersededBy, it.Conversation = c.name(it.ID), c.name(it.SupersededBy), c.name(it.Conversation)
	it.Title, it.Content, it.Author = c.clean(it.Title), c.clean(it.Content), c.clean(it.Author)
	it.Topics, it.Keywords = each(it.Topics, c.clean), each(it.Keywords, c.clean)
	it.Worked = each(it.Worked, c.clean)
	it.SourceTurns, it.MessageIDs = each(it.SourceTurns, c.source), each(it.MessageIDs, c.name)
	it.Scope, it.Outdated = c.clean(it.Scope), c.clean(it.Outdated)
	if it.Team != nil {
		team := *it.Team
		team.Fact, team.Key, team.Name = c.name(team.Fact), c.name(team.Key), c.clean(team.Name)
		team.Earlier, team.Rivals = each(team.Earlier, c.name), each(team.Rivals, c.name)
		it.Team = &team
	}
	it.Quotations = slices.Clone(it.Quotations)
	for i, q := range it.Quotations {
		it.Quotations[i] = knowledge.Quotation{
			Conversation: c.name(q.Conversation), Turn: c.clean(q.Turn), Message: c.name(q.Message), Text: c.clean(q.Text), At: q.At, Author: c.clean(q.Author),
			Path: c.clean(q.Path), Line: q.Line,
		}
	}
	return it
}

// cleanShown returns items of a bundle in the form in which their words may be stored.
func (c *cleaner) cleanShown(items []usage.ShownItem) []usage.ShownItem {
	if c.redact == nil {
		return items
	}
	items = slices.Clone(items)
	for i, it := range items {
		items[i] = usage.ShownItem{ID: c.name(it.ID), Text: c.clean(it.Text), Layer: c.name(it.Layer), Tokens: it.Tokens}
	}
	return items
}

// settling bounds how often a JSON value is checked again after something was redacted from it.
const settling = 4

// cleanJSON returns a JSON value in the form in which it may be stored: compact, and valid if it
// was. Invalid input stays as it is; the caller refuses it.
func (c *cleaner) cleanJSON(raw []byte) []byte {
	if c.redact == nil || len(raw) == 0 {
		return raw
	}
	var compact bytes.Buffer
	if json.Compact(&compact, bytes.ToValidUTF8(raw, []byte("\uFFFD"))) != nil {
		return raw
	}
	value := compact.String()
	for range settling {
		next := c.cleanValue(value)
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
func (c *cleaner) cleanValue(value string) string {
	value = mapStrings(value, func(_, s string) string { return c.clean(s) })
	whole := c.clean(value)
	if whole == value || json.Valid([]byte(whole)) {
		return whole
	}
	return quoted(whole)
}

// cleanAnswer returns a model's answer in the form in which it may be used.
func (c *cleaner) cleanAnswer(answer string) string {
	if c.redact == nil {
		return answer
	}
	if json.Valid([]byte(answer)) {
		return string(c.cleanJSON([]byte(answer)))
	}
	return c.clean(answer)
}

// cleanLine returns a line of an import, valid JSON other than a conversation, in the form in which
// it may be stored.
func (c *cleaner) cleanLine(line []byte) []byte {
	if c.redact == nil {
		return line
	}
	return []byte(mapStrings(string(line), func(field, s string) string {
		switch field {
		case "id", "taskId", "conversationId", "conversation", "fileKey", "supersededBy", "messageIds", "message":
			return c.name(s)
		case "sourceTurns":
			return c.source(s)
		}
		return c.clean(s)
	}))
}
