package session

import (
	"encoding/json"
	"fmt"

	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/server/transport"
)

func (s *Session) didOpen(raw json.RawMessage) error {
	var p openParams
	if err := decode(raw, &p); err != nil {
		return err
	}
	d := p.TextDocument
	s.docs = s.docs.with(newDocument(d.URI, d.Text))
	return nil
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

func (s *Session) didChange(raw json.RawMessage) error {
	var p changeParams
	if err := decode(raw, &p); err != nil {
		return err
	}
	old := s.docs.get(transport.DocumentKey(p.TextDocument.URI))
	if old == nil {
		return fmt.Errorf("change of a document that is not open")
	}
	text := old.text
	for _, c := range p.ContentChanges {
		text = s.Encoding.Apply(text, c)
	}
	s.docs = s.docs.with(old.edited(text))
	return nil
}

func (s *Session) didClose(raw json.RawMessage) error {
	var p documentParams
	if err := decode(raw, &p); err != nil {
		return err
	}
	// One that is not open stays so: an editor that restarts the server may close what it opened in
	// the one before, which is no fault to show to anybody.
	if key := transport.DocumentKey(p.TextDocument.URI); s.docs.get(key) != nil {
		s.docs = s.docs.without(key)
	}
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
