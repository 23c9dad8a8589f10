package server

import (
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/indexer/ollama"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/settings"
)

// isNamed reports whether somebody asked for a model server or a model of one: then its absence is worth telling.
func isNamed(set settings.Ollama, host string) bool {
	return set.URL != "" || host != "" || set.EmbedModel != "" || set.ChatModel != ""
}

// unanswered is what answers lack of a stage whose model was asked and has said nothing yet.
func unanswered(stage, server, consequence string) []command.Degradation {
	return []command.Degradation{{Stage: stage, Reason: "timeout", Detail: consequence + ": " + server + " has not answered yet"}}
}

// What stands in for a model.
const (
	byBuiltin = "the built-in embedder is used"
	byScores  = "scores decide alone"
)

// lacksModel says what an answer lacks for want of the embedding model: from the first answer on where a server was
// named, else once one has shown that it has such a model.
func (s *searched) lacksModel() []command.Degradation {
	if s.opening == nil {
		return nil
	}
	set := s.opening.server.Load()
	if set == nil {
		return nil
	}
	m := s.models
	if m == nil {
		m = s.opening.models()
	}
	if m == nil { // the index is still being opened, and follows it then
		if !isNamed(*set, s.opening.host) {
			return nil
		}
		return unanswered("vector", "the model server", byBuiltin)
	}
	if lack, settled := m.lack(); settled || s.snapshot == nil || s.snapshot.ByModel() || s.snapshot.Chunks() == 0 {
		return lack
	}
	return s.lacksVectors(m)
}

// lack says what answers lack where there is no embedding model; settled is false where there is one.
func (s *modelServer) lack() (lack []command.Degradation, settled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.embed != nil:
		return nil, false
	case s.problem == nil && (s.named || s.met):
		return unanswered("vector", s.address(), byBuiltin), true
	case s.problem == nil || !s.named && !s.presentLocked():
		return nil, true
	}
	return []command.Degradation{{Stage: "vector", Reason: ollama.Reason(s.problem), Detail: byBuiltin + ": " + s.problem.Error()}}, true
}

// presentLocked reports whether a server that nobody named is there, by the problem with it. mu is held.
func (s *modelServer) presentLocked() bool {
	switch ollama.KindOf(s.problem) {
	case ollama.Timeout, ollama.Overloaded:
		return true
	case ollama.BadAnswer, ollama.Failed:
		return s.met // else it may be anything that listens there
	}
	return false
}

func (s *modelServer) address() string {
	if s.client == nil {
		return "the model server"
	}
	return "the model server at " + s.client.Address()
}

// slowAnswer is how long a request for vectors may take before it is said that the model does not answer.
const slowAnswer = 10 * time.Second

// lacksVectors says why searches do not go by the embedding model that there is.
func (s *searched) lacksVectors(m *modelServer) []command.Degradation {
	st := s.index.ModelStatus()
	d := command.Degradation{Stage: "vector", Reason: "indexing"}
	switch {
	case st.Err != nil:
		d.Reason, d.Detail = ollama.Reason(st.Err), byBuiltin+": "+st.Problem
	case !st.Asked.IsZero() && m.models.now().Sub(st.Asked) > slowAnswer:
		return unanswered("vector", "the model "+st.Name, byBuiltin)
	case st.Failed > 0 && st.Failed == st.Pending:
		d.Reason, d.Detail = "badAnswer", byBuiltin+": "+st.Problem
	case !m.named:
		return nil
	case st.Total == 0:
		d.Detail = byBuiltin + " until the model has embedded the workspace"
	default:
		d.Detail = fmt.Sprintf("%s until the model %s has embedded the workspace: %d of %d pieces are left", byBuiltin, st.Name, st.Pending, st.Total)
	}
	return []command.Degradation{d}
}

// lacksChat says what a bundle lacks for want of a chat model that was named.
func (s *modelServer) lacksChat(set *settings.Settings) []command.Degradation {
	if s == nil || s.set.ChatModel == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.chat != nil {
		return nil
	}
	var out []command.Degradation
	for _, stage := range []struct {
		name string
		on   bool
	}{{"filter", set.Filter.Enabled}, {"judge", set.Judge.Enabled}} {
		switch {
		case !stage.on:
		case s.noChat == nil:
			out = append(out, unanswered(stage.name, s.address(), byScores)...)
		default:
			out = append(out, command.Degradation{Stage: stage.name, Reason: ollama.Reason(s.noChat), Detail: byScores + ": " + s.noChat.Error()})
		}
	}
	return out
}
