package conversation

import (
	"encoding/binary"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/contexture-dev/contexture/memory/store"
)

// PutArc stages a model's arc of a whole conversation, in the caller's encoding, and removes the
// conversation from the queue.
func PutArc(tx store.Tx, n Number, story []byte) {
	tx.Set(keyArc(tx.Workspace, n), story)
	tx.Delete(keyPendingArc(tx.Workspace, n))
}

// LoadArc returns what PutArc stored.
func LoadArc(view store.View, n Number) (story []byte, ok bool, err error) {
	story, ok, err = view.Get(keyArc(view.Workspace, n))
	if err != nil {
		return nil, false, fmt.Errorf("read model texts of conversation %d: %w", n, err)
	}
	return story, ok, nil
}

// WantArc stages that a conversation has changed since a model's arc.
func WantArc(tx store.Tx, n Number) {
	tx.Set(keyPendingArc(tx.Workspace, n), []byte{codecVersion})
}

// NoArc stages that a conversation does not wait for a model's arc.
func NoArc(tx store.Tx, n Number) { tx.Delete(keyPendingArc(tx.Workspace, n)) }

// PendingArcs returns up to limit conversations that have changed since a model's arc, the newest
// first.
func PendingArcs(view store.View, limit int) (list []Number, err error) {
	prefix := key(view.Workspace, kindPendingArc)
	err = view.ScanBack(prefix, store.PrefixEnd(prefix), func(key, _ []byte) (bool, error) {
		list = append(list, Number(lastUint32(key)))
		return len(list) < limit, nil
	})
	if err != nil {
		return nil, fmt.Errorf("read conversations for a model: %w", err)
	}
	return list, nil
}

// SummaryOf identifies a summary of a run of messages, both ends inclusive.
type SummaryOf struct {
	From, To int
	Tokens   int // the limit
	Level    string
	Encoding string // of Tokens
}

// PutSummary stages a model's summary of messages of a conversation; "" records that the model
// returned nothing usable.
func PutSummary(tx store.Tx, n Number, of SummaryOf, text string) {
	tx.Set(keySummary(tx.Workspace, n, of), appendText([]byte{codecVersion}, text))
}

// LoadSummary returns what PutSummary stored.
func LoadSummary(view store.View, n Number, of SummaryOf) (text string, ok bool, err error) {
	value, found, err := view.Get(keySummary(view.Workspace, n, of))
	if err == nil && found {
		d := decode(value)
		text = d.text()
		err = d.err()
	}
	if err != nil {
		return "", false, fmt.Errorf("read a summary of conversation %d: %w", n, err)
	}
	return text, found, nil
}

// removeArc stages the removal of a model's arc of a conversation and of its summaries of runs.
func removeArc(tx store.Tx, n Number) error {
	tx.Delete(keyArc(tx.Workspace, n))
	tx.Delete(keyPendingArc(tx.Workspace, n))
	prefix := keyOf(tx.Workspace, kindSummary, n)
	return removeRange(tx, prefix, store.PrefixEnd(prefix))
}

func keySummary(ws store.Workspace, n Number, of SummaryOf) []byte {
	b := appendText(appendText(nil, of.Level), of.Encoding)
	for _, v := range []int{of.From, of.To, of.Tokens} {
		b = binary.AppendVarint(b, int64(v))
	}
	sum := xxh3.Hash128(b).Bytes()
	return append(keyOf(ws, kindSummary, n), sum[:]...)
}
