package conversation

import (
	"encoding/binary"
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

// Sum is a hash of content.
type Sum [16]byte

// Written is what a model made of a turn. It is stored beside the versions by rules and does not
// replace them.
type Written struct {
	S, C, T  string // "" where the one by rules stays; all of them when the model returned nothing usable
	Messages int    // how many the turn had then; another number than now means that it is out of date
	Turns    int    // how many the conversation had then
	By       Sum    // hash of the question and the model
}

// UnwrittenTurn is a turn that a model may still make versions of.
type UnwrittenTurn struct {
	Conversation Number // that holds the turn
	Turn         int
	Messages     int // how many it has
	Content      Sum // of what the model would be asked
}

// WantWritten stages that a model may make versions of a turn, in the batch with those by rules. An
// earlier request for the turn is removed.
func WantWritten(tx store.Tx, u UnwrittenTurn) { wantWritten(draftOf(tx), u) }

func wantWritten(tx draft, u UnwrittenTurn) {
	tx.Set(keyUnwritten(tx.Workspace, u.Conversation, u.Turn), append(binary.AppendUvarint([]byte{codecVersion}, uint64(u.Messages)), u.Content[:]...))
}

// Unwritten returns up to limit turns that a model may still make versions of, the newest
// conversation's newest turn first.
func Unwritten(view store.View, limit int) ([]UnwrittenTurn, error) {
	var list []UnwrittenTurn
	if limit < 1 {
		return nil, nil
	}
	prefix := key(view.Workspace, kindUnwritten)
	err := view.ScanBack(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
		u, err := decodeUnwritten(key[len(prefix):], value)
		list = append(list, u)
		return len(list) < limit, err
	})
	if err != nil {
		return nil, fmt.Errorf("read turns for a model: %w", err)
	}
	return list, nil
}

func decodeUnwritten(rest, value []byte) (UnwrittenTurn, error) {
	if len(rest) != 8 || len(value) < 1 || value[0] != codecVersion {
		return UnwrittenTurn{}, errDamaged
	}
	messages, size := binary.Uvarint(value[1:])
	if size <= 0 || len(value) != 1+size+len(Sum{}) {
		return UnwrittenTurn{}, errDamaged
	}
	return UnwrittenTurn{
		Conversation: Number(binary.BigEndian.Uint32(rest)), Turn: int(binary.BigEndian.Uint32(rest[4:])),
		Messages: int(messages), Content: Sum(value[1+size:]),
	}, nil
}

// IsUnwritten reports whether a turn returned by Unwritten still waits in the same state: nothing
// was added to it or forgotten, and it was not deleted.
func IsUnwritten(view store.View, u UnwrittenTurn) (bool, error) {
	now, found, err := unwritten(view, u.Conversation, u.Turn)
	return found && now == u, err
}

func unwritten(view store.View, n Number, turn int) (u UnwrittenTurn, found bool, err error) {
	k := keyUnwritten(view.Workspace, n, turn)
	value, found, err := view.Get(k)
	if err == nil && found {
		u, err = decodeUnwritten(k[len(k)-8:], value)
	}
	if err != nil {
		return u, false, fmt.Errorf("read turns for a model: %w", err)
	}
	return u, found, nil
}

// WaitsForModel reports whether a model may still make versions of a turn with the given number of
// messages.
func WaitsForModel(view store.View, info Info, turn, messages int) (bool, error) {
	u, found, err := unwritten(view, info.turnOwner(turn), turn)
	return found && u.Messages == messages, err
}

// PutWritten stages what a model made of a turn, or without text that it returned nothing usable,
// and removes the turn from the queue. The caller must check with IsUnwritten, under the lock that
// it holds until the batch is applied.
func PutWritten(tx store.Tx, u UnwrittenTurn, w Written) error {
	old, ok, err := loadWritten(tx.View, u.Conversation, u.Turn)
	if err != nil {
		return err
	}
	if ok {
		tx.Delete(keyAnswered(tx.Workspace, old.By))
	}
	putWritten(draftOf(tx), u.Conversation, u.Turn, w)
	tx.Delete(keyUnwritten(tx.Workspace, u.Conversation, u.Turn))
	return nil
}

