package usage

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
)

// Keys, each after the workspace's prefix:
//
//	's' item        stat
//	'a' time item   nothing: items by the time of their last feedback, in nanoseconds since 1970
//	'o' number      id of a bundle, in the order they were remembered
//	'b' bundle      its items, see appendItem
//	'f' bundle      feedback
//	'n' name        a note, see SetNote
//	'p' bundle      the places of its items, by their ids
const (
	statKind     = 's'
	ageKind      = 'a'
	orderKind    = 'o'
	bundleKind   = 'b'
	feedbackKind = 'f'
	noteKind     = 'n'
	placesKind   = 'p'
)

// feedback is the result of feedback on a bundle: the weight of each item that was used.
type feedback struct {
	At      time.Time          `json:"at"` // of the first feedback
	Weights map[string]float64 `json:"weights,omitempty"`
}

func kind(ws store.Workspace, k byte) []byte { return append(store.Prefix(store.Usage, ws), k) }

func statKey(ws store.Workspace, id string) []byte { return store.AppendString(kind(ws, statKind), id) }

func ageKey(ws store.Workspace, at time.Time, id string) []byte {
	return store.AppendString(store.AppendUint64(kind(ws, ageKind), uint64(at.UnixNano())), id)
}

func orderKey(ws store.Workspace, number uint64) []byte {
	return store.AppendUint64(kind(ws, orderKind), number)
}

func bundleKey(ws store.Workspace, bundle string) []byte {
	return store.AppendString(kind(ws, bundleKind), bundle)
}

func feedbackKey(ws store.Workspace, bundle string) []byte {
	return store.AppendString(kind(ws, feedbackKind), bundle)
}

func placesKey(ws store.Workspace, bundle string) []byte {
	return store.AppendString(kind(ws, placesKind), bundle)
}

func get[T any](r store.Reader, key []byte) (v T, found bool, err error) {
	data, found, err := r.Get(key)
	if err != nil || !found {
		return v, false, err
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return v, false, fmt.Errorf("read usage: %w", err)
	}
	return v, true, nil
}

// setStat stages the statistics of an item; its time must be one that the order of age can
// represent.
func setStat(tx store.Tx, id string, s stat) error {
	if y := s.At.Year(); y < 1970 || y > 2261 {
		return errors.New("time of feedback is out of range")
	}
	tx.Set(ageKey(tx.Workspace, s.At, id), nil)
	return tx.SetJSON(statKey(tx.Workspace, id), s)
}

// believed is the minimum age of earlier feedback for the clock to be trusted in pruning.
const believed = 24 * time.Hour

// prune removes items without feedback for so long that their counts are negligible. If the clock
// jumped ahead that would be all of them: nothing is removed unless there was feedback a day ago by
// the same clock.
func prune(tx store.Tx) error {
	prefix := kind(tx.Workspace, ageKind)
	upper := store.AppendUint64(kind(tx.Workspace, ageKind), uint64(max(tx.Now.Add(-forgotten).UnixNano(), 0)))
	known := false
	since := store.AppendUint64(kind(tx.Workspace, ageKind), uint64(max(tx.Now.Add(-believed).UnixNano(), 0)))
	err := tx.Scan(upper, since, func(_, _ []byte) (bool, error) {
		known = true
		return false, nil
	})
	if err != nil || !known {
		return err
	}
	count := 0
	return tx.Scan(prefix, upper, func(k, _ []byte) (bool, error) {
		_, rest, ok := store.TakeUint64(k[len(prefix):])
		id, _, ok2 := store.TakeString(rest)
		if !ok || !ok2 {
			return false, errors.New("bad key in the order of age")
		}
		tx.Delete(append([]byte(nil), k...))
		tx.Delete(statKey(tx.Workspace, id))
		count++
		return count < prunedAtOnce, nil
	})
}
