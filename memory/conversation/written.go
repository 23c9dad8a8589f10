package conversation

import (
	"encoding/binary"
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

// Sum stands for a content.
type Sum [16]byte

// Written is what a model made of a turn. It stands beside the versions by rules and does not replace them.
type Written struct {
	S, C, T  string // "" where the one by rules stays; all of them where the model gave nothing of use
	Messages int    // how many the turn had then; another number than it has now means that it is out of date
	Turns    int    // how many the conversation had then
	By       Sum    // what was asked of which model
}

// UnwrittenTurn is a turn that a model may still make versions of.
type UnwrittenTurn struct {
	Conversation Number // that holds the turn
	Turn         int
	Messages     int // how many it has
	Content      Sum // of what the model would be asked about
}

// WantWritten stages that a model may make versions of a turn, in the batch with those by rules. What was wanted of the
// turn as it was before is forgotten.
func WantWritten(b *store.Batch, ws store.Workspace, u UnwrittenTurn) { wantWritten(b, ws, u) }

func wantWritten(w writer, ws store.Workspace, u UnwrittenTurn) {
	w.Set(keyUnwritten(ws, u.Conversation, u.Turn), append(binary.AppendUvarint([]byte{codecVersion}, uint64(u.Messages)), u.Content[:]...))
}

// Unwritten gives up to limit turns that a model may still make versions of, the newest conversation's newest turn first.
func Unwritten(r store.Reader, ws store.Workspace, limit int) ([]UnwrittenTurn, error) {
	var list []UnwrittenTurn
	if limit < 1 {
		return nil, nil
	}
	prefix := key(ws, kindUnwritten)
	err := r.ScanBack(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
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

// IsUnwritten tells whether a turn still waits as it did when Unwritten named it: nothing was added to it, forgotten of
// it, and it was not deleted.
func IsUnwritten(r store.Reader, ws store.Workspace, u UnwrittenTurn) (bool, error) {
	now, found, err := unwritten(r, ws, u.Conversation, u.Turn)
	return found && now == u, err
}

func unwritten(r store.Reader, ws store.Workspace, n Number, turn int) (u UnwrittenTurn, found bool, err error) {
	k := keyUnwritten(ws, n, turn)
	value, found, err := r.Get(k)
	if err == nil && found {
		u, err = decodeUnwritten(k[len(k)-8:], value)
	}
	if err != nil {
		return u, false, fmt.Errorf("read turns for a model: %w", err)
	}
	return u, found, nil
}

// WaitsForModel tells whether a model may still make versions of a turn of so many messages.
func WaitsForModel(r store.Reader, ws store.Workspace, info Info, turn, messages int) (bool, error) {
	u, found, err := unwritten(r, ws, info.turnOwner(turn), turn)
	return found && u.Messages == messages, err
}

// PutWritten stages what a model made of a turn, or with no text that it gave nothing of use, and that the turn does not
// wait any more. The caller checks with IsUnwritten, under the lock that it holds until the batch is applied.
func PutWritten(r store.Reader, b *store.Batch, ws store.Workspace, u UnwrittenTurn, w Written) error {
	old, ok, err := loadWritten(r, ws, u.Conversation, u.Turn)
	if err != nil {
		return err
	}
	if ok {
		b.Delete(keyAnswered(ws, old.By))
	}
	putWritten(b, ws, u.Conversation, u.Turn, w)
	b.Delete(keyUnwritten(ws, u.Conversation, u.Turn))
	return nil
}

// NotWritten stages that a turn does not wait any more: there is nothing to ask about it.
func NotWritten(b *store.Batch, ws store.Workspace, u UnwrittenTurn) {
	b.Delete(keyUnwritten(ws, u.Conversation, u.Turn))
}

func putWritten(to writer, ws store.Workspace, n Number, turn int, w Written) {
	b := appendInt(appendInt([]byte{codecVersion}, w.Messages), w.Turns)
	b = appendText(appendText(appendText(appendText(b, string(w.By[:])), w.S), w.C), w.T)
	to.Set(keyWritten(ws, n, turn), b)
	to.Set(keyAnswered(ws, w.By), store.AppendUint32(store.AppendUint32(nil, uint32(n)), uint32(turn)))
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

// LoadWritten gives what a model made of a turn; ok is false where there is none. It may be out of date.
func LoadWritten(r store.Reader, ws store.Workspace, info Info, turn int) (w Written, ok bool, err error) {
	return loadWritten(r, ws, info.turnOwner(turn), turn)
}

func loadWritten(r store.Reader, ws store.Workspace, n Number, turn int) (w Written, ok bool, err error) {
	value, found, err := r.Get(keyWritten(ws, n, turn))
	if err == nil && found {
		w, err = decodeWritten(value)
	}
	if err != nil {
		return Written{}, false, fmt.Errorf("read what a model made of turn %d of conversation %d: %w", turn, n, err)
	}
	return w, found, nil
}

// Answered gives what a model made of the same content before, in any conversation of the workspace.
func Answered(r store.Reader, ws store.Workspace, by Sum) (w Written, ok bool, err error) {
	value, found, err := r.Get(keyAnswered(ws, by))
	if err != nil || !found || len(value) != 8 {
		return Written{}, false, err
	}
	n, turn := binary.BigEndian.Uint32(value), binary.BigEndian.Uint32(value[4:])
	w, ok, err = loadWritten(r, ws, Number(n), int(turn))
	return w, ok && w.By == by, err
}

// copyWritten gives a fork what a model made of its last turn, or that it waits for it.
func copyWritten(r store.Reader, w writer, ws store.Workspace, parent Number, info Info, turn, messages int) error {
	made, ok, err := loadWritten(r, ws, parent, turn)
	if err != nil {
		return err
	}
	if ok && made.Messages == messages {
		made.Turns = min(made.Turns, info.Turns)
		putWritten(w, ws, info.Number, turn, made)
		return nil
	}
	u, ok, err := unwritten(r, ws, parent, turn)
	if err == nil && ok && u.Messages == messages {
		u.Conversation = info.Number
		wantWritten(w, ws, u)
	}
	return err
}

// removeWritten stages the removal of all that a model made of the turns from … to of a number, and of what is to be
// made of them.
func removeWritten(r store.Reader, w writer, ws store.Workspace, n Number, from, to int) error {
	err := r.Scan(keyWritten(ws, n, from), keyWritten(ws, n, to+1), func(key, value []byte) (bool, error) {
		made, err := decodeWritten(value)
		if err == nil {
			w.Delete(keyAnswered(ws, made.By))
		}
		w.Delete(append([]byte{}, key...))
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("remove what a model made of conversation %d: %w", n, err)
	}
	return removeRange(r, w, keyUnwritten(ws, n, from), keyUnwritten(ws, n, to+1))
}

// removeRange is DeleteRange for a writer that has none.
func removeRange(r store.Reader, w writer, lower, upper []byte) error {
	err := r.Scan(lower, upper, func(key, _ []byte) (bool, error) {
		w.Delete(append([]byte{}, key...))
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("remove what a model made: %w", err)
	}
	return nil
}
