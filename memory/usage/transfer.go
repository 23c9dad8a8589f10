package usage

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

// Type is the type of this package's lines in an export.
const Type = "usage"

// record is a line of an export.
type record struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	stat
}

// Export emits the statistics of each item, by id. Remembered bundles are not exported, since they
// are for feedback on recent answers of this machine. The emitted values are to be written as JSON.
func Export(view store.View, emit func(any) error) error {
	prefix := kind(view.Workspace, statKind)
	return view.Scan(prefix, store.PrefixEnd(prefix), func(k, value []byte) (bool, error) {
		id, _, ok := store.TakeString(k[len(prefix):])
		if !ok {
			return false, errors.New("export usage: bad key")
		}
		rec := record{Type: Type, ID: id}
		if err := json.Unmarshal(value, &rec.stat); err != nil {
			return false, fmt.Errorf("export usage: %w", err)
		}
		return true, emit(rec)
	})
}

// Import registers the lines of this package. Of two for one item the one with the later feedback
// wins, so that staging the same lines again changes nothing.
func Import(im *store.Importer, tx store.Tx) {
	p := &importer{tx: tx, seen: map[string]bool{}}
	store.ImportLines(im, Type, p.add)
}

type importer struct {
	tx   store.Tx
	seen map[string]bool // ids that are staged
}

func (im *importer) add(rec record) error {
	if rec.ID == "" || rec.At.IsZero() || rec.Count < 1 {
		return fmt.Errorf("type %s, id, at and a count from 1 are required", Type)
	}
	if rec.Referenced < 0 || rec.Referenced > rec.Retrieved {
		return errors.New("referenced is not between 0 and retrieved")
	}
	if im.seen[rec.ID] {
		return fmt.Errorf("id %q occurs twice", rec.ID)
	}
	im.seen[rec.ID] = true
	rec.At = rec.At.UTC()
	old, found, err := get[stat](im.tx.Reader, statKey(im.tx.Workspace, rec.ID))
	if err != nil {
		return err
	}
	if found {
		if !old.At.Before(rec.At) {
			return nil
		}
		im.tx.Delete(ageKey(im.tx.Workspace, old.At, rec.ID))
	}
	return setStat(im.tx, rec.ID, rec.stat)
}
