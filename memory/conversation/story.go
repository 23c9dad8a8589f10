package conversation

import (
	"encoding/binary"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/contexture-dev/contexture/memory/store"
)

// PutStory stages a model's arc of a whole conversation, in the caller's encoding, and removes the
// conversation from the queue.
func PutStory(tx store.Tx, n Number, story []byte) {
	tx.Set(keyStory(tx.Workspace, n), story)
	tx.Delete(keyUntold(tx.Workspace, n))
}

// LoadStory returns what PutStory stored.
func LoadStory(view store.View, n Number) (story []byte, ok bool, err error) {
	story, ok, err = view.Get(keyStory(view.Workspace, n))
	if err != nil {
		return nil, false, fmt.Errorf("read what a model wrote of conversation %d: %w", n, err)
	}
	return story, ok, nil
}

// WantStory stages that a conversation has changed since a model's arc.
func WantStory(tx store.Tx, n Number) {
	tx.Set(keyUntold(tx.Workspace, n), []byte{codecVersion})
}

// NoStory stages that a conversation does not wait for a model's arc.
func NoStory(tx store.Tx, n Number) { tx.Delete(keyUntold(tx.Workspace, n)) }

// Untold returns up to limit conversations that have changed since a model's arc, the newest first.
func Untold(view store.View, limit int) (list []Number, err error) {
	prefix := key(view.Workspace, kindUntold)
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

// removeStory stages the removal of a model's arc of a conversation and of its summaries of runs.
func removeStory(tx store.Tx, n Number) error {
	tx.Delete(keyStory(tx.Workspace, n))
	tx.Delete(keyUntold(tx.Workspace, n))
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
