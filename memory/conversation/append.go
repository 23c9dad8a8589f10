package conversation

import (
	"errors"
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// AppendResult is the result of an append.
type AppendResult struct {
	Info       Info               // the conversation afterwards
	New        bool               // the conversation was created
	First      int                // index of the first message added
	Messages   []dialogue.Message // those added, with ids and times filled in
	From       []int              // index in the addition of each of them; nil after an import
	TurnOf     []int              // turn of each of them
	Turns      []int              // the turns that got messages, ascending
	Asked      bool               // the conversation has a user message
	Duplicates []string           // ids of the messages that existed already, in the order of the addition
}

// Source returns the index in the addition of the i-th message added.
func (a *AppendResult) Source(i int) int {
	if a.From == nil {
		return i
	}
	return a.From[i]
}

// PreparedMessage is a checked addition: its messages are in their stored form, except for ids and
// times that depend on their position. It is immutable.
type PreparedMessage struct {
	id, title string
	messages  []dialogue.Message // without default times, which are set when they are staged
}

// Messages returns the messages in their stored form, except for ids and times that depend on their
// position.
func (p *PreparedMessage) Messages() []dialogue.Message { return p.messages }

// Prepare checks an addition to a conversation. An empty title keeps the existing one. Error:
// *InvalidError, for the first message that is refused.
func Prepare(id, title string, messages []dialogue.Message) (*PreparedMessage, error) {
	if err := checkID("conversationId", id); err != nil {
		return nil, fmt.Errorf("append: %w", err)
	}
	p := &PreparedMessage{id: id, title: valid(title), messages: make([]dialogue.Message, len(messages))}
	for i, m := range messages {
		var err error
		if p.messages[i], err = clean(m, i); err != nil {
			return nil, fmt.Errorf("append: %w", err)
		}
	}
	return p, nil
}

// Append stages the messages at the end of the conversation, which is created if the id is new. A
// user message opens a new turn. What precedes the first user message, a system prompt or a
// greeting, belongs to the first turn. Messages without a time get now.
//
// A message whose id is already in the conversation, in its shared past or in this addition is not
// added. A message without an id gets auto-<index>, followed by apostrophes if the conversation has
// a given id of that name. A given id that equals such a generated one refers to the same message
// if role and content are the same, and else to a message of its own.
//
// The cost is that of the added messages, whatever the length of the conversation. Errors:
// *InvalidError, with nothing staged; after any other error the batch must be discarded.
func (p *PreparedMessage) Append(tx store.Tx) (AppendResult, error) {
	return p.stage(draftOf(tx), tx.Now)
}

func (p *PreparedMessage) stage(tx draft, now time.Time) (AppendResult, error) {
	added, err := p.add(tx, now.UTC().Round(0))
	if err != nil {
		return AppendResult{}, fmt.Errorf("append: %w", err)
	}
	return added, nil
}

func (p *PreparedMessage) add(tx draft, now time.Time) (AppendResult, error) {
	if len(p.messages) == 0 {
		if _, err := Find(tx.View, p.id); errors.Is(err, ErrNotFound) {
			return AppendResult{}, &InvalidError{"messages", "a new conversation needs one at least"}
		}
	}
	g, err := openAppender(tx, p.id)
	if err != nil {
		return AppendResult{}, err
	}
	if p.title != "" {
		g.info.Title, g.info.titleFrom = p.title, titleGiven
	}
	for i, m := range p.messages {
		_, found, err := g.find(m)
		switch {
		case err != nil:
			return AppendResult{}, err
		case found:
			g.added.Duplicates = append(g.added.Duplicates, m.ID)
			continue
		}
		if m.At.IsZero() {
			m.At = now
		}
		if err := g.put(entry{Message: m}); err != nil {
			return AppendResult{}, err
		}
		g.added.From = append(g.added.From, i)
	}
	return g.close()
}

// Group stages several additions into one batch: each sees what those before it have staged. Not
// safe for concurrent use; the workspace must not be changed otherwise until the batch is applied.
type Group struct {
	stage *stage
}

// NewGroup begins a group in a batch.
func NewGroup(tx store.Tx) *Group {
	return &Group{newStage(tx)}
}

// Append appends one addition. Errors: *InvalidError, with nothing staged; after any other error
// the whole batch must be discarded.
func (g *Group) Append(p *PreparedMessage, now time.Time) (AppendResult, error) {
	added, err := p.stage(g.stage.draft(), now)
	if err == nil && g.stage.err != nil {
		err = fmt.Errorf("append: %w", g.stage.err)
	}
	return added, err
}

// draft is the read and write side of an addition or a fork: a transaction, or a stage, which also
// reads what was staged before.
type draft struct {
	store.View
	writer
}

type writer interface {
	Set(key, value []byte)
	Delete(key []byte)
	Append(key, value []byte)
}

func draftOf(tx store.Tx) draft { return draft{tx.View, tx.Batch} }

// appender adds messages to one conversation. Since staged data is not readable, it keeps what it
// needs of that itself.
type appender struct {
	tx    draft
	info  Info
	was   Info // the state before
	added AppendResult
	given map[string]int // ids of messages added here to their indexes
	asked bool           // the conversation is known to have a user message
}

// openAppender starts with the conversation of an id, or with a new one.
func openAppender(tx draft, id string) (*appender, error) {
	g := &appender{tx: tx, given: make(map[string]int)}
	var err error
	g.info, err = Find(tx.View, id)
	if errors.Is(err, ErrNotFound) {
		g.added.New = true
		g.info, err = create(tx, id)
	}
	if err != nil {
		return nil, err
	}
	g.was = g.info
	g.added.First = g.info.Messages
	return g, nil
}

// create assigns the next number to an empty conversation. The caller must stage its record.
func create(tx draft, id string) (Info, error) {
	value, found, err := tx.Get(keyCounter(tx.Workspace))
	if err != nil {
		return Info{}, fmt.Errorf("read the last conversation's number: %w", err)
	}
	last, _, ok := store.TakeUint32(value)
	if found && !ok {
		return Info{}, fmt.Errorf("read the last conversation's number: %w", errDamaged)
	}
	number := store.AppendUint32(nil, last+1)
	tx.Set(keyCounter(tx.Workspace), number)
	tx.Set(keyID(tx.Workspace, id), number)
	return Info{Number: Number(last + 1), ID: id, titleFrom: titleNone}, nil
}

// newSession reports whether a message begins a session: more than four hours from the previous
// message, or more than one hour and on another day (UTC). Either of the two may be the later one,
// since imported times may run backwards.
func newSession(previous, at time.Time) bool {
	gap := at.Sub(previous).Abs()
	py, pm, pd := previous.UTC().Date()
	y, m, d := at.UTC().Date()
	return gap > 4*time.Hour || gap > time.Hour && (py != y || pm != m || pd != d)
}

// put stages a message at the end.
func (g *appender) put(e entry) error {
	i := &g.info
	if i.Messages >= maxCount {
		return fmt.Errorf("conversation %q is full", i.ID)
	}
	opens, err := g.opens(e)
	if err != nil {
		return err
	}
	if opens {
		g.openTurn()
	} else if i.Turns <= i.base().turns {
		if err := g.adoptTurn(); err != nil {
			return err
		}
	}
	if i.Messages == 0 || newSession(i.prevAt, e.At) {
		i.Sessions = append(i.Sessions, i.Messages)
		g.tx.Append(keySessions(g.tx.Workspace, i.Number), appendSession(nil, i.Messages))
	}
	if i.Messages == 0 || e.At.Before(i.StartedAt) {
		i.StartedAt = e.At
	}
	if i.Messages == 0 || e.At.After(i.LastAt) {
		i.LastAt = e.At
	}
	i.prevAt = e.At
	e.turn = i.Turns
	if err := g.name(&e); err != nil {
		return err
	}
	if i.titleFrom == titleNone && e.Role == dialogue.User {
		if title := makeTitle(e.Content); title != "" {
			i.Title, i.titleFrom = title, i.Messages
		}
	}
	g.tx.Set(keyMessage(g.tx.Workspace, i.Number, i.Messages), encodeEntry(e))
	i.Messages++
	g.added.Messages = append(g.added.Messages, e.Message)
	g.added.TurnOf = append(g.added.TurnOf, e.turn)
	return nil
}

// name assigns an id to a message without one, and stages the index entry of a given id.
func (g *appender) name(e *entry) error {
	if e.forgotten {
		return nil
	}
	if e.ID == "" {
		e.ID, e.made = madeID(g.info.Messages), true
		for {
			_, taken, err := g.findGiven(e.ID)
			if err != nil {
				return err
			}
			if !taken {
				break
			}
			e.ID += "'"
		}
	}
	if !e.made {
		g.given[e.ID] = g.info.Messages
		g.tx.Set(keyGiven(g.tx.Workspace, g.info.Number, e.ID), store.AppendUint32(nil, uint32(g.info.Messages)))
	}
	return nil
}

// opens reports whether a message begins a turn: the first message does, and each user message
// except the first one.
func (g *appender) opens(e entry) (bool, error) {
	switch {
	case g.info.Turns == 0:
		g.asked = e.Role == dialogue.User
		return true, nil
	case e.Role != dialogue.User:
		return false, nil
	case g.info.Turns == 1 && !g.asked:
		first := g.added.New // all messages are of this growth, and asked is set if one is a user's
		if !first {
			asked, err := Asked(g.tx.View, g.was)
			if err != nil {
				return false, err
			}
			first = !asked
		}
		g.asked = true
		return !first, nil
	}
	g.asked = true
	return true, nil
}

// Asked reports whether a conversation has a user message. It reads up to the first one, usually
// one message.
func Asked(view store.View, info Info) (asked bool, err error) {
	if info.Turns > 1 {
		return true, nil // a user message opened the second turn
	}
	err = eachEntry(view, info, 0, info.Messages, func(_ int, e entry) error {
		if asked = e.Role == dialogue.User; asked {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return asked, err
}

// openTurn begins a turn with the next message.
func (g *appender) openTurn() {
	i := &g.info
	g.closeTurn()
	i.Turns++
	i.lastFirst = i.Messages
	g.tx.Set(keyTurn(g.tx.Workspace, i.Number, i.Turns), encodeMark(mark{
		first: i.Messages, started: i.StartedAt, last: i.LastAt, previous: i.prevAt, sessions: len(i.Sessions),
	}))
}

// adoptTurn makes the last turn, which an ancestor holds, the conversation's own, because it
// continues here.
func (g *appender) adoptTurn() error {
	i := &g.info
	turn := i.Turns
	value, found, err := g.tx.Get(keyTurn(g.tx.Workspace, i.turnOwner(turn), turn))
	if err != nil || !found {
		return fmt.Errorf("read turn %d of conversation %d: %w", turn, i.Number, orDamaged(err))
	}
	g.tx.Set(keyTurn(g.tx.Workspace, i.Number, turn), value)
	past := append([]link(nil), i.past...)
	for k := range past {
		if past[k].turns >= turn {
			past[k].turns = turn - 1
			g.tx.Set(keySharer(g.tx.Workspace, past[k].number, i.Number), encodeShare(past[k]))
		}
	}
	i.past = past
	return nil
}

// closeTurn stages that the last turn waits for its versions, if it got messages here.
func (g *appender) closeTurn() {
	i := &g.info
	if i.Turns == 0 || i.Messages == g.was.Messages {
		return
	}
	count := i.Messages - i.lastFirst
	if i.Turns == g.was.Turns {
		before := g.was.Messages - g.was.lastFirst
		g.tx.Delete(keyPending(g.tx.Workspace, i.Number, i.Turns, before))
		g.tx.Append(keySizes(g.tx.Workspace, i.Number, i.Turns), encodeSize(i.Turns, count, Sizes{}))
	}
	setPending(g.tx, i.Number, i.Turns, count, 0)
	g.added.Turns = append(g.added.Turns, i.Turns)
}

// close stages the conversation's record.
func (g *appender) close() (AppendResult, error) {
	g.closeTurn()
	i, was := g.info, g.was
	if !g.added.New && (was.LastAt != i.LastAt) {
		g.tx.Delete(keyLatest(g.tx.Workspace, was.LastAt, i.Number))
	}
	if g.added.New || was.LastAt != i.LastAt {
		g.tx.Set(keyLatest(g.tx.Workspace, i.LastAt, i.Number), nil)
	}
	if g.added.New || was.Messages != i.Messages || was.Title != i.Title || was.titleFrom != i.titleFrom {
		g.tx.Set(keyInfo(g.tx.Workspace, i.Number), encodeInfo(i))
	}
	if !g.asked && !g.added.New {
		var err error
		if g.asked, err = Asked(g.tx.View, was); err != nil {
			return AppendResult{}, err
		}
	}
	g.added.Info, g.added.Asked = i, g.asked
	return g.added, nil
}

// orDamaged returns err, or errDamaged for a missing record that must exist.
func orDamaged(err error) error {
	if err != nil {
		return err
	}
	return errDamaged
}
