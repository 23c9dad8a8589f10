package conversation

import (
	"encoding/binary"
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

// PendingTurn is a turn that waits for its versions: it has none, or got messages since they were
// made.
type PendingTurn struct {
	Conversation Number // that holds the turn; it may be deleted while forks share the turn
	Turn         int
	Messages     int // how many it has
	generation   int // changes when messages of the turn are forgotten
}

// Pending returns up to limit turns that wait for their versions, the newest conversation's newest
// turn first, so that current talk does not wait for imports.
func Pending(view store.View, limit int) ([]PendingTurn, error) {
	var list []PendingTurn
	if limit < 1 {
		return nil, nil
	}
	prefix := key(view.Workspace, kindPending)
	err := view.ScanBack(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
		p, err := decodePending(key[len(prefix):], value)
		list = append(list, p)
		return len(list) < limit, err
	})
	if err != nil {
		return nil, fmt.Errorf("read turns without versions: %w", err)
	}
	return list, nil
}

func decodePending(rest, value []byte) (PendingTurn, error) {
	if len(rest) != 12 {
		return PendingTurn{}, errDamaged
	}
	generation, size := binary.Uvarint(value)
	if size <= 0 {
		return PendingTurn{}, errDamaged
	}
	return PendingTurn{
		Conversation: Number(binary.BigEndian.Uint32(rest)),
		Turn:         int(binary.BigEndian.Uint32(rest[4:])),
		Messages:     int(binary.BigEndian.Uint32(rest[8:])),
		generation:   int(generation),
	}, nil
}

// IsPending reports whether a turn returned by Pending still waits in the same state: nothing was
// added to it or forgotten, and it was not deleted.
func IsPending(view store.View, p PendingTurn) (bool, error) {
	value, found, err := view.Get(keyPending(view.Workspace, p.Conversation, p.Turn, p.Messages))
	if err != nil {
		return false, fmt.Errorf("read turns without versions: %w", err)
	}
	generation, _ := binary.Uvarint(value)
	return found && int(generation) == p.generation, nil
}

func setPending(tx draft, n Number, turn, messages, generation int) {
	tx.Set(keyPending(tx.Workspace, n, turn, messages), binary.AppendUvarint(nil, uint64(generation)))
}

// renew queues a turn again after messages of it were forgotten.
func renew(tx store.Tx, n Number, turn, messages int) error {
	k := keyPending(tx.Workspace, n, turn, messages)
	value, _, err := tx.Get(k)
	if err != nil {
		return fmt.Errorf("read turns without versions: %w", err)
	}
	generation, _ := binary.Uvarint(value)
	setPending(draftOf(tx), n, turn, messages, int(generation)+1)
	return nil
}
