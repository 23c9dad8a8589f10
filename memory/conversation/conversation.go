// Package conversation keeps the conversations of a workspace in the store: their messages, turns,
// the versions of turns, and how forks share their past. Every function works on one workspace;
// those that change something read through a Reader and stage into a Batch, and the caller applies
// the batch before it calls the next one for the same workspace. Nothing here commits, locks, or
// reads a clock.
//
// A conversation has a number. Its own content is stored under that number, and messages and turns
// are numbered continuously: a fork at message 7 begins its own at index 7. So a fork needs no
// copy, and a position (number, message) means the same in every conversation that shares it. A
// deleted conversation that existing forks share stays as a remnant: its number and the shared
// messages, without a name (Info.ID is empty). What no existing conversation shares is removed.
// messages, without a name (Info.ID is empty). What no living conversation shares is removed.
package conversation

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// Number identifies a conversation within its workspace; it is never reused.
type Number uint32

// Errors to test for with errors.Is.
var (
	// ErrNotFound: there is no such conversation, or no such turn in it.
	ErrNotFound = errors.New("not found")
	// ErrExists: a conversation has that id already.
	ErrExists = errors.New("exists already")
)

// InvalidError names the invalid field of an argument; the field is written as in messages[3].role.
type InvalidError struct{ Field, Reason string }

func (e *InvalidError) Error() string { return e.Field + ": " + e.Reason }

// Info is the data of a conversation without its messages, as of the moment it was read.
type Info struct {
	Number Number
	// ID is empty for the remnant of a deleted conversation that forks share.
	ID string
	// Title is the given title, or else the first sentence of the first user message that has one.
	Title string
	// Turns and Messages count the whole past, including the shared part.
	Turns, Messages int
	// StartedAt and LastAt are the earliest and the latest time of a message, in UTC.
	StartedAt, LastAt time.Time
	// Sessions are the indexes of each session's first message, ascending; see newSession.
	Sessions []int

	titleFrom int       // index of the message from which the title was made; titleGiven or titleNone otherwise
	prevAt    time.Time // of the last message
	lastFirst int       // index of the last turn's first message
	past      []link    // what belongs to other numbers, oldest first
}

// Values of Info.titleFrom other than an index.
const (
	titleNone  = -1 // no message had one yet
	titleGiven = -2
)

// link is a span of a fork's past: everything from the end of the previous link (or from the
// beginning) up to these ends is stored under another number. There are two ends because a turn
// that continued after the fork has messages of the ancestor, yet is the fork's own turn.
type link struct {
	number   Number
	turns    int // the last turn stored there
	messages int // index after the last message stored there
}

// Span is a half-open range of messages stored under a conversation's number. Indexes count through
// the whole past.
type Span struct {
	Conversation Number
	From, To     int
}

// Part is a range of messages that were removed from the store, as they were.
type Part struct {
	Conversation Number // the number they were stored under
	First        int    // index of the first
	Messages     []dialogue.Message
	TurnOf       []int // the turn of each
}

// Find returns the conversation with an id. Error: ErrNotFound.
func Find(view store.View, id string) (Info, error) {
	value, found, err := view.Get(keyID(view.Workspace, id))
	if err != nil {
		return Info{}, fmt.Errorf("find conversation: %w", err)
	}
	if !found {
		return Info{}, fmt.Errorf("conversation %q: %w", id, ErrNotFound)
	}
	number, _, ok := store.TakeUint32(value)
	if !ok {
		return Info{}, fmt.Errorf("find conversation %q: %w", id, errDamaged)
	}
	return ByNumber(view, Number(number))
}

// ByNumber returns the conversation with a number, or the remnant of a deleted one. Error:
// ErrNotFound.
func ByNumber(view store.View, n Number) (Info, error) {
	value, found, err := view.Get(keyInfo(view.Workspace, n))
	if err != nil {
		return Info{}, fmt.Errorf("read conversation %d: %w", n, err)
	}
	if !found {
		return Info{}, fmt.Errorf("conversation %d: %w", n, ErrNotFound)
	}
	info, err := decodeInfo(n, value)
	if err != nil {
		return Info{}, err
	}
	value, _, err = view.Get(keySessions(view.Workspace, n))
	if err != nil {
		return Info{}, fmt.Errorf("read sessions of conversation %d: %w", n, err)
	}
	info.Sessions, err = decodeSessions(value)
	if err != nil {
		return Info{}, fmt.Errorf("read sessions of conversation %d: %w", n, err)
	}
	return info, nil
}

// Spans returns where the whole past is stored, oldest first: what a fork shares belongs to its
// ancestors' numbers.
func (i Info) Spans() []Span {
	var spans []Span
	from := 0
	for _, l := range i.links() {
		if l.messages > from {
			spans = append(spans, Span{Conversation: l.number, From: from, To: l.messages})
			from = l.messages
		}
	}
	return spans
}

// links returns all spans of the past, the conversation's own as the last.
func (i Info) links() []link {
	return append(slices.Clip(i.past), link{number: i.Number, turns: i.Turns, messages: i.Messages})
}

// base returns the beginning of the conversation's own part: the turns and messages before it are
// stored under other numbers.
func (i Info) base() link {
	if len(i.past) == 0 {
		return link{}
	}
	return i.past[len(i.past)-1]
}

// turnOwner returns the number under which a turn's records are stored.
func (i Info) turnOwner(turn int) Number {
	for _, l := range i.past {
		if turn <= l.turns {
			return l.number
		}
	}
	return i.Number
}

// messageOwner returns the number under which a message is stored.
func (i Info) messageOwner(index int) Number {
	for _, l := range i.past {
		if index < l.messages {
			return l.number
		}
	}
	return i.Number
}

// Living returns an existing conversation that contains a message stored under a number: the
// conversation of that number or, if it was deleted, a fork that shares the message. Error:
// ErrNotFound.
func Living(view store.View, n Number, message int) (Info, error) {
	info, err := ByNumber(view, n)
	if err != nil || info.ID != "" && message < info.Messages {
		return info, err
	}
	sharers, err := sharers(view, n)
	if err != nil {
		return Info{}, err
	}
	for _, s := range sharers {
		if message < s.messages {
			return ByNumber(view, s.number)
		}
	}
	return Info{}, fmt.Errorf("message %d of conversation %d: %w", message, n, ErrNotFound)
}
