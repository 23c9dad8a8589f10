package conversation

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/memory/store"
)

// Fork stages a new conversation that begins with another's turns up to atTurn, that one included. It shares them: no
// message is copied, and neither conversation sees what is added to the other later, not even to the last shared
// turn. Errors: ErrNotFound for the conversation or the turn, ErrExists for newID, *InvalidError.
func Fork(r store.Reader, b *store.Batch, ws store.Workspace, id string, atTurn int, newID string) (Info, error) {
	parent, err := Find(r, ws, id)
	if err != nil {
		return Info{}, fmt.Errorf("fork: %w", err)
	}
	_, end, err := bounds(r, ws, parent, atTurn)
	if err != nil {
		return Info{}, fmt.Errorf("fork: %w", err)
	}
	info, err := fork(r, b, ws, parent, end, newID)
	if err != nil {
		return Info{}, fmt.Errorf("fork: %w", err)
	}
	return info, nil
}

// fork makes a conversation that shares the parent's messages before index to, which may be within a turn.
func fork(r store.Reader, w writer, ws store.Workspace, parent Info, to int, newID string) (Info, error) {
	if err := checkID("newConversationId", newID); err != nil {
		return Info{}, err
	}
	if _, err := Find(r, ws, newID); !errors.Is(err, ErrNotFound) {
		if err == nil {
			err = fmt.Errorf("conversation %q: %w", newID, ErrExists)
		}
		return Info{}, err
	}
	turn, err := TurnOf(r, ws, parent, to-1)
	if err != nil {
		return Info{}, err
	}
	first, end, err := bounds(r, ws, parent, turn)
	if err != nil {
		return Info{}, err
	}
	state, err := stateAt(r, ws, parent, turn, to, end)
	if err != nil {
		return Info{}, err
	}
	info, err := create(r, w, ws, newID)
	if err != nil {
		return Info{}, err
	}
	info.Turns, info.Messages, info.lastFirst = turn, to, first
	info.StartedAt, info.LastAt, info.prevAt = state.started, state.last, state.previous
	info.Sessions = slices.Clone(parent.Sessions[:state.sessions])
	if parent.titleFrom == titleGiven || parent.titleFrom >= 0 && parent.titleFrom < to {
		info.Title, info.titleFrom = parent.Title, parent.titleFrom
	}
	open := turn == parent.Turns || to < end // then the parent's turn is or becomes another than the fork's
	info.past = share(parent, turn, to, open)
	for _, l := range info.past {
		w.Set(keySharer(ws, l.number, info.Number), encodeShare(l))
	}
	w.Set(keySessions(ws, info.Number), encodeSessions(info.Sessions))
	w.Set(keyInfo(ws, info.Number), encodeInfo(info))
	w.Set(keyLatest(ws, info.LastAt, info.Number), nil)
	if open {
		return info, copyTurn(r, w, ws, parent, info)
	}
	return info, nil
}

// share gives the past of a fork at a message of a turn; open leaves the records of that turn to the fork.
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

// stateAt gives the conversation as it was before the message at index to, which is in a turn that ends at end, or
// begins the next one. It reads the messages of that turn at most.
func stateAt(r store.Reader, ws store.Workspace, info Info, turn, to, end int) (mark, error) {
	if to == info.Messages {
		return mark{
			first: to, started: info.StartedAt, last: info.LastAt, previous: info.prevAt, sessions: len(info.Sessions),
		}, nil
	}
	if to == end {
		return readMark(r, ws, info, turn+1)
	}
	m, err := readMark(r, ws, info, turn)
	if err != nil {
		return m, err
	}
	err = eachEntry(r, ws, info, m.first, to, func(index int, e entry) error {
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

func readMark(r store.Reader, ws store.Workspace, info Info, turn int) (mark, error) {
	value, found, err := r.Get(keyTurn(ws, info.turnOwner(turn), turn))
	if err != nil || !found {
		return mark{}, fmt.Errorf("read turn %d of conversation %d: %w", turn, info.Number, orDamaged(err))
	}
	return decodeMark(value)
}

// copyTurn gives a fork the records of its last turn: the mark, and the versions or that it waits for them.
func copyTurn(r store.Reader, w writer, ws store.Workspace, parent, info Info) error {
	turn := info.Turns
	m, err := readMark(r, ws, parent, turn)
	if err != nil {
		return err
	}
	w.Set(keyTurn(ws, info.Number, turn), encodeMark(m))
	count := info.Messages - info.lastFirst
	v, ok, err := LoadVersions(r, ws, parent, turn)
	switch {
	case err != nil:
		return err
	case ok && v.Messages == count:
		putVersions(w, ws, info.Number, turn, v)
		return copyWritten(r, w, ws, parent.turnOwner(turn), info, turn, count)
	default:
		setPending(w, ws, info.Number, turn, count, 0)
	}
	return nil
}

// encodeShare is the value that tells what a fork shares of a number.
func encodeShare(l link) []byte {
	return binary.AppendVarint(binary.AppendVarint([]byte{codecVersion}, int64(l.turns)), int64(l.messages))
}

// sharers gives the conversations that share what is stored under a number, and up to where; all of them live.
func sharers(r store.Reader, ws store.Workspace, n Number) ([]link, error) {
	prefix := keyOf(ws, kindSharer, n)
	var list []link
	err := r.Scan(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
		d := decode(value)
		list = append(list, link{number: Number(lastUint32(key)), turns: d.int(), messages: d.int()})
		return true, d.err()
	})
	if err != nil {
		return nil, fmt.Errorf("read forks of conversation %d: %w", n, err)
	}
	return list, nil
}
