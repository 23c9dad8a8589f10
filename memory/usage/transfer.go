package usage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/contexture-dev/contexture/memory/store"
)

// Type is that of this package's lines in an export.
const Type = "usage"

// record is a line of an export.
type record struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	stat
}

// Export emits what is known of each item, by id. Remembered bundles are not exported: they are for feedback on answers
// that this machine gave of late. What is emitted is to be written as JSON.
func Export(r store.Reader, ws store.Workspace, emit func(any) error) error {
	prefix := kind(ws, statKind)
	return r.Scan(prefix, store.PrefixEnd(prefix), func(k, value []byte) (bool, error) {
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

// Importer stages lines of an export. Of two that speak of an item the one with the later feedback holds, so that
// staging the same lines again changes nothing.
type Importer struct {
	r    store.Reader
	b    *store.Batch
	ws   store.Workspace
	seen map[string]bool // ids that are staged
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
	if rec.Type != Type || rec.ID == "" || rec.At.IsZero() || rec.Count < 1 {
		return fmt.Errorf("type %s, id, at and a count from 1 are required", Type)
	}
	if rec.Referenced < 0 || rec.Referenced > rec.Retrieved {
		return errors.New("referenced is not between 0 and retrieved")
	}
	if im.seen[rec.ID] {
		return fmt.Errorf("id %q stands twice", rec.ID)
	}
	im.seen[rec.ID] = true
	rec.At = rec.At.UTC()
	old, found, err := get[stat](im.r, statKey(im.ws, rec.ID))
	if err != nil {
		return err
	}
	if found {
		if !old.At.Before(rec.At) {
			return nil
		}
		im.b.Delete(ageKey(im.ws, old.At, rec.ID))
	}
	return setStat(im.b, im.ws, rec.ID, rec.stat)
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
