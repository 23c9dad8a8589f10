package conversation

import (
	"errors"
	"fmt"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// Messages returns the messages from index from up to, but not including, to; both are clamped to
// the existing ones.
func Messages(view store.View, info Info, from, to int) ([]dialogue.Message, error) {
	from, to = max(from, 0), min(to, info.Messages)
	if from >= to {
		return nil, nil
	}
	list := make([]dialogue.Message, 0, to-from)
	err := eachEntry(view, info, from, to, func(_ int, e entry) error {
		list = append(list, e.Message)
		return nil
	})
	return list, err
}

// MessagesWithTurns is Messages with the number of each message's turn.
func MessagesWithTurns(view store.View, info Info, from, to int) (msgs []dialogue.Message, turns []int, err error) {
	from, to = max(from, 0), min(to, info.Messages)
	if from >= to {
		return nil, nil, nil
	}
	msgs, turns = make([]dialogue.Message, 0, to-from), make([]int, 0, to-from)
	err = eachEntry(view, info, from, to, func(_ int, e entry) error {
		msgs, turns = append(msgs, e.Message), append(turns, e.turn)
		return nil
	})
	return msgs, turns, err
}

// Each calls f for all messages of a workspace as they are stored, with their turns: by the number
// of their conversation, each once even if forks share it, without forgotten ones. An error of f
// ends it and is returned.
func Each(view store.View, f func(n Number, index, turn int, m dialogue.Message) error) error {
	prefix := key(view.Workspace, kindMessage)
	return view.Scan(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
		n, rest, ok := store.TakeUint32(key[len(prefix):])
		index, _, ok2 := store.TakeUint32(rest)
		if !ok || !ok2 {
			return false, errDamaged
		}
		e, err := decodeEntry(value)
		if err != nil {
			return false, fmt.Errorf("read message %d of conversation %d: %w", index, n, err)
		}
		if e.forgotten {
			return true, nil
		}
		return true, f(Number(n), int(index), e.turn, e.Message)
	})
}

// eachEntry calls f for the messages from index from up to, but not including, to. All of them must
// exist.
func eachEntry(view store.View, info Info, from, to int, f func(index int, e entry) error) error {
	at := from
	for _, s := range info.Spans() {
		upper := min(s.To, to)
		if at < s.From || at >= upper {
			continue
		}
		err := view.Scan(keyMessage(view.Workspace, s.Conversation, at), keyMessage(view.Workspace, s.Conversation, upper), func(key, value []byte) (bool, error) {
			if int(lastUint32(key)) != at {
				return false, errDamaged
			}
			e, err := decodeEntry(value)
			if err != nil {
				return false, err
			}
			err = f(at, e)
			at++
			return true, err
		})
		if err == nil && at < upper {
			err = errDamaged
		}
		if err != nil {
			return fmt.Errorf("read message %d of conversation %d: %w", at, info.Number, err)
		}
	}
	return nil
}

func readEntry(view store.View, info Info, index int) (entry, error) {
	value, found, err := view.Get(keyMessage(view.Workspace, info.messageOwner(index), index))
	if err != nil || !found {
		return entry{}, fmt.Errorf("read message %d of conversation %d: %w", index, info.Number, orDamaged(err))
	}
	return decodeEntry(value)
}

// Turn returns a turn with its messages. Error: ErrNotFound.
func Turn(view store.View, info Info, number int) (dialogue.Turn, error) {
	turns, err := Turns(view, info, number, number)
	if err != nil {
		return dialogue.Turn{}, err
	}
	if len(turns) == 0 {
		return dialogue.Turn{}, fmt.Errorf("turn %d of conversation %q: %w", number, info.ID, ErrNotFound)
	}
	return turns[0], nil
}

// Turns returns the turns from number from to number to, inclusive and clamped to the existing
// ones.
func Turns(view store.View, info Info, from, to int) ([]dialogue.Turn, error) {
	from, to = max(from, 1), min(to, info.Turns)
	if from > to {
		return nil, nil
	}
	borders, err := turnBorders(view, info, from, to)
	if err != nil {
		return nil, err
	}
	messages, err := Messages(view, info, borders[0], borders[len(borders)-1])
	if err != nil {
		return nil, err
	}
	turns := make([]dialogue.Turn, to-from+1)
	for i := range turns {
		n := borders[i+1] - borders[i]
		turns[i] = dialogue.Turn{Number: from + i, First: borders[i], Messages: messages[:n:n]}
		messages = messages[n:]
	}
	return turns, nil
}

