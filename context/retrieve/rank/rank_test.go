package rank

import (
	"bytes"
	"math"
	"testing"
)

// two is a model of two features and two trees.
func two() *Model {
	return &Model{
		Features: 2, Bias: -1, Slope: 2, Offset: .5,
		Trees: []Tree{
			{{Feature: 0, Value: .5, Right: 2}, {Feature: -1, Value: -.25}, {Feature: 1, Value: 3, Right: 4}, {Feature: -1, Value: 1}, {Feature: -1, Value: 2}},
			{{Feature: -1, Value: .125}},
		},
	}
}

func TestProbability(t *testing.T) {
	m := two()
	for _, tt := range []struct {
		features []float32
		margin   float64
	}{{[]float32{.4, 9}, -1.125}, {[]float32{.5, 2.9}, .125}, {[]float32{.5, 3}, 1.125}} {
		if got := m.Margin(tt.features); got != tt.margin {
			t.Errorf("margin of %v is %g, want %g", tt.features, got, tt.margin)
		}
		if got, want := m.Probability(tt.features), 1/(1+math.Exp(-(2*tt.margin+.5))); math.Abs(got-want) > 1e-12 {
			t.Errorf("probability of %v is %g, want %g", tt.features, got, want)
		}
	}
	if p := (&Model{}).Probability(nil); p != .5 {
		t.Errorf("the zero model says %g", p)
	}
}

func TestLoad(t *testing.T) {
	b := two().Encode()
	m, err := Load(b, 2)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(m.Encode(), b) {
		t.Error("what was read is written otherwise")
	}
	if _, err := Load(b, 3); err == nil {
		t.Error("a model of other features is taken")
	}
	if _, err := Load(append(bytes.Clone(b), 0), 2); err == nil {
		t.Error("more than a model is taken")
	}
	for n := range b {
		if _, err := Load(b[:n], 2); err == nil {
			t.Errorf("%d of %d bytes are taken", n, len(b))
		}
	}
}

// FuzzLoad checks that any input is either rejected or gives a model that answers.
func FuzzLoad(f *testing.F) {
	f.Add(two().Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := Load(b, 2); err == nil {
			m.Probability([]float32{1, 1})
		}
	})
}
