package engine

import (
	"slices"

	"github.com/contexture-dev/contexture/indexer"
)

// follow makes an index use the server's present and future models.
func (s *ModelServer) follow(x *indexer.Index) {
	if x == nil {
		return
	}
	m := s.models
	m.leading.Lock()
	defer m.leading.Unlock()
	m.followers[x] = append(m.followers[x], s)
	if s.embedding() != nil {
		m.tellLocked(x)
	}
}

// leave ends one follow. The index continues with the server of another session, or with none.
func (s *ModelServer) leave(x *indexer.Index) {
	if x == nil {
		return
	}
	m := s.models
	m.leading.Lock()
	defer m.leading.Unlock()
	list := m.followers[x]
	at := slices.Index(list, s)
	if at < 0 {
		return
	}
	if m.followers[x] = slices.Delete(list, at, at+1); len(m.followers[x]) == 0 {
		delete(m.followers, x)
	}
	m.tellLocked(x)
}

// tellLocked sets the model of an index to that of the latest of its servers that have one. The
// caller must hold leading.
func (m *Models) tellLocked(x *indexer.Index) {
	for _, s := range slices.Backward(m.followers[x]) {
		if e := s.embedding(); e != nil {
			x.SetModel(e)
			return
		}
	}
	x.SetModel(nil)
}

// Settle declares that an index follows no server, unless it follows one.
func (m *Models) Settle(x *indexer.Index) {
	m.leading.Lock()
	defer m.leading.Unlock()
	if len(m.followers[x]) == 0 {
		m.tellLocked(x)
	}
}

// embedding returns the present embedding model; nil for none.
func (s *ModelServer) embedding() *embedModel {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.embed
}

// embedBy sets the model of all indexes that follow the server; nil means the built-in embedder.
func (s *ModelServer) embedBy(m *embedModel) {
	all := s.models
	all.leading.Lock()
	defer all.leading.Unlock()
	s.mu.Lock()
	same := s.embed == nil && m == nil
	s.embed = m
	s.mu.Unlock()
	if same {
		return
	}
	for x, list := range all.followers {
		if slices.Contains(list, s) {
			all.tellLocked(x)
		}
	}
}
