package memory

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/board"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/recall"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/subject"
	"github.com/contexture-dev/contexture/memory/usage"
)

// derivation is one kind of what is made of messages besides their text. Whatever stores, removes
// or reads messages again does it for every kind in [derivationsOf], so that what a kind needs is
// written once.
type derivation interface {
	// prepare does the part that needs nothing stored, and returns the part that stages the result;
	// nil when there is nothing to stage. It is called concurrently.
	prepare(in *intake) stage
	// remove stages the removal of what was made of messages that are gone.
	remove(tx store.Tx, gone *removal) error
}

// renewable is a derivation that can be made again from all messages of a workspace.
type renewable interface {
	derivation
	// clear stages the removal of all that was made in a workspace.
	clear(tx store.Tx)
}

// derivationsOf returns all derivations.
func derivationsOf(index *recall.Index, opts Options) []derivation {
	return []derivation{postings{index}, mentions{opts.Relative, opts.Familiar}, statements{}, boards{}, uses{}, failures{}}
}

// intake is a run of messages of one conversation to be stored.
type intake struct {
	root     string
	messages []dialogue.Message
	learn    bool // standing rules are extracted
}

// stage stages what was prepared of an intake for those of its messages that were added.
type stage func(b *batch, added *conversation.AppendResult) error

// prepareAll prepares all derivations of an intake.
func prepareAll(list []derivation, in *intake) stage {
	stages := make([]stage, 0, len(list))
	for _, d := range list {
		if s := d.prepare(in); s != nil {
			stages = append(stages, s)
		}
	}
	return func(b *batch, added *conversation.AppendResult) error {
		if len(added.Messages) == 0 {
			return nil
		}
		for _, s := range stages {
			if err := s(b, added); err != nil {
				return err
			}
		}
		return nil
	}
}

// batch is a batch of the store in which derivations are staged. What is cheaper to stage once for
// all messages of a batch waits for flush.
type batch struct {
	tx      store.Tx
	index   *recall.Index
	terms   []recall.PlacedMessage
	turns   map[string]int // number of turns of each conversation that got messages
	learned bool           // a rule was: the next messages would have to read what is staged
}

func (m *Memory) batch(tx store.Tx) *batch { return &batch{tx: tx, index: m.recall} }

// flush stages what waits.
func (b *batch) flush() error {
	b.index.Add(b.tx, b.terms)
	for id, turns := range b.turns {
		if err := board.Expire(b.tx, id, turns); err != nil {
			return err
		}
	}
	b.terms, b.turns = nil, nil
	return nil
}

// removal is what is taken out of memory.
type removal struct {
	parts         []conversation.Part // the messages that no conversation has any more
	conversations []string            // those that had them
	turns         []int               // of each of them; nil for whole conversations
}

// removeAll stages the removal of everything that was made of messages.
func (m *Memory) removeAll(tx store.Tx, gone *removal) error {
	for _, d := range m.derivations {
		if err := d.remove(tx, gone); err != nil {
			return err
		}
	}
	return nil
}

// How many messages, and how much of their text in bytes, are made again in one batch.
const (
	rebuildMessages = 2000
	rebuildBytes    = 4 << 20
)

// rebuild makes a derivation again in all workspaces, and in the one of sessions without a root.
func rebuild(s *store.Store, index *recall.Index, d renewable) error {
	list, err := s.Workspaces()
	if err != nil {
		return err
	}
	for _, w := range append(list, store.WorkspaceInfo{}) {
		if err := rebuildIn(s, index, d, w); err != nil {
			return fmt.Errorf("read messages of %q again: %w", w.Root, err)
		}
	}
	return nil
}

