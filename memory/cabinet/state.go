package cabinet

import (
	"errors"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
)

// Keys, each after the workspace's prefix:
//
//	'f' key        meta
//	'x' key        the text
//	'u' time key   nothing: the order of last use, in nanoseconds since 1970
//	'l'            when Purge first saw that there are texts whose time is over, in nanoseconds since 1970
const (
	metaKind    = 'f'
	contentKind = 'x'
	usedKind    = 'u'
	lookKind    = 'l'
)

func kind(ws store.Workspace, k byte) []byte { return append(store.Prefix(store.Cabinet, ws), k) }

func metaKey(ws store.Workspace, key string) []byte {
	return store.AppendString(kind(ws, metaKind), key)
}

func contentKey(ws store.Workspace, key string) []byte {
	return store.AppendString(kind(ws, contentKind), key)
}

func usedKey(ws store.Workspace, used time.Time, key string) []byte {
	return store.AppendString(store.AppendUint64(kind(ws, usedKind), uint64(used.UnixNano())), key)
}

// readUsedKey parses what follows the prefix.
func readUsedKey(rest []byte) (used time.Time, key string, err error) {
	nanos, rest, ok := store.TakeUint64(rest)
	key, _, ok2 := store.TakeString(rest)
	if !ok || !ok2 {
		return time.Time{}, "", errors.New("bad key in the order of use")
	}
	return time.Unix(0, int64(nanos)).UTC(), key, nil
}

func lookKey(ws store.Workspace) []byte { return kind(ws, lookKind) }

// lastLook returns the recorded time; ok is false if there is none.
func lastLook(view store.View) (at time.Time, ok bool, err error) {
	v, found, err := view.Get(lookKey(view.Workspace))
	if err != nil || !found {
		return at, false, err
	}
	nanos, rest, ok := store.TakeUint64(v)
	if !ok || len(rest) > 0 {
		return at, false, errors.New("bad time of the last check")
	}
	return time.Unix(0, int64(nanos)).UTC(), true, nil
}

// set stages a text's record; its time of use must be representable in the index of last use.
func set(tx store.Tx, key string, m meta) error {
	if y := m.UsedAt.Year(); y < 1970 || y > 2261 {
		return errors.New("time of use is out of range")
	}
	if err := tx.SetJSON(metaKey(tx.Workspace, key), m); err != nil {
		return err
	}
	tx.Set(usedKey(tx.Workspace, m.UsedAt, key), nil)
	return nil
}

func remove(tx store.Tx, key string, used time.Time) {
	tx.Delete(metaKey(tx.Workspace, key))
	tx.Delete(contentKey(tx.Workspace, key))
	tx.Delete(usedKey(tx.Workspace, used, key))
}
