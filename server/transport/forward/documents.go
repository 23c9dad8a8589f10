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

// documents are the open documents. A change is only stored, until there are so many that applying
// them to the text is cheaper. The zero value is empty.
type documents struct {
	byKey map[string]*document
	count int // of documents ever opened
}

// document holds the messages that restore a document in a new session as the editor has it.
type document struct {
	order   int               // of its opening
	open    json.RawMessage   // parameters of didOpen
	changes []json.RawMessage // parameters of every didChange since
	bytes   int               // of changes
}

const (
	// maxChanges and maxChangeBytes bound the changes that are stored before they are applied to
	// the text.
	maxChanges     = 256
	maxChangeBytes = 256 << 10
)

// key returns the key of a document, equal for all spellings of its URI that the server treats as
// equal.
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

// uriOf returns the URI of the document in params; false if there is none.
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

// opened records didOpen; it replaces a document that is already open.
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

// changed records didChange.
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

// settle applies the changes to the text, as if the document had been opened with it.
func (doc *document) settle(u transport.Encoding) {
	var open map[string]json.RawMessage
	var inner map[string]json.RawMessage
	var text string
	if json.Unmarshal(doc.open, &open) != nil || json.Unmarshal(open["textDocument"], &inner) != nil {
		return
	}
	_ = json.Unmarshal(inner["text"], &text) // an invalid text opens an empty document
	for _, params := range doc.changes {
		var c changeParams
		if json.Unmarshal(params, &c) != nil {
			continue // a session does not apply it either
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

// messages returns the messages that restore the documents, in the order of their opening.
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
