package utterance

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"
)

// worthsForm is the version of the format of a written model of worths. Raise it when the inputs
// change, too.
const worthsForm = 1

// Worths is a multinomial logistic model of the worth of a sentence.
type Worths struct {
	Bias  Kinds
	Signs []Kinds
	Words []Kinds // by hash
}

//go:embed worths.bin
var worthsFile []byte

// worths returns the model in worths.bin.
var worths = sync.OnceValue(func() *Worths {
	m, err := LoadWorths(worthsFile)
	if err != nil {
		panic("utterance: the embedded worths.bin does not belong to this program: run go run ./cmd/train statements: " + err.Error())
	}
	return m
})

// NewWorths returns a model whose weights are all 0.
func NewWorths() *Worths {
	return &Worths{Signs: make([]Kinds, numSigns), Words: make([]Kinds, bagSize)}
}

// Kinds returns the probabilities of the worths of a sentence.
func (m *Worths) Kinds(x *Statement) (k Kinds) {
	k = m.Bias
	for j, v := range x.Signs {
		if v != 0 {
			for l := range k {
				k[l] += m.Signs[j][l] * float64(v)
			}
		}
	}
	scale := 1 / math.Sqrt(float64(max(1, len(x.Words))))
	for _, h := range x.Words {
		for l := range k {
			k[l] += m.Words[h][l] * scale
		}
	}
	most, sum := slices.Max(k[:]), 0.0
	for l := range k {
		k[l] = math.Exp(k[l] - most)
		sum += k[l]
	}
	for l := range k {
		k[l] /= sum
	}
	return k
}

// Encode returns the model in the format that LoadWorths reads: one byte for the weight of a word.
func (m *Worths) Encode() []byte {
	most := 1e-9
	for _, w := range m.Words {
		for _, v := range w {
			most = max(most, math.Abs(v))
		}
	}
	b := []byte{'U', 'T', 'W', worthsForm}
	float := func(v float64) { b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v))) }
	float(most / 127)
	for _, k := range append([]Kinds{m.Bias}, m.Signs...) {
		for _, v := range k {
			float(v)
		}
	}
	for _, w := range m.Words {
		for _, v := range w {
			b = append(b, byte(int8(math.Round(v/most*127))))
		}
	}
	return b
}

// LoadWorths reads what Encode wrote. It fails for a model of another version and for a truncated
// one.
func LoadWorths(b []byte) (*Worths, error) {
	const size = 4 + 4*(1+(1+numSigns)*int(NumWorths)) + bagSize*int(NumWorths)
	if len(b) != size || string(b[:3]) != "UTW" || b[3] != worthsForm {
		return nil, fmt.Errorf("load model of worths: %w", errModel)
	}
	b = b[4:]
	float := func() float64 {
		v := math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		return float64(v)
	}
	m, scale := NewWorths(), float()
	for l := range m.Bias {
		m.Bias[l] = float()
	}
	for j := range m.Signs {
		for l := range m.Signs[j] {
			m.Signs[j][l] = float()
		}
	}
	for h := range m.Words {
		for l := range m.Words[h] {
			m.Words[h][l] = scale * float64(int8(b[0]))
			b = b[1:]
		}
	}
	return m, nil
}
