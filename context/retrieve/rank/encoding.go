package rank

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// magic begins an encoded model. Its last byte is the version of the format.
const magic = "ctxrank\x01"

// Encode returns the model as bytes: equal models have equal bytes.
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

// Load decodes a model with the given number of features. It fails for any other, since a model is
// meaningless for features that it was not fitted to.
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

// reader takes numbers off the front of b. Its first error stays.
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
