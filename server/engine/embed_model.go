package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/contexture-dev/contexture/indexer/encode"
	"github.com/contexture-dev/contexture/indexer/ollama"
)

// embedModel is an embedding model as used by the index.
type embedModel struct {
	of       *ollama.Embedder
	identity string
	kind     encode.Kind
	server   *ModelServer
	doubted  bool // it must be checked; guarded by server.mu
}

// Name implements encode.Model.
func (m *embedModel) Name() string { return m.of.Model().Name }

// Identity implements encode.Model.
func (m *embedModel) Identity() string { return m.identity }

// Dimensions implements encode.Model.
func (m *embedModel) Dimensions() int { return m.of.Dimensions() }

// Kind implements encode.Portable.
func (m *embedModel) Kind() encode.Kind { return m.kind }

// kindOf returns what identifies a model to other machines. The index's identity would not do: the
// generation in it is counted on this machine.
func kindOf(e *ollama.Embedder) encode.Kind {
	k := encode.Kind{Digest: fmt.Sprintf("%s lower=%t", e.Identity(), e.LowerCased()), Dimensions: e.Dimensions()}
	for _, v := range e.Probes() {
		k.Probes = append(k.Probes, encode.Quantized(v))
	}
	return k
}

// Query implements encode.Model.
func (m *embedModel) Query(ctx context.Context, text string) ([]float32, error) {
	v, err := m.of.Query(ctx, text)
	m.doubt(err)
	return v, err
}

// Documents implements encode.Model.
func (m *embedModel) Documents(ctx context.Context, texts []encode.Document) (rows [][]float32, faults []error, err error) {
	if m.server.models.power.onBattery() {
		return nil, nil, errOnBattery // it is retried, and the status shows why it waits
	}
	list := make([]ollama.Text, len(texts))
	for i, t := range texts {
		list[i] = ollama.Text{Title: t.Title, Body: t.Body}
	}
	rows, faults = m.of.Documents(ctx, list)
	for i, fault := range faults {
		var e *ollama.Error
		if fault != nil && !(errors.As(fault, &e) && e.Item) {
			faults[i] = nil
			if err == nil {
				err = fault
			}
		}
	}
	m.doubt(err)
	return rows, faults, err
}

// errOnBattery is why nothing is embedded by a model on battery: it is background work, and takes
// more power than all the rest.
var errOnBattery = &ollama.Error{Kind: ollama.Overloaded, Op: "embed", Detail: "paused: the computer runs on its battery"}

// doubt has the model checked after an error that a different model under the same name would
// explain.
func (m *embedModel) doubt(err error) {
	switch ollama.KindOf(err) {
	case ollama.BadAnswer, ollama.ModelMissing:
	default:
		return
	}
	if err == nil {
		return
	}
	m.server.mu.Lock()
	m.doubted = true
	m.server.mu.Unlock()
	m.server.check()
}
