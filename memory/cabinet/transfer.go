package cabinet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/contexture-dev/contexture/memory/store"
)

// Type is that of this package's lines in an export.
const Type = "cabinet"

// record is a line of an export.
type record struct {
	Type    string `json:"type"`
	FileKey string `json:"fileKey"`
	meta
	Content *string `json:"content"`
}

// Export emits every text that is in the store, by key. What is emitted is to be written as JSON.
func Export(r store.Reader, ws store.Workspace, emit func(any) error) error {
	prefix := kind(ws, metaKind)
	return r.Scan(prefix, store.PrefixEnd(prefix), func(k, value []byte) (bool, error) {
		key, _, ok := store.TakeString(k[len(prefix):])
		if !ok {
			return false, errors.New("export cabinet: bad key")
		}
		rec := record{Type: Type, FileKey: key}
		if err := json.Unmarshal(value, &rec.meta); err != nil {
			return false, fmt.Errorf("export cabinet: %w", err)
		}
		data, found, err := r.Get(contentKey(ws, key))
		if err != nil || !found {
			return false, errors.Join(fmt.Errorf("export cabinet: no text under %q", key), err)
		}
		content := string(data)
		rec.Content = &content
		return true, emit(rec)
	})
}

// Importer stages lines of an export. Where a key is taken the text that was used later holds, so that staging the same
// lines again changes nothing.
type Importer struct {
	r    store.Reader
	b    *store.Batch
	ws   store.Workspace
	seen map[string]bool // keys that are staged
}

// NewImporter stages into b.
func NewImporter(r store.Reader, b *store.Batch, ws store.Workspace) *Importer {
	return &Importer{r: r, b: b, ws: ws, seen: map[string]bool{}}
}

// Add takes one line. Its errors say what is wrong with the line; after one the batch is worthless.
func (im *Importer) Add(line []byte) error {
	var rec record
	if err := strictly(line, &rec); err != nil {
		return err
	}
	if rec.Type != Type || rec.FileKey == "" || rec.Content == nil || rec.SavedAt.IsZero() || rec.UsedAt.IsZero() {
		return fmt.Errorf("type %s, fileKey, content, savedAt and usedAt are required", Type)
	}
	if im.seen[rec.FileKey] {
		return fmt.Errorf("fileKey %q stands twice", rec.FileKey)
	}
	im.seen[rec.FileKey] = true
	rec.SavedAt, rec.UsedAt = rec.SavedAt.UTC(), rec.UsedAt.UTC()
	data, found, err := im.r.Get(metaKey(im.ws, rec.FileKey))
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
		im.b.Delete(usedKey(im.ws, old.UsedAt, rec.FileKey))
	}
	if err := set(im.b, im.ws, rec.FileKey, rec.meta); err != nil {
		return err
	}
	im.b.Set(contentKey(im.ws, rec.FileKey), []byte(*rec.Content))
	return nil
}

// Finish stages what the lines come to. The importer is used up.
func (im *Importer) Finish() error { return nil }

// strictly decodes one JSON value with no unknown field and nothing after it.
func strictly(line []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one value in a line")
	}
	return nil
}
