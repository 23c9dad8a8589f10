package session

import (
	"encoding/json"
	"fmt"

	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/server/transport"
)

// didOpen returns the documents after a notification; those before with an error.
func (d *Documents) didOpen(raw json.RawMessage) (*Documents, error) {
	var p openParams
	if err := decode(raw, &p); err != nil {
		return d, err
	}
	return d.with(newDocument(p.TextDocument.URI, p.TextDocument.Text)), nil
}

// preferredMost bounds the open documents that are embedded before others.
const preferredMost = 1000

// preferred returns the open documents of a workspace, which its index embeds before others.
func (s *Session) preferred(t *source.Tree) []string {
	s.mu.Lock()
	docs := s.docs
	s.mu.Unlock()
	var paths []string
	for d := range docs.all() {
		if rel, ok := d.in(t); ok {
			if paths = append(paths, rel); len(paths) == preferredMost {
				break
			}
		}
	}
	return paths
}

// didChange is didOpen for a change, whose positions are in an encoding.
func (d *Documents) didChange(raw json.RawMessage, e transport.Encoding) (*Documents, error) {
	var p changeParams
	if err := decode(raw, &p); err != nil {
		return d, err
	}
	old := d.get(transport.DocumentKey(p.TextDocument.URI))
	if old == nil {
		return d, fmt.Errorf("change of a document that is not open")
	}
	text := old.text
	for _, c := range p.ContentChanges {
		text = e.Apply(text, c)
	}
	return d.with(old.edited(text)), nil
}

// didClose is didOpen for the end of a document.
func (d *Documents) didClose(raw json.RawMessage) (*Documents, error) {
	var p documentParams
	if err := decode(raw, &p); err != nil {
		return d, err
	}
	// One that is not open stays so: an editor that restarts the server may close what it opened in
	// the one before, which is no fault to show to anybody.
	if key := transport.DocumentKey(p.TextDocument.URI); d.get(key) != nil {
		return d.without(key), nil
	}
	return d, nil
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
