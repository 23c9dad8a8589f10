package utterance

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
)

// modelForm is the version of the format of a written model. Raise it when the features change,
// too: weights of other features are noise.
const modelForm = 1

// Model is a linear model with one score for each label.
type Model struct {
	keys     []uint32 // hashes by slot, 0 = empty; the length is a power of two
	rows     []row    // parallel to keys
	frequent map[uint32]bool
	scale    [NumLabels]float64 // of the weights
	idfScale float64
	blocks   [numBlocks]float64 // the weight of each block
	bias     [NumLabels]float64
	slope    [NumLabels]float64 // p = 1 / (1 + exp(-(slope·score + offset)))
	offset   [NumLabels]float64
	pair     [NumSigns]float64 // of two statements on the same subject
}

// row holds the quantised parameters of one feature.
type row struct {
	idf     uint8
	weights [NumLabels]int8
}

//go:embed weights.bin
var weights []byte

// embedded returns the model in weights.bin.
var embedded = sync.OnceValue(func() *Model {
	m, err := Load(weights)
	if err != nil {
		panic("utterance: the embedded weights.bin does not belong to this program: run go run ./cmd/train: " + err.Error())
	}
	return m
})

// Parameters holds the parameters of a model, as cmd/train fits them. The rows of Features are
// parallel to IDF and Weights.
type Parameters struct {
	Features []uint32 // hashes, without duplicates and without 0
	IDF      []float64
	Weights  [][NumLabels]float64
	Frequent []uint32
	Blocks   [NumBlocks]float64
	Bias     [NumLabels]float64
	Slope    [NumLabels]float64
	Offset   [NumLabels]float64
	Pair     [NumSigns]float64
}

// NumBlocks is the number of groups of features.
const NumBlocks = int(numBlocks)

// Encode returns the model in the format that Load reads: about one byte for each weight.
func Encode(p Parameters) []byte {
	var scale [NumLabels]float64
	idfScale := 1e-9
	for i, w := range p.Weights {
		for l := range w {
			scale[l] = max(scale[l], math.Abs(w[l])/127)
		}
		idfScale = max(idfScale, p.IDF[i]/255)
	}
	b := []byte{'U', 'T', 'M', modelForm}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.Features)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.Frequent)))
	float := func(v float64) { b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v))) }
	float(idfScale)
	for _, v := range p.Blocks {
		float(v)
	}
	for l := range NumLabels {
		float(scale[l])
		float(p.Bias[l])
		float(p.Slope[l])
		float(p.Offset[l])
	}
	for _, v := range p.Pair {
		float(v)
	}
	for _, h := range p.Frequent {
		b = binary.LittleEndian.AppendUint32(b, h)
	}
	for i, h := range p.Features {
		b = binary.LittleEndian.AppendUint32(b, h)
		b = append(b, uint8(math.Round(p.IDF[i]/idfScale)))
		for l := range NumLabels {
			b = append(b, uint8(int8(math.Round(p.Weights[i][l]/max(scale[l], 1e-12)))))
		}
	}
	return b
}

var errModel = errors.New("no model of this form")

// Load reads what Encode wrote. It fails for a model of another version and for a truncated one.
func Load(b []byte) (*Model, error) {
	if len(b) < 12 || string(b[:3]) != "UTM" || b[3] != modelForm {
		return nil, fmt.Errorf("load utterance model: %w", errModel)
	}
	n, frequent := int(binary.LittleEndian.Uint32(b[4:])), int(binary.LittleEndian.Uint32(b[8:]))
	const rowBytes = 5 + int(NumLabels)
	if want := 12 + 4*(1+NumBlocks+4*int(NumLabels)+NumSigns+frequent) + rowBytes*n; len(b) != want {
		return nil, fmt.Errorf("load utterance model: %w: %d bytes instead of %d", errModel, len(b), want)
	}
	b = b[12:]
	float := func() float64 {
		v := math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		return float64(v)
	}
	m := &Model{frequent: make(map[uint32]bool, frequent)}
	m.idfScale = float()
	for i := range m.blocks {
		m.blocks[i] = float()
	}
	for l := range NumLabels {
		m.scale[l], m.bias[l], m.slope[l], m.offset[l] = float(), float(), float(), float()
	}
	for k := range m.pair {
		m.pair[k] = float()
	}
	for range frequent {
		m.frequent[binary.LittleEndian.Uint32(b)] = true
		b = b[4:]
	}
	size := 1024
	for size < 2*n {
		size *= 2
	}
	m.keys, m.rows = make([]uint32, size), make([]row, size)
	for ; n > 0; n-- {
		h := binary.LittleEndian.Uint32(b)
		r := row{idf: b[4]}
		for l := range NumLabels {
			r.weights[l] = int8(b[5+l])
		}
		b = b[rowBytes:]
		i := h & uint32(size-1)
		for m.keys[i] != 0 {
			i = (i + 1) & uint32(size-1)
		}
		m.keys[i], m.rows[i] = h, r
	}
	return m, nil
}

// find returns the row of a feature, or nil if the model does not have it.
func (m *Model) find(h uint32) *row {
	mask := uint32(len(m.keys) - 1)
	for i := h & mask; m.keys[i] != 0; i = (i + 1) & mask {
		if m.keys[i] == h {
			return &m.rows[i]
		}
	}
	return nil
}

// reader scores the sentences of a message in order.
type reader struct {
	model    *Model
	role     Role
	folded   foldedSentence
	features features
	previous []uint32 // features of the sentence before
}

// score returns the probabilities for a sentence, the place-th of so many, and keeps its words as
// context for the next one.
func (r *reader) score(s string, place, of int, listed bool) Scores {
	r.folded.fold(s)
	r.features.reset()
	r.features.collect(&r.folded, func(h uint32) bool { return r.model.frequent[h] })
	r.features.form(s, r.folded.words, r.role, place, of, listed)
	r.features[blockBefore] = append(r.features[blockBefore], r.previous...)
	r.previous = r.folded.before(r.previous[:0])
	return r.model.probabilities(r.model.margins(&r.features))
}

// margins returns the distances of the sentence from the labels' planes.
func (m *Model) margins(x *features) (out [NumLabels]float64) {
	out = m.bias
	for b := range x {
		var sum [NumLabels]int
		square := 0
		for _, h := range x[b] {
			r := m.find(h)
			if r == nil {
				continue
			}
			idf := int(r.idf)
			square += idf * idf
			for l := range sum {
				sum[l] += idf * int(r.weights[l])
			}
		}
		if square == 0 {
			continue
		}
		scale := m.blocks[b] / math.Sqrt(float64(square))
		for l := range out {
			out[l] += float64(sum[l]) * m.scale[l] * scale
		}
	}
	return out
}

func (m *Model) probabilities(margins [NumLabels]float64) (out Scores) {
	for l := range out {
		out[l] = 1 / (1 + math.Exp(-(m.slope[l]*margins[l] + m.offset[l])))
	}
	return out
}