// MessageCount returns how many messages a turn has, without reading them. Error: ErrNotFound.
func MessageCount(view store.View, info Info, turn int) (int, error) {
	first, end, err := Bounds(view, info, turn)
	return end - first, err
}

// Bounds returns the index of a turn's first message and the one after its last. Error:
// ErrNotFound.
func Bounds(view store.View, info Info, turn int) (first, end int, err error) {
	if turn < 1 || turn > info.Turns {
		return 0, 0, fmt.Errorf("turn %d of conversation %q: %w", turn, info.ID, ErrNotFound)
	}
	borders, err := turnBorders(view, info, turn, turn)
	if err != nil {
		return 0, 0, err
	}
	return borders[0], borders[1], nil
}

// turnBorders returns the first messages' indexes of the turns from … to, which must exist, and the
// index after the last.
func turnBorders(view store.View, info Info, from, to int) ([]int, error) {
	borders := make([]int, 0, to-from+2)
	for _, l := range info.links() {
		last := min(l.turns, to+1)
		if l.number == info.Number && info.ID == "" {
			last = to + 1 // the remnant of a deleted conversation has one mark more than turns, see shrink
		}
		next := from + len(borders)
		if next > last {
			continue
		}
		err := view.Scan(keyTurn(view.Workspace, l.number, next), keyTurn(view.Workspace, l.number, last+1), func(key, value []byte) (bool, error) {
			m, err := decodeMark(value)
			if int(lastUint32(key)) != from+len(borders) {
				err = errDamaged
			}
			borders = append(borders, min(m.first, info.Messages))
			return true, err
		})
		if err != nil {
			return nil, fmt.Errorf("read turns of conversation %d: %w", info.Number, err)
		}
	}
	if to == info.Turns && len(borders) == to-from+1 {
		borders = append(borders, info.Messages)
	}
	if len(borders) != to-from+2 {
		return nil, fmt.Errorf("read turns %d to %d of conversation %d: %w", from, to, info.Number, errDamaged)
	}
	return borders, nil
}

// TurnOf returns the number of a message's turn. Error: ErrNotFound.
func TurnOf(view store.View, info Info, message int) (int, error) {
	turns, err := TurnsOf(view, info, []int{message})
	if err != nil {
		return 0, err
	}
	return turns[0], nil
}

// TurnsOf returns the number of each message's turn. It reads one record per message, not the
// texts. Error: ErrNotFound for an index that the conversation does not have.
func TurnsOf(view store.View, info Info, messages []int) ([]int, error) {
	turns := make([]int, len(messages))
	for i, index := range messages {
		if index < 0 || index >= info.Messages {
			return nil, fmt.Errorf("message %d of conversation %q: %w", index, info.ID, ErrNotFound)
		}
		lower := keyMessage(view.Workspace, info.messageOwner(index), index)
		err := view.Scan(lower, append(lower[:len(lower):len(lower)], 0), func(_, value []byte) (_ bool, err error) {
			turns[i], err = turnOfEntry(value)
			return false, err
		})
		if err == nil && turns[i] == 0 {
			err = errDamaged
		}
		if err != nil {
			return nil, fmt.Errorf("read message %d of conversation %d: %w", index, info.Number, err)
		}
	}
	return turns, nil
}

// Given returns which of some ids were given to messages of a conversation. The conversation need
// not exist.
func Given(view store.View, id string, messages []string) (map[string]bool, error) {
	info, err := Find(view, id)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, message := range messages {
		_, found, err := givenIndex(view, info, message)
		if err != nil {
			return nil, err
		}
		if found {
			out[message] = true
		}
	}
	return out, nil
}

// givenIndex returns the index of the message of a conversation with a given id.
func givenIndex(view store.View, info Info, id string) (index int, found bool, err error) {
	if id == "" {
		return 0, false, nil
	}
	for _, l := range info.links() {
		value, found, err := view.Get(keyGiven(view.Workspace, l.number, id))
		if err != nil {
			return 0, false, fmt.Errorf("find message: %w", err)
		}
		if n, _, ok := store.TakeUint32(value); found && ok && int(n) < l.messages {
			return int(n), true, nil
		}
	}
	return 0, false, nil
}

// TurnWith returns the turn of the message with a given id. found is false when there is none.
func TurnWith(view store.View, id, message string) (turn int, found bool, err error) {
	info, err := Find(view, id)
	if errors.Is(err, ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	index, found, err := givenIndex(view, info, message)
	if err != nil || !found {
		return 0, false, err
	}
	e, err := readEntry(view, info, index)
	return e.turn, err == nil, err
}
