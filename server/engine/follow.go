package engine

import (
	"slices"

	"github.com/contexture-dev/contexture/indexer"
)

// follow gives an index the model that is there and those to come.
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

// leave ends one follow. The index goes on with the server that another session told it to follow,
// or with none.
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

// tellLocked gives an index the model of the latest of those that it follows, of those that have
// one. leading is held.
func (m *Models) tellLocked(x *indexer.Index) {
	for _, s := range slices.Backward(m.followers[x]) {
		if e := s.embedding(); e != nil {
			x.SetModel(e)
			return
		}
	}
	x.SetModel(nil)
}

// Settle notes that an index follows no server, where nobody had it follow one.
func (m *Models) Settle(x *indexer.Index) {
	m.leading.Lock()
	defer m.leading.Unlock()
	if len(m.followers[x]) == 0 {
		m.tellLocked(x)
	}
}

// embedding is the embedding model that is there; nil for none.
func (s *ModelServer) embedding() *embedModel {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.embed
}

// embedBy gives all indexes that go by the server a model; nil leaves them the built-in embedder.
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
