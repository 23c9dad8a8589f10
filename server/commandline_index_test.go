package server

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/indexer"
)

// steps is an index that advances by one state each time it is queried.
type steps struct {
	states []indexer.Status
	models []indexer.ModelStatus
	still  bool // nothing changes
}

func (s *steps) Status() indexer.Status {
	st := s.states[0]
	s.states = s.states[min(1, len(s.states)-1):]
	return st
}

func (s *steps) ModelStatus() indexer.ModelStatus {
	st := s.models[0]
	s.models = s.models[min(1, len(s.models)-1):]
	return st
}

func (s *steps) Changed() <-chan struct{} {
	changed := make(chan struct{})
	if !s.still {
		close(changed)
	}
	return changed
}

func TestUpToDate(t *testing.T) {
	x := &steps{states: []indexer.Status{
		{State: indexer.Scanning}, {State: indexer.Indexing, Queue: 3}, {State: indexer.Idle, Pending: 2}, {State: indexer.Idle, Queue: 1},
		{State: indexer.Idle, Files: 9},
	}}
	if err := upToDate(t.Context(), x); err != nil || len(x.states) != 1 {
		t.Errorf("%v, %d states are left", err, len(x.states))
	}
	err := upToDate(t.Context(), &steps{states: []indexer.Status{{State: indexer.Failed, Errors: []string{"old", "write: no space left on device"}}}})
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("got %v", err)
	}
	if err := upToDate(t.Context(), &steps{states: []indexer.Status{{State: indexer.Failed}}}); err == nil {
		t.Error("no error without a reason")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := upToDate(ctx, &steps{states: []indexer.Status{{State: indexer.Scanning}}, still: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestEmbedded(t *testing.T) {
	for name, list := range map[string][]indexer.ModelStatus{
		"all embedded":  {{}, {Name: "m", Total: 9, Pending: 9}, {Name: "m", Total: 9, Pending: 2}, {Name: "m", Total: 9, Pending: 1, Failed: 1}},
		"the model out": {{Name: "m", Total: 9, Pending: 9}, {Name: "m", Total: 9, Pending: 5, Problem: "gone"}},
	} {
		x := &steps{models: list}
		if err := embedded(t.Context(), x); err != nil || len(x.models) != 1 {
			t.Errorf("%s: %v, %d states are left", name, err, len(x.models))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := embedded(ctx, &steps{models: []indexer.ModelStatus{{Name: "m", Total: 9, Pending: 9}}, still: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
