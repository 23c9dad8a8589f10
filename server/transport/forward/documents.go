package forward

import (
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/server/transport"
)

// documents are the open documents. A change costs no more than keeping it, until there are so many
// that the text is worth making. The zero value has none.
type documents struct {
	byKey map[string]*document
	count int // of those that were ever opened
}

// document is what has to be said for a session to have the document as the editor has it.
type document struct {
	order   int               // of its opening
	open    json.RawMessage   // parameters of didOpen
	changes []json.RawMessage // parameters of every didChange since
	bytes   int               // of changes
}

const (
	// maxChanges and maxChangeBytes are what is kept of changes before they are made in the text.
	maxChanges     = 256
	maxChangeBytes = 256 << 10
)

// key names a document whatever way its URI is spelt, as far as the server takes spellings for the
// same.
func key(spelt string) string {
	if plain, err := url.PathUnescape(spelt); err == nil {
		spelt = plain
	}
	scheme, rest, _ := strings.Cut(spelt, ":")
	if !strings.EqualFold(scheme, "file") {
		return spelt
	}
	rest = strings.TrimPrefix(rest, "//")
	const local = "localhost"
	if len(rest) > len(local) && strings.EqualFold(rest[:len(local)], local) && rest[len(local)] == '/' {
		rest = rest[len(local):]
	}
	return "file:" + path.Clean(rest)
}

// uriOf reads which document parameters are about; false where they are not.
func uriOf(params json.RawMessage) (string, bool) {
	var p struct {
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
	}
	if json.Unmarshal(params, &p) != nil {
		return "", false
	}
	return key(p.TextDocument.URI), true
}

// opened takes didOpen; one that is open already begins anew.
func (d *documents) opened(params json.RawMessage) {
	key, ok := uriOf(params)
	if !ok {
		return
	}
	if d.byKey == nil {
		d.byKey = map[string]*document{}
	}
	d.count++
	d.byKey[key] = &document{order: d.count, open: params}
}

func (d *documents) closed(params json.RawMessage) {
	if key, ok := uriOf(params); ok {
		delete(d.byKey, key)
	}
}

// changed takes didChange.
func (d *documents) changed(params json.RawMessage, u transport.Encoding) {
	key, ok := uriOf(params)
	if !ok {
		return
	}
	doc := d.byKey[key]
	if doc == nil {
		return
	}
	doc.changes = append(doc.changes, params)
	if doc.bytes += len(params); len(doc.changes) > maxChanges || doc.bytes > maxChangeBytes {
		doc.settle(u)
	}
}

// settle makes the changes in the text, as if the document had been opened with it.
func (doc *document) settle(u transport.Encoding) {
	var open map[string]json.RawMessage
	var inner map[string]json.RawMessage
	var text string
	if json.Unmarshal(doc.open, &open) != nil || json.Unmarshal(open["textDocument"], &inner) != nil {
		return
	}
	_ = json.Unmarshal(inner["text"], &text) // what is no text opens an empty one
	for _, params := range doc.changes {
		var c changeParams
		if json.Unmarshal(params, &c) != nil {
			continue // nor does a session make it
		}
		for _, change := range c.ContentChanges {
			text = u.Apply(text, change)
		}
		if len(c.TextDocument.Version) > 0 {
			inner["version"] = c.TextDocument.Version
		}
	}
	var err error
	if inner["text"], err = json.Marshal(text); err != nil {
		return
	}
	if open["textDocument"], err = json.Marshal(inner); err != nil {
		return
	}
	if whole, err := json.Marshal(open); err == nil {
		doc.open, doc.changes, doc.bytes = whole, nil, 0
	}
}

// messages are what has to be said, the documents in the order of their opening.
func (d *documents) messages() (out []message) {
	list := slices.SortedFunc(maps.Values(d.byKey), func(a, b *document) int { return a.order - b.order })
	for _, doc := range list {
		out = append(out, message{methodOpen, doc.open})
		for _, params := range doc.changes {
			out = append(out, message{methodChange, params})
		}
	}
	return out
}
