// Package rank reads small ensembles of decision trees that were fitted to tell what helps. A model adds up what its
// trees say of a list of numbers; the sum, through the logistic function, is a probability.
package rank

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Node is an inner node or a leaf of a tree. The left child of an inner node stands behind it.
type Node struct {
	Feature int16   // -1 for a leaf
	Right   int16   // index of the right child in its tree
	Value   float32 // what a feature must be below to go left; what a leaf says
}

// Tree is a decision tree; its root is Tree[0].
type Tree []Node

// Model is an ensemble. The zero value says .5 of everything. Immutable and safe for concurrent use.
type Model struct {
	Bias  float32
	Trees []Tree
	// Slope and Offset calibrate: the log-odds are Slope × sum + Offset.
	Slope, Offset float32
	// Features is how many numbers the model reads.
	Features int
}

// Margin is the sum of what the trees say of some features.
func (m *Model) Margin(features []float32) float64 {
	sum := m.Bias
	for _, t := range m.Trees {
		sum += t.value(features)
	}
	return float64(sum)
}

// Probability is the calibrated probability of some features, between 0 and 1.
func (m *Model) Probability(features []float32) float64 {
	return 1 / (1 + math.Exp(-(float64(m.Slope)*m.Margin(features) + float64(m.Offset))))
}

func (t Tree) value(features []float32) float32 {
	i := 0
	for {
		n := t[i]
		switch {
		case n.Feature < 0:
			return n.Value
		case features[n.Feature] < n.Value:
			i++
		default:
			i = int(n.Right)
		}
	}
}

// magic begins an encoded model. Its last byte is the version of the form.
const magic = "ctxrank\x01"

// Encode gives the model's bytes: equal models have equal bytes.
func (m *Model) Encode() []byte {
	b := []byte(magic)
	b = binary.LittleEndian.AppendUint16(b, uint16(m.Features))
	for _, f := range []float32{m.Bias, m.Slope, m.Offset} {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(m.Trees)))
	for _, t := range m.Trees {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(t)))
		for _, n := range t {
			b = binary.LittleEndian.AppendUint16(b, uint16(n.Feature))
			b = binary.LittleEndian.AppendUint16(b, uint16(n.Right))
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(n.Value))
		}
	}
	return b
}

// Load reads a model of so many features. It fails for anything else: a model that was fitted to other features says
// nothing.
func Load(b []byte, features int) (*Model, error) {
	r := reader{b: b}
	if string(r.take(len(magic))) != magic {
		return nil, errors.New("rank: not a model of this version")
	}
	m := &Model{Features: int(r.uint16())}
	if r.err == nil && m.Features != features {
		return nil, fmt.Errorf("rank: a model of %d features, where there are %d; run go run ./cmd/train rank", m.Features, features)
	}
	m.Bias, m.Slope, m.Offset = r.float(), r.float(), r.float()
	for range r.uint16() {
		t := make(Tree, r.uint16())
		for i := range t {
			t[i] = Node{Feature: int16(r.uint16()), Right: int16(r.uint16()), Value: r.float()}
			n := t[i]
			if r.err == nil && n.Feature >= 0 && (int(n.Feature) >= features || int(n.Right) <= i+1 || int(n.Right) >= len(t)) {
				return nil, errors.New("rank: a damaged tree")
			}
		}
		if r.err != nil {
			return nil, r.err
		}
		if len(t) == 0 || t[len(t)-1].Feature >= 0 {
			return nil, errors.New("rank: a damaged tree")
		}
		m.Trees = append(m.Trees, t)
	}
	if r.err == nil && len(r.b) > 0 {
		r.err = errors.New("rank: more than a model")
	}
	if r.err != nil {
		return nil, r.err
	}
	return m, nil
}

// reader takes numbers off a text; its first error stays.
type reader struct {
	b   []byte
	err error
}

func (r *reader) take(n int) []byte {
	if len(r.b) < n || r.err != nil {
		if r.err == nil {
			r.err = errors.New("rank: a model that is cut off")
		}
		return make([]byte, n)
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) uint16() uint16 { return binary.LittleEndian.Uint16(r.take(2)) }
func (r *reader) float() float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(r.take(4)))
}
