package engine

import (
	"testing"

	"github.com/contexture-dev/contexture/indexer/ollama"
)

// TestMissingModelMessage checks that the message for a model server without an embedding model
// depends on whether a model was named, and otherwise on whether the server is reachable.
func TestMissingModelMessage(t *testing.T) {
	problem := func(k ollama.Kind) error { return &ollama.Error{Kind: k, Op: "tags"} }
	for _, tt := range []struct {
		name       string
		named, met bool
		problem    error
		want       string // reason; "" for no message
	}{
		{"named, not looked at yet", true, false, nil, "timeout"},
		{"named and away", true, false, problem(ollama.Unreachable), "unreachable"},
		{"named, without a model", true, false, problem(ollama.ModelMissing), "modelMissing"},
		{"named and refused", true, false, problem(ollama.Refused), "error"},
		{"not named, not looked at yet", false, false, nil, ""},
		{"not named and away", false, false, problem(ollama.Unreachable), ""},
		{"not named, without a model", false, false, problem(ollama.ModelMissing), ""},
		{"not named, another program", false, false, problem(ollama.BadAnswer), ""},
		{"not named, takes connections", false, false, problem(ollama.Timeout), "timeout"},
		{"not named, its model is tried", false, true, nil, "timeout"},
		{"not named, its model is broken", false, true, problem(ollama.BadAnswer), "badAnswer"},
		{"not named, went away", false, true, problem(ollama.Unreachable), ""},
	} {
		s := &ModelServer{named: tt.named, met: tt.met, problem: tt.problem}
		lack, settled := s.Lack()
		got := ""
		for _, d := range lack {
			got += d.Reason
			if d.Stage != "vector" || d.Detail == "" {
				t.Errorf("%s: %+v", tt.name, d)
			}
		}
		if got != tt.want || !settled {
			t.Errorf("%s: %+v, settled %v, want %q", tt.name, lack, settled, tt.want)
		}
	}
	if lack, settled := (&ModelServer{named: true, embed: &embedModel{}}).Lack(); len(lack) > 0 || settled {
		t.Errorf("with a model: %+v, settled %v", lack, settled)
	}
}
