package conversation

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/memory/store"
)

// Fork stages a new conversation that begins with another's turns up to and including atTurn. It
// shares them: no message is copied, and neither conversation sees later additions to the other,
// not even to the last shared turn. Errors: ErrNotFound for the conversation or the turn, ErrExists
// for newID, *InvalidError.
func Fork(tx store.Tx, id string, atTurn int, newID string) (Info, error) {
	parent, err := Find(tx.View, id)
	if err != nil {
		return Info{}, fmt.Errorf("fork: %w", err)
	}
	_, end, err := Bounds(tx.View, parent, atTurn)
	if err != nil {
		return Info{}, fmt.Errorf("fork: %w", err)
	}
	info, err := fork(draftOf(tx), parent, end, newID)
	if err != nil {
		return Info{}, fmt.Errorf("fork: %w", err)
	}
	return info, nil
}

// fork creates a conversation that shares the parent's messages before index to, which may be
// within a turn.
func fork(tx draft, parent Info, to int, newID string) (Info, error) {
	if err := checkID("newConversationId", newID); err != nil {
		return Info{}, err
	}
	if _, err := Find(tx.View, newID); !errors.Is(err, ErrNotFound) {
		if err == nil {
			err = fmt.Errorf("conversation %q: %w", newID, ErrExists)
		}
		return Info{}, err
	}
	turn, err := TurnOf(tx.View, parent, to-1)
	if err != nil {
		return Info{}, err
	}
	first, end, err := Bounds(tx.View, parent, turn)
	if err != nil {
		return Info{}, err
	}
	state, err := stateAt(tx.View, parent, turn, to, end)
	if err != nil {
		return Info{}, err
	}
	info, err := create(tx, newID)
	if err != nil {
		return Info{}, err
	}
	info.Turns, info.Messages, info.lastFirst = turn, to, first
	info.StartedAt, info.LastAt, info.prevAt = state.started, state.last, state.previous
	info.Sessions = slices.Clone(parent.Sessions[:state.sessions])
	if parent.titleFrom == titleGiven || parent.titleFrom >= 0 && parent.titleFrom < to {
		info.Title, info.titleFrom = parent.Title, parent.titleFrom
	}
	open := turn == parent.Turns || to < end // then the parent's turn is, or will become, different from the fork's
	info.past = share(parent, turn, to, open)
	for _, l := range info.past {
		tx.Set(keySharer(tx.Workspace, l.number, info.Number), encodeShare(l))
	}
	tx.Set(keySessions(tx.Workspace, info.Number), encodeSessions(info.Sessions))
	tx.Set(keyInfo(tx.Workspace, info.Number), encodeInfo(info))
	tx.Set(keyLatest(tx.Workspace, info.LastAt, info.Number), nil)
	if open {
		return info, copyTurn(tx, parent, info)
	}
	return info, nil
}

// share returns the past of a fork at a message of a turn; open leaves the records of that turn to
// the fork.
func share(parent Info, turn, to int, open bool) []link {
	if open {
		turn--
	}
	var past []link
	var last link
	for _, l := range parent.links() {
		l.turns, l.messages = min(l.turns, turn), min(l.messages, to)
		if l.turns > last.turns || l.messages > last.messages {
			l.turns, l.messages = max(l.turns, last.turns), max(l.messages, last.messages)
			past, last = append(past, l), l
		}
	}
	return past
}

// stateAt returns the state of the conversation before the message at index to, which is in a turn
// that ends at end, or begins the next one. It reads at most the messages of that turn.
func stateAt(view store.View, info Info, turn, to, end int) (mark, error) {
	if to == info.Messages {
		return mark{
			first: to, started: info.StartedAt, last: info.LastAt, previous: info.prevAt, sessions: len(info.Sessions),
		}, nil
	}
	if to == end {
		return readMark(view, info, turn+1)
	}
	m, err := readMark(view, info, turn)
	if err != nil {
		return m, err
	}
	err = eachEntry(view, info, m.first, to, func(index int, e entry) error {
		if index == 0 || e.At.Before(m.started) {
			m.started = e.At
		}
		if index == 0 || e.At.After(m.last) {
			m.last = e.At
		}
		if index == 0 || newSession(m.previous, e.At) {
			m.sessions++
		}
		m.previous = e.At
		return nil
	})
	return m, err
}

func readMark(view store.View, info Info, turn int) (mark, error) {
	value, found, err := view.Get(keyTurn(view.Workspace, info.turnOwner(turn), turn))
	if err != nil || !found {
		return mark{}, fmt.Errorf("read turn %d of conversation %d: %w", turn, info.Number, orDamaged(err))
	}
	return decodeMark(value)
}

// copyTurn copies to a fork the records of its last turn: the mark, and the versions or the record
// that it waits for them.
func copyTurn(tx draft, parent, info Info) error {
	turn := info.Turns
	m, err := readMark(tx.View, parent, turn)
	if err != nil {
		return err
	}
	tx.Set(keyTurn(tx.Workspace, info.Number, turn), encodeMark(m))
	count := info.Messages - info.lastFirst
	v, ok, err := LoadVersions(tx.View, parent, turn)
	switch {
	case err != nil:
		return err
	case ok && v.Messages == count:
		putVersions(tx, info.Number, turn, v)
		return copyWritten(tx, parent.turnOwner(turn), info, turn, count)
	default:
		setPending(tx, info.Number, turn, count, 0)
	}
	return nil
}

// encodeShare encodes what a fork shares of a number.
func encodeShare(l link) []byte {
	return binary.AppendVarint(binary.AppendVarint([]byte{codecVersion}, int64(l.turns)), int64(l.messages))
}

// sharers returns the conversations that share what is stored under a number, and up to where; all
// of them exist.
func sharers(view store.View, n Number) ([]link, error) {
	prefix := keyOf(view.Workspace, kindSharer, n)
	var list []link
	err := view.Scan(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
		d := decode(value)
		list = append(list, link{number: Number(lastUint32(key)), turns: d.int(), messages: d.int()})
		return true, d.err()
	})
	if err != nil {
		return nil, fmt.Errorf("read forks of conversation %d: %w", n, err)
	}
	return list, nil
}
