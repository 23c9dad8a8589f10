package board

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/contexture-dev/contexture/memory/store"
)

// Type is that of this package's lines in an export.
const Type = "board"

// record is a line of an export.
type record struct {
	Type         string `json:"type"`
	Conversation string `json:"conversationId"`
	Item         Item   `json:"item"`
}

// Export emits every item that is in the store, by conversation, in the order they were put. What is emitted is to be
// written as JSON.
func Export(r store.Reader, ws store.Workspace, emit func(any) error) error {
	prefix := append(store.Prefix(store.Board, ws), itemKind)
	return r.Scan(prefix, store.PrefixEnd(prefix), func(k, value []byte) (bool, error) {
		conversation, _, ok := store.TakeString(k[len(prefix):])
		if !ok {
			return false, errors.New("export board: bad key")
		}
		item, err := decode(value)
		if err != nil {
			return false, fmt.Errorf("export board: %w", err)
		}
		return true, emit(record{Type, conversation, item})
	})
}

// Importer stages lines of an export. An item whose id is on the conversation's board already is left as it is there,
// so that staging the same lines again changes nothing.
type Importer struct {
	r    store.Reader
	b    *store.Batch
	ws   store.Workspace
	last map[string]uint64 // conversation: the last number given
	seen map[string]bool   // keys of staged items
}

// NewImporter stages into b.
func NewImporter(r store.Reader, b *store.Batch, ws store.Workspace) *Importer {
	return &Importer{r: r, b: b, ws: ws, last: map[string]uint64{}, seen: map[string]bool{}}
}

// Add takes one line. Its errors say what is wrong with the line; after one the batch is worthless.
func (im *Importer) Add(line []byte) error {
	var rec record
	if err := strictly(line, &rec); err != nil {
		return err
	}
	number, ok := parseID(rec.Item.ID)
	if rec.Type != Type || rec.Conversation == "" || !ok {
		return fmt.Errorf("type %s, conversationId and an item with an id such as B-1 are required", Type)
	}
	last, known := im.last[rec.Conversation]
	if !known {
		var err error
		if last, err = lastNumber(im.r, im.ws, rec.Conversation); err != nil {
			return err
		}
	}
	id := string(itemKey(im.ws, rec.Conversation, number))
	if _, found, err := get(im.r, im.ws, rec.Conversation, number); err != nil || found || im.seen[id] {
		return err
	}
	im.seen[id] = true
	im.last[rec.Conversation] = max(last, number)
	im.b.Set(counterKey(im.ws, rec.Conversation), store.AppendUint64(nil, max(last, number)))
	return set(im.b, im.ws, rec.Conversation, number, rec.Item)
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