// NotWritten stages that a turn no longer waits: there is nothing to ask about it.
func NotWritten(tx store.Tx, u UnwrittenTurn) {
	tx.Delete(keyUnwritten(tx.Workspace, u.Conversation, u.Turn))
}

func putWritten(tx draft, n Number, turn int, w Written) {
	b := appendInt(appendInt([]byte{codecVersion}, w.Messages), w.Turns)
	b = appendText(appendText(appendText(appendText(b, string(w.By[:])), w.S), w.C), w.T)
	tx.Set(keyWritten(tx.Workspace, n, turn), b)
	tx.Set(keyAnswered(tx.Workspace, w.By), store.AppendUint32(store.AppendUint32(nil, uint32(n)), uint32(turn)))
}

func decodeWritten(value []byte) (Written, error) {
	d := decode(value)
	w := Written{Messages: d.int(), Turns: d.int()}
	by := d.text()
	w.S, w.C, w.T = d.text(), d.text(), d.text()
	if len(by) != len(w.By) {
		return Written{}, errDamaged
	}
	copy(w.By[:], by)
	return w, d.err()
}

// LoadWritten returns what a model made of a turn; ok is false when there is nothing. It may be out
// of date.
func LoadWritten(view store.View, info Info, turn int) (w Written, ok bool, err error) {
	return loadWritten(view, info.turnOwner(turn), turn)
}

func loadWritten(view store.View, n Number, turn int) (w Written, ok bool, err error) {
	value, found, err := view.Get(keyWritten(view.Workspace, n, turn))
	if err == nil && found {
		w, err = decodeWritten(value)
	}
	if err != nil {
		return Written{}, false, fmt.Errorf("read model texts of turn %d of conversation %d: %w", turn, n, err)
	}
	return w, found, nil
}

// Answered returns what a model made of the same content before, in any conversation of the
// workspace.
func Answered(view store.View, by Sum) (w Written, ok bool, err error) {
	value, found, err := view.Get(keyAnswered(view.Workspace, by))
	if err != nil || !found || len(value) != 8 {
		return Written{}, false, err
	}
	n, turn := binary.BigEndian.Uint32(value), binary.BigEndian.Uint32(value[4:])
	w, ok, err = loadWritten(view, Number(n), int(turn))
	return w, ok && w.By == by, err
}

// copyWritten copies to a fork what a model made of its last turn, or the record that the turn
// waits for it.
func copyWritten(tx draft, parent Number, info Info, turn, messages int) error {
	made, ok, err := loadWritten(tx.View, parent, turn)
	if err != nil {
		return err
	}
	if ok && made.Messages == messages {
		made.Turns = min(made.Turns, info.Turns)
		putWritten(tx, info.Number, turn, made)
		return nil
	}
	u, ok, err := unwritten(tx.View, parent, turn)
	if err == nil && ok && u.Messages == messages {
		u.Conversation = info.Number
		wantWritten(tx, u)
	}
	return err
}

// removeWritten stages the removal of all that a model made of the turns from … to of a number, and
// of the requests for them.
func removeWritten(tx store.Tx, n Number, from, to int) error {
	err := tx.Scan(keyWritten(tx.Workspace, n, from), keyWritten(tx.Workspace, n, to+1), func(key, value []byte) (bool, error) {
		made, err := decodeWritten(value)
		if err == nil {
			tx.Delete(keyAnswered(tx.Workspace, made.By))
		}
		tx.Delete(append([]byte{}, key...))
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("remove model texts of conversation %d: %w", n, err)
	}
	return removeRange(tx, keyUnwritten(tx.Workspace, n, from), keyUnwritten(tx.Workspace, n, to+1))
}

// removeRange deletes keys individually, so that nothing is staged when there are none.
func removeRange(tx store.Tx, lower, upper []byte) error {
	err := tx.Scan(lower, upper, func(key, _ []byte) (bool, error) {
		tx.Delete(append([]byte{}, key...))
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("remove model texts: %w", err)
	}
	return nil
}
