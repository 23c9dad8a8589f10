package cabinet

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

// Type is the type of this package's lines in an export.
const Type = "cabinet"

// record is a line of an export.
type record struct {
	Type    string `json:"type"`
	FileKey string `json:"fileKey"`
	meta
	Content *string `json:"content"`
}

// Export emits every text in the store, by key. The caller writes what is emitted as JSON.
func Export(view store.View, emit func(any) error) error {
	prefix := kind(view.Workspace, metaKind)
	return view.Scan(prefix, store.PrefixEnd(prefix), func(k, value []byte) (bool, error) {
		key, _, ok := store.TakeString(k[len(prefix):])
		if !ok {
			return false, errors.New("export cabinet: bad key")
		}
		rec := record{Type: Type, FileKey: key}
		if err := json.Unmarshal(value, &rec.meta); err != nil {
			return false, fmt.Errorf("export cabinet: %w", err)
		}
		data, found, err := view.Get(contentKey(view.Workspace, key))
		if err != nil || !found {
			return false, errors.Join(fmt.Errorf("export cabinet: no text under %q", key), err)
		}
		content := string(data)
		rec.Content = &content
		return true, emit(rec)
	})
}

// Import registers the handler that stages this package's lines. If a key is taken, the text with
// the later use wins, so that staging the same lines again changes nothing.
func Import(im *store.Importer, tx store.Tx) {
	p := &importer{tx: tx, seen: map[string]bool{}}
	store.ImportLines(im, Type, p.add)
}

type importer struct {
	tx   store.Tx
	seen map[string]bool // keys already staged
}

func (im *importer) add(rec record) error {
	if rec.FileKey == "" || rec.Content == nil || rec.SavedAt.IsZero() || rec.UsedAt.IsZero() {
		return fmt.Errorf("type %s, fileKey, content, savedAt and usedAt are required", Type)
	}
	if im.seen[rec.FileKey] {
		return fmt.Errorf("fileKey %q occurs twice", rec.FileKey)
	}
	im.seen[rec.FileKey] = true
	rec.SavedAt, rec.UsedAt = rec.SavedAt.UTC(), rec.UsedAt.UTC()
	data, found, err := im.tx.Get(metaKey(im.tx.Workspace, rec.FileKey))
	if err != nil {
		return err
	}
	if found {
		var old meta
		if err := json.Unmarshal(data, &old); err != nil {
			return err
		}
		if !old.UsedAt.Before(rec.UsedAt) {
			return nil
		}
		im.tx.Delete(usedKey(im.tx.Workspace, old.UsedAt, rec.FileKey))
	}
	if err := set(im.tx, rec.FileKey, rec.meta); err != nil {
		return err
	}
	im.tx.Set(contentKey(im.tx.Workspace, rec.FileKey), []byte(*rec.Content))
	return nil
}
