package conversation

import (
	"errors"
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// Importer stages the records of an export, in order, into one batch. What exists already stays as
// it is: for an existing conversation only messages with new ids are added, at its end.
type Importer struct {
	stage   *stage
	tx      draft // the stage's
	now     time.Time
	threads map[string]*thread
}

// thread is a conversation of the import, with the positions of its messages in the store.
type thread struct {
	title   string
	next    int   // index, in the import, of the next message
	aligned int   // up to here, indexes in the import and in the store are the same
	where   []int // indexes in the store of the messages from aligned on
}

func (t *thread) place(index int) {
	if t.aligned == t.next && index == t.next {
		t.aligned++
	} else {
		t.where = append(t.where, index)
	}
	t.next++
}

func (t *thread) index(position int) int {
	if position < t.aligned {
		return position
	}
	return t.where[position-t.aligned]
}

// NewImporter begins an import. Messages without a time get the transaction's. Until the batch is
// applied nothing else may be staged for conversations of the workspace.
func NewImporter(tx store.Tx) *Importer {
	s := newStage(tx)
	return &Importer{stage: s, tx: s.draft(), now: tx.Now, threads: make(map[string]*thread)}
}

// Add stages the next record, and returns which messages it added (none when Added.Messages is
// empty). After an error the batch must be discarded. Errors: *InvalidError for a record that no
// export contains.
func (i *Importer) Add(rec Record) (AppendResult, error) {
	var added AppendResult
	var err error
	switch rec.Type {
	case TypeConversation:
		added, err = i.begin(rec)
	case TypeMessages:
		added, err = i.messages(rec)
	default:
		err = &InvalidError{"type", fmt.Sprintf("%q is neither %s nor %s", rec.Type, TypeConversation, TypeMessages)}
	}
	if err == nil {
		err = i.stage.err
	}
	if err != nil {
		return AppendResult{}, err
	}
	return added, nil
}

func (i *Importer) begin(rec Record) (AppendResult, error) {
	if err := checkID("conversation", rec.Conversation); err != nil {
		return AppendResult{}, err
	}
	if i.threads[rec.Conversation] != nil {
		return AppendResult{}, &InvalidError{"conversation", fmt.Sprintf("%q begins for the second time", rec.Conversation)}
	}
	if len(rec.Messages) > 0 {
		return AppendResult{}, &InvalidError{"messages", "they belong in separate records"}
	}
	t := &thread{title: rec.Title}
	if rec.Fork == nil {
		i.threads[rec.Conversation] = t
		return AppendResult{}, nil
	}
	parent, err := i.parent(rec)
	if err != nil {
		return AppendResult{}, err
	}
	if n := rec.Fork.Messages; n < 1 || n > parent.next {
		return AppendResult{}, &InvalidError{"fork.messages", fmt.Sprintf("%d is not within the %d messages of %q", n, parent.next, rec.Fork.Of)}
	}
	i.threads[rec.Conversation] = t
	return i.fork(rec, t, parent)
}

// parent returns the conversation that a record is a fork of: one of the import, or one in the
// store.
func (i *Importer) parent(rec Record) (*thread, error) {
	if t := i.threads[rec.Fork.Of]; t != nil {
		return t, nil
	}
	info, err := Find(i.tx.View, rec.Fork.Of)
	if errors.Is(err, ErrNotFound) {
		return nil, &InvalidError{"fork.of", fmt.Sprintf("no conversation %q comes before", rec.Fork.Of)}
	}
	return &thread{next: info.Messages, aligned: info.Messages}, err
}

// fork shares the parent's past if the store and the import agree on it. If they do not, because
// the parent existed with other messages, the past is copied.
func (i *Importer) fork(rec Record, t, parent *thread) (AppendResult, error) {
	to := rec.Fork.Messages
	of, err := Find(i.tx.View, rec.Fork.Of)
	if err != nil {
		return AppendResult{}, err
	}
	child, err := Find(i.tx.View, rec.Conversation)
	isNew := errors.Is(err, ErrNotFound)
	switch {
	case err != nil && !isNew:
		return AppendResult{}, err
	case isNew && parent.aligned >= to:
		t.next, t.aligned = to, to
		return AppendResult{}, i.share(rec, of)
	case !isNew && parent.aligned >= to && commonPast(of, child) >= to:
		t.next, t.aligned = to, to
		return AppendResult{Info: child}, nil
	}
	past := make([]ExportedMessage, to)
	for p := range past {
		e, err := readEntry(i.tx.View, of, parent.index(p))
		if err != nil {
			return AppendResult{}, err
		}
		past[p] = ExportedMessage{Message: e.Message, Forgotten: e.forgotten}
	}
	return i.add(rec.Conversation, t, past)
}

func (i *Importer) share(rec Record, of Info) error {
	info, err := fork(i.tx, of, rec.Fork.Messages, rec.Conversation)
	if err != nil {
		return err
	}
	switch {
	case rec.Title != "":
		info.Title, info.titleFrom = valid(rec.Title), titleGiven
	case info.titleFrom == titleGiven: // given to the parent after this fork
		if err := retitle(i.tx.View, &info, 0, func(int) bool { return false }); err != nil {
			return err
		}
	}
	i.tx.Set(keyInfo(i.tx.Workspace, info.Number), encodeInfo(info))
	return nil
}

// commonPast returns how many messages two conversations share.
func commonPast(a, b Info) int {
	common := 0
	other := b.Spans()
	for k, s := range a.Spans() {
		if k >= len(other) || other[k].Conversation != s.Conversation {
			break
		}
		common = min(s.To, other[k].To)
		if s.To != other[k].To {
			break
		}
	}
	return common
}

func (i *Importer) messages(rec Record) (AppendResult, error) {
	t := i.threads[rec.Conversation]
	if t == nil {
		return AppendResult{}, &InvalidError{"conversation", fmt.Sprintf("%q has not begun", rec.Conversation)}
	}
	if rec.From != t.next {
		return AppendResult{}, &InvalidError{"from", fmt.Sprintf("%d, but %d messages of %q came before", rec.From, t.next, rec.Conversation)}
	}
	messages := make([]ExportedMessage, len(rec.Messages))
	for k, m := range rec.Messages {
		if m.At.IsZero() {
			m.At = i.now
		}
		var err error
		if messages[k].Message, err = clean(m.Message, k); err != nil {
			return AppendResult{}, err
		}
		if messages[k].Forgotten = m.Forgotten; m.Forgotten {
			messages[k].Message = dialogue.Message{Role: m.Role, At: messages[k].At}
		}
	}
	return i.add(rec.Conversation, t, messages)
}

// add stages the messages that a conversation lacks.
func (i *Importer) add(id string, t *thread, messages []ExportedMessage) (AppendResult, error) {
	if len(messages) == 0 {
		return AppendResult{}, nil
	}
	g, err := openAppender(i.tx, id)
	if err != nil {
		return AppendResult{}, err
	}
	if g.added.New && t.title != "" {
		g.info.Title, g.info.titleFrom = valid(t.title), titleGiven
	}
	for _, m := range messages {
		index, found, err := g.has(m, t.next)
		if err == nil && !found {
			index = g.info.Messages
			at, made := madeIndex(m.ID)
			err = g.put(entry{Message: m.Message, forgotten: m.Forgotten, made: made && at == index})
		}
		if err != nil {
			return AppendResult{}, err
		}
		t.place(index)
	}
	return g.close()
}

// has returns the index of an imported message that the conversation has. A forgotten one has no id
// and is identified by its position. A message that came without an id, or with the one generated
// for its position, is the one with that name and the same content, even if the same id was given
// to another one later.
func (g *appender) has(m ExportedMessage, position int) (index int, found bool, err error) {
	if m.Forgotten {
		return position, position < g.info.Messages, nil
	}
	if m.ID == "" {
		m.ID = madeID(position)
	}
	if at, ok := madeIndex(m.ID); ok && at == position {
		if index, found, err = g.findMade(m.Message); found || err != nil {
			return index, found, err
		}
	}
	return g.find(m.Message)
}
