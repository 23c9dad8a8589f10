package engine

import (
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/ollama"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/settings"
)

// isNamed reports whether the person configured a model server or a model of one: then its absence
// is reported.
func isNamed(set settings.Ollama, host string) bool {
	return set.URL != "" || host != "" || set.EmbedModel != "" || set.ChatModel != ""
}

// unanswered returns the degradation of a stage whose model was asked and has not answered yet.
func unanswered(stage, server, consequence string) []command.Degradation {
	return []command.Degradation{{Stage: stage, Reason: "timeout", Detail: consequence + ": " + server + " has not answered yet"}}
}

// The replacements of models.
const (
	byBuiltin = "the built-in embedder is used"
	byScores  = "scores decide alone"
)

// LacksUnlinked returns the degradations while an index is being opened: it follows no model server
// yet. host is the client's OLLAMA_HOST.
func LacksUnlinked(set settings.Ollama, host string) []command.Degradation {
	if !isNamed(set, host) {
		return nil
	}
	return unanswered("vector", "the model server", byBuiltin)
}

// Lack returns the degradations for want of an embedding model; settled is false when there is one.
func (s *ModelServer) Lack() (lack []command.Degradation, settled bool) {
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

// presentLocked reports whether a server that nobody configured exists, judging by its problem. The
// caller must hold mu.
func (s *ModelServer) presentLocked() bool {
	switch ollama.KindOf(s.problem) {
	case ollama.Timeout, ollama.Overloaded:
		return true
	case ollama.BadAnswer, ollama.Failed:
		return s.met // otherwise anything may listen there
	}
	return false
}

func (s *ModelServer) address() string {
	if s.client == nil {
		return "the model server"
	}
	return "the model server at " + s.client.Address()
}

// slowAnswer is how long a request for vectors may take before the model is reported as not
// answering.
const slowAnswer = 10 * time.Second

// LacksVectors returns the degradations when searches do not use the present embedding model.
func (s *ModelServer) LacksVectors(st indexer.ModelStatus) []command.Degradation {
	d := command.Degradation{Stage: "vector", Reason: "indexing"}
	switch {
	case st.Err != nil:
		d.Reason, d.Detail = ollama.Reason(st.Err), byBuiltin+": "+st.Problem
	case !st.Asked.IsZero() && s.models.now().Sub(st.Asked) > slowAnswer:
		return unanswered("vector", "the model "+st.Name, byBuiltin)
	case st.Failed > 0 && st.Failed == st.Pending:
		d.Reason, d.Detail = "badAnswer", byBuiltin+": "+st.Problem
	case !s.named:
		return nil
	case st.Total == 0:
		d.Detail = byBuiltin + " until the model has embedded the workspace"
	default:
		d.Detail = fmt.Sprintf("%s until the model %s has embedded the workspace: %d of %d pieces are left", byBuiltin, st.Name, st.Pending, st.Total)
	}
	return []command.Degradation{d}
}

// LacksChat returns the degradations of a bundle for want of a configured chat model; nil means
// none.
func (s *ModelServer) LacksChat(set *settings.Settings) []command.Degradation {
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