func rebuildIn(s *store.Store, index *recall.Index, d renewable, w store.WorkspaceInfo) error {
	b := &batch{tx: s.Begin(w.Number, time.Time{}), index: index}
	d.clear(b.tx)
	messages, size := 0, 0
	flush := func() error {
		if err := b.flush(); err != nil {
			return err
		}
		err := s.ApplyLater(b.tx.Batch) // the format number, written afterwards, is synced
		b.tx, messages, size = s.Begin(w.Number, time.Time{}), 0, 0
		return err
	}
	err := conversation.Each(b.tx.View, func(number conversation.Number, i, turn int, m dialogue.Message) error {
		in := intake{root: w.Root, messages: []dialogue.Message{m}}
		if put := d.prepare(&in); put != nil {
			added := conversation.AppendResult{First: i, Messages: in.messages, TurnOf: []int{turn}}
			added.Info.Number = number
			if err := put(b, &added); err != nil {
				return err
			}
		}
		messages++
		if size += len(m.Content); messages < rebuildMessages && size < rebuildBytes {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// postings are the words of messages, by which they are found.
type postings struct{ index *recall.Index }

func (d postings) prepare(in *intake) stage {
	terms := make([]recall.PreparedMessage, len(in.messages))
	for i, m := range in.messages {
		terms[i] = d.index.Prepare(m)
	}
	return func(b *batch, added *conversation.AppendResult) error {
		for i := range added.Messages {
			b.terms = append(b.terms, recall.PlacedMessage{Conversation: uint32(added.Info.Number), Index: added.First + i, PreparedMessage: terms[added.Source(i)]})
		}
		return nil
	}
}

func (d postings) remove(tx store.Tx, gone *removal) error {
	list := make([]recall.Part, len(gone.parts))
	for i, part := range gone.parts {
		list[i] = recall.Part{Conversation: uint32(part.Conversation), First: part.First, Messages: part.Messages}
	}
	return d.index.Remove(tx, list)
}

func (d postings) clear(tx store.Tx) {
	prefix := store.Prefix(store.Recall, tx.Workspace)
	tx.DeleteRange(prefix, store.PrefixEnd(prefix))
}

// mentions are the files, symbols and names in messages.
type mentions struct {
	relative func(root, uri string) (path string, ok bool)
	familiar func(word string) float64
}

func (d mentions) prepare(in *intake) stage {
	relative := func(uri string) (path string, ok bool) {
		if in.root == "" {
			return "", false
		}
		return d.relative(in.root, uri)
	}
	found := make([][]subject.Mention, len(in.messages))
	for i, m := range in.messages {
		found[i] = append(subject.Mentions(m, relative), subject.Names(m, d.familiar)...)
	}
	return func(b *batch, added *conversation.AppendResult) error {
		for i, m := range added.Messages {
			at := subject.Place{Conversation: uint32(added.Info.Number), Turn: added.TurnOf[i], Message: added.First + i}
			subject.Add(b.tx, at, m.At, found[added.Source(i)])
		}
		return nil
	}
}

func (mentions) remove(tx store.Tx, gone *removal) error {
	for _, part := range gone.parts {
		for i := range part.Messages {
			at := subject.Place{Conversation: uint32(part.Conversation), Turn: part.TurnOf[i], Message: part.First + i}
			if err := subject.Remove(tx, at); err != nil {
				return err
			}
		}
	}
	return nil
}

func (mentions) clear(tx store.Tx) { subject.Clear(tx) }

// statements are the standing rules in messages.
type statements struct{}

func (statements) prepare(in *intake) stage {
	if !in.learn {
		return nil
	}
	found, any := make([][]knowledge.DirectiveText, len(in.messages)), false
	before := ""
	for i := range in.messages {
		found[i] = knowledge.Hear(&in.messages[i], before)
		any = any || len(found[i]) > 0
		before = in.messages[i].Content
	}
	if !any {
		return nil
	}
	return func(b *batch, added *conversation.AppendResult) error {
		learning := knowledge.Learning{Conversation: added.Info.ID}
		for i, m := range added.Messages {
			learning.Messages = append(learning.Messages, knowledge.MessageDirectives{Message: m, Turn: added.TurnOf[i], Found: found[added.Source(i)]})
		}
		if !slices.ContainsFunc(learning.Messages, func(m knowledge.MessageDirectives) bool { return len(m.Found) > 0 }) {
			return nil
		}
		before, err := conversation.Messages(b.tx.View, added.Info, max(0, added.First-knowledge.Preceding), added.First)
		if err != nil {
			return err
		}
		for i, origin := range knowledge.Origins(before, added.Messages) {
			learning.Messages[i].Origin = origin
		}
		learned, err := knowledge.Learn(b.tx, learning)
		b.learned = b.learned || learned
		return err
	}
}

func (statements) remove(tx store.Tx, gone *removal) error {
	return knowledge.ForgetConversations(tx, gone.conversations, gone.turns)
}

// boards are the conversations' boards, whose items live for a number of turns.
type boards struct{}

func (boards) prepare(*intake) stage {
	return func(b *batch, added *conversation.AppendResult) error {
		if b.turns == nil {
			b.turns = map[string]int{}
		}
		b.turns[added.Info.ID] = userTurns(added.Info, added.Asked)
		return nil
	}
}

func (boards) remove(tx store.Tx, gone *removal) error {
	for _, id := range gone.conversations {
		if gone.turns == nil {
			if err := board.DeleteConversation(tx, id); err != nil {
				return err
			}
		}
		for _, turn := range gone.turns {
			if err := unpin(tx, id, turn); err != nil {
				return err
			}
		}
	}
	return nil
}

// unpin removes a turn from its conversation's board.
func unpin(tx store.Tx, id string, turn int) error {
	now, err := boardOf(tx.View, id)
	if err != nil {
		return err
	}
	items, err := board.List(tx.View, id, now)
	if err != nil {
		return err
	}
	for _, it := range items {
		if strings.HasPrefix(it.Pinned, dialogue.TurnID(turn)+"-") {
			if err := board.Remove(tx, id, it.ID, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// uses are the statistics of how often what a bundle showed was used.
type uses struct{}

func (uses) prepare(*intake) stage { return nil }

func (uses) remove(tx store.Tx, gone *removal) error {
	if gone.turns != nil {
		return nil
	}
	return usage.Forget(tx, func(item string) bool {
		return slices.ContainsFunc(gone.conversations, func(id string) bool { return names(item, id) })
	})
}

// failures are those of commands that assistants ran.
type failures struct{}

func (failures) prepare(in *intake) stage {
	found, any := make([][]knowledge.Failure, len(in.messages)), false
	for i := range in.messages {
		found[i] = knowledge.FailuresOf(&in.messages[i])
		any = any || len(found[i]) > 0
	}
	if !any {
		return nil
	}
	return func(b *batch, added *conversation.AppendResult) error {
		for i := range added.Messages {
			knowledge.Failing{Conversation: uint32(added.Info.Number), Message: added.First + i}.Index(b.tx, found[added.Source(i)])
		}
		return nil
	}
}

func (failures) remove(tx store.Tx, gone *removal) error {
	for _, part := range gone.parts {
		for i := range part.Messages {
			knowledge.Failing{Conversation: uint32(part.Conversation), Message: part.First + i}.Remove(tx, knowledge.FailuresOf(&part.Messages[i]))
		}
	}
	return nil
}

func (failures) clear(tx store.Tx) { knowledge.ClearFailing(tx) }
