package server

import (
	"encoding/json"
	"fmt"
	"maps"
)

// document is an open document. Immutable.
type document struct {
	uri  string // as the client spelt it
	key  string // see documentKey
	text string
}

// documents are all open documents by key. Immutable: a change makes a new one, so that a request keeps those that it
// has seen.
type documents struct{ byKey map[string]*document }

func (d *documents) with(doc *document) *documents {
	next := &documents{maps.Clone(d.byKey)}
	next.byKey[doc.key] = doc
	return next
}

func (d *documents) without(key string) *documents {
	next := &documents{maps.Clone(d.byKey)}
	delete(next.byKey, key)
	return next
}

func (s *Session) didOpen(raw json.RawMessage) error {
	var p openParams
	if err := decode(raw, &p); err != nil {
		return err
	}
	d := p.TextDocument
	s.docs = s.docs.with(&document{uri: d.URI, key: documentKey(d.URI), text: d.Text})
	s.preferOpen()
	return nil
}

// preferOpen has the open documents embedded before others.
func (s *Session) preferOpen() {
	for _, r := range s.roots {
		o := r.opening
		if o == nil {
			continue
		}
		select {
		case <-o.ready:
		default:
			continue // the next document that is opened tells of this one too
		}
		if o.err != nil {
			continue
		}
		var paths []string
		for _, d := range s.docs.byKey {
			if path, ok := filePath(d.uri); ok {
				if rel, ok := o.index.Tree().Rel(path); ok && rel != "" {
					paths = append(paths, rel)
				}
			}
		}
		o.index.Prefer(paths)
	}
}

func (s *Session) didChange(raw json.RawMessage) error {
	var p changeParams
	if err := decode(raw, &p); err != nil {
		return err
	}
	old := s.docs.byKey[documentKey(p.TextDocument.URI)]
	if old == nil {
		return fmt.Errorf("change of a document that is not open")
	}
	text := old.text
	for _, c := range p.ContentChanges {
		text = s.encoding.Apply(text, c)
	}
	s.docs = s.docs.with(&document{uri: old.uri, key: old.key, text: text})
	return nil
}

func (s *Session) didClose(raw json.RawMessage) error {
	var p documentParams
	if err := decode(raw, &p); err != nil {
		return err
	}
	key := documentKey(p.TextDocument.URI)
	if s.docs.byKey[key] == nil {
		return fmt.Errorf("close of a document that is not open")
	}
	s.docs = s.docs.without(key)
	return nil
}

func (s *Session) didSave(raw json.RawMessage) error {
	var p documentParams
	if err := decode(raw, &p); err != nil {
		return err
	}
	s.changedOnDisk([]string{p.TextDocument.URI})
	return nil
}

func (s *Session) didChangeWatchedFiles(raw json.RawMessage) error {
	var p watchedParams
	if err := decode(raw, &p); err != nil {
		return err
	}
	uris := make([]string, len(p.Changes))
	for i, c := range p.Changes {
		uris[i] = c.URI
	}
	s.changedOnDisk(uris)
	return nil
}
